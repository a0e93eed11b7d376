import { expect, test } from 'vitest'
import { expectFieldsChecked, type FieldCase } from '../../test/http/fields.ts'
import { openTestNumbers } from '../../test/traffic/numbers.ts'

const environment = await openTestNumbers()
const [admin, support, client] = [
  await environment.person('admin'),
  await environment.person('support'),
  await environment.person('user'),
]

let last = 449_098_700_000
const nextNumber = () => String((last += 1))

const { body: range } = await support.post('/api/ranges', {
  rangeNumber: 'FIELDS',
  startNumber: '33610',
  endNumber: '33699',
  rate: '1',
})
const { body: premium } = await support.post('/api/premium-numbers', { number: nextNumber() })
const { body: item } = await support.post('/api/number-inventory', { number: nextNumber(), pricePerSms: '1' })
let rangeCount = 0

const cases: readonly FieldCase[] = [
  {
    name: 'add range',
    good: {
      rangeNumber: 'R',
      startNumber: '33610',
      endNumber: '33699',
      description: '',
      rate: '1',
      status: 'active',
    },
    send: (body) =>
      support.post(
        '/api/ranges',
        body['rangeNumber'] === 'R' ? { ...body, rangeNumber: `R${(rangeCount += 1)}` } : body,
      ),
    texts: ['description'],
  },
  {
    name: 'edit range',
    good: {
      rangeNumber: 'FIELDS',
      startNumber: '33610',
      endNumber: '33699',
      description: '',
      rate: '1',
      status: 'active',
      version: undefined,
    },
    send: (body) => support.put(`/api/ranges/${range.id}`, body),
    texts: ['description'],
    loose: ['version'],
  },
  {
    name: 'set the statuses of ranges',
    good: { rows: [{ id: String(range.id), status: 'active' }] },
    send: (body) => support.post('/api/ranges/status', body),
  },
  {
    name: 'add premium number',
    good: {
      number: '',
      description: '',
      rate: '1',
      status: 'active',
      country: '',
      countryCode: '',
      type: 'premium',
    },
    send: (body) =>
      support.post('/api/premium-numbers', body['number'] === '' ? { ...body, number: nextNumber() } : body),
    texts: ['description', 'country'],
  },
  {
    name: 'edit premium number',
    good: { description: '', rate: '1', status: 'active', country: 'X', countryCode: '+44', type: 'premium' },
    send: (body) => support.put(`/api/premium-numbers/${premium.id}`, body),
    texts: ['description', 'country'],
  },
  {
    name: 'add to the inventory',
    good: { number: '', countryCode: '', operator: '', pricePerSms: '0.5' },
    send: (body) =>
      support.post('/api/number-inventory', body['number'] === '' ? { ...body, number: nextNumber() } : body),
    texts: ['operator'],
  },
  {
    name: 'edit the inventory',
    good: { countryCode: 'GB', operator: '', pricePerSms: '0.5' },
    send: (body) => support.put(`/api/number-inventory/${item.id}`, body),
    texts: ['operator'],
  },
  {
    name: 'assign',
    good: { from: '2026-01-01T00:00:00Z' },
    send: (body) => admin.put(`/api/number-inventory/${item.id}/assign`, { userId: 1_999_999_999, ...body }),
  },
  {
    name: 'assign several',
    good: { ids: ['1'] },
    send: (body) => support.post('/api/number-inventory/assign', { ...body, userId: 1_999_999_999 }),
  },
  {
    name: 'set several statuses',
    good: { ids: [String(premium.id)], status: 'active' },
    send: (body) => support.post('/api/premium-numbers/status', body),
  },
  {
    name: 'ask for a number',
    good: {
      requestedNumber: '',
      preferredCountry: '',
      countryCode: '',
      businessPurpose: 'Votes',
      expectedVolume: '1-50',
    },
    send: (body) => client.post('/api/number-requests', body),
    texts: ['businessPurpose', 'preferredCountry'],
  },
  {
    name: 'answer several requests',
    good: { ids: ['1'], action: 'reject', rejectionReason: 'No stock' },
    send: (body) => support.post('/api/number-requests/process', body),
  },
  {
    name: "a user's rate",
    good: { customSmsRate: '0.05' },
    send: (body) => admin.put(`/api/admin/users/${client.id}/sms-rate`, body),
  },
  {
    name: 'the global rate',
    good: { settingValue: '0.05' },
    send: (body) => admin.put('/api/admin/settings/global_sms_rate', body),
  },
]

test.each(cases.map((one) => [one.name, one] as const))('%s: every field is checked and named', (_, one) =>
  expectFieldsChecked(one),
)

test.each([-1, 0, 1.5, '1.5', '', 'x', 2_147_483_648, null, true, {}, [[]], [[1]]])(
  'a number is not assigned to %j',
  async (userId) => {
    const { status, body } = await support.put(`/api/number-inventory/${item.id}/assign`, { userId })
    expect([status, Object.keys(body.fields)]).toEqual([400, ['userId']])
  },
)

test.each(['-1', '0', '101', '1e2', '0x10', '1,5', 'NaN', 'Infinity', '0.0000001', ' ', '=1', '\u0661'])(
  'a price or rate of %j is refused wherever it is entered',
  async (value) => {
    for (const answer of [
      await support.post('/api/number-inventory', { number: nextNumber(), pricePerSms: value }),
      await admin.put(`/api/admin/users/${client.id}/sms-rate`, { customSmsRate: value }),
      await admin.put('/api/admin/settings/global_sms_rate', { settingValue: value }),
    ])
      expect.soft([value, answer.status]).toEqual([value, 400])
  },
)

test('a form that is sent twice at once makes one number and one range', async () => {
  const [number, rangeNumber] = [nextNumber(), 'TWICE']
  const both = (path: string, body: object) =>
    Promise.all([support.post(path, body), support.post(path, body)])
  for (const answers of [
    await both('/api/premium-numbers', { number }),
    await both('/api/ranges', { rangeNumber, startNumber: '34610', endNumber: '34699', rate: '1' }),
    await both('/api/number-inventory', { number: nextNumber(), pricePerSms: '1' }),
  ])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409])
})
