import { settingNames } from '@tollgate/contract/settings/setting-names.ts'
import type { SettingEntry } from '@tollgate/contract/settings/settings.ts'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { UserRate } from '@tollgate/contract/rates/rates.ts'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { renderApp } from '../testing/render.tsx'
import { AdminSettingsPage } from '../settings/AdminSettingsPage.tsx'
import { globalRateKey, settingGroups } from '../settings/groups.ts'

const setting = (settingKey: string, settingValue: string): SettingEntry => ({
  id: settingKey,
  settingKey,
  settingValue,
  description: `What ${settingKey} does`,
  defaultValue: '',
  updatedAt: '',
  updatedBy: '',
  pending: null,
})
const settings = [
  setting('global_sms_rate', '0.05'),
  setting('registration', 'open'),
  setting('treasury_addresses', ''),
  setting('number_stock', 'off'),
  setting('run_netting', 'on'),
]
const omar: UserRate = {
  id: 7,
  username: 'client7',
  fullName: 'Omar Haddad',
  email: 'omar@example.org',
  role: 'user',
  status: 'active',
  customSmsRate: '0.03',
  scheduled: null,
  currentRate: '0.03',
}
const lina: UserRate = {
  ...omar,
  id: 8,
  username: 'client8',
  fullName: '',
  customSmsRate: '',
  currentRate: '0.05',
}
const answers = { 'GET /api/admin/settings': settings, 'GET /api/admin/users': [omar, lina] }

// The button keeps its focus and its reason, so it is not `disabled`.
const isDisabled = (button: HTMLElement) => button.getAttribute('aria-disabled') === 'true'

const puts = (requests: readonly { method: string; path: string; body?: unknown }[]) =>
  requests.filter(({ method }) => method === 'PUT').map(({ path, body }) => [path, body])

test('the table says whose rate is their own, and only that can be removed', async () => {
  renderApp(<AdminSettingsPage />, { answers })
  const own = (await screen.findByText('Omar Haddad')).closest('tr')!
  expect(within(own).getByText('0.030 USD')).toBeDefined()
  expect(within(own).getByText('own')).toBeDefined()
  const global = screen.getAllByText('client8')[0]!.closest('tr')!
  expect(within(global).getByText('global')).toBeDefined()
  expect(isDisabled(within(global).getByRole('button', { name: 'Remove rate of client8' }))).toBe(true)
  expect(isDisabled(within(own).getByRole('button', { name: 'Remove rate of client7' }))).toBe(false)
})

test('a rate of 0, below it or of words is not sent', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, { answers })
  const field = await screen.findByLabelText('New rate (USD per SMS)')
  const button = screen.getByRole('button', { name: 'Update Rate' })
  expect(isDisabled(button)).toBe(true)
  for (const wrong of ['0', '-1', '101', '0.0000001']) {
    await userEvent.clear(field)
    await userEvent.type(field, wrong)
    await userEvent.click(button)
    expect(await screen.findByText(/Enter a (rate above 0|number with)/)).toBeDefined()
  }
  expect(puts(requests)).toEqual([])
})

test('the global rate is saved once, however often the button is pressed', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: { ...answers, 'PUT /api/admin/settings/global_sms_rate': setting('global_sms_rate', '0.06') },
  })
  await userEvent.type(await screen.findByLabelText('New rate (USD per SMS)'), '0.06')
  await userEvent.dblClick(screen.getByRole('button', { name: 'Update Rate' }))
  expect(await screen.findByText('Global SMS rate updated successfully')).toBeDefined()
  expect(puts(requests)).toEqual([
    ['/api/admin/settings/global_sms_rate', { settingValue: '0.06', seenValue: '0.05' }],
  ])
})

test('user rates are by name first, and by the rate when that head is pressed', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, { answers })
  await userEvent.click(await screen.findByRole('button', { name: 'Current Rate' }))
  await waitFor(() =>
    expect(
      requests
        .filter(({ path }) => path === '/api/admin/users')
        .map(({ query }) => `${query.get('sort')} ${query.get('order')}`),
    ).toEqual(['username asc', 'rate desc']),
  )
})

test("a user's rate is set from the row, and a refusal stands in the dialog", async () => {
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'PUT /api/admin/users/7/sms-rate': () =>
        refusal(400, {
          code: 'invalid',
          message: 'Not that.',
          fields: { customSmsRate: 'Too much for Omar' },
        }),
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Set rate of client7' }))
  const dialog = within(await screen.findByRole('dialog'))
  const field = dialog.getByLabelText('Rate (USD per SMS)')
  expect(field).toHaveProperty('value', '0.03')
  await userEvent.clear(field)
  await userEvent.type(field, '0.04')
  await userEvent.click(dialog.getByRole('button', { name: 'Set Rate' }))
  expect(await dialog.findByText('Too much for Omar')).toBeDefined()
  expect(dialog.getByText('Failed to update user SMS rate')).toBeDefined()
  expect(puts(requests)).toEqual([
    ['/api/admin/users/7/sms-rate', { customSmsRate: '0.04', seenRate: '0.03' }],
  ])
})

test('a step of ten times says what it comes to and is sent only after a second look', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'GET /api/billing/what-if': { ...whatIf, smsCount: 2_491, before: '74.73', after: '7473.00' },
      'PUT /api/admin/users/7/sms-rate': { ...omar, customSmsRate: '3' },
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Set rate of client7' }))
  const dialog = within(await screen.findByRole('dialog'))
  const field = dialog.getByLabelText('Rate (USD per SMS)')
  await userEvent.clear(field)
  await userEvent.type(field, '3')
  expect(await dialog.findByText('100 times the current rate')).toBeDefined()
  expect(await dialog.findByText(/2,491 SMS of this period so far come to 74.73 USDT/)).toBeDefined()
  const send = dialog.getByRole('button', { name: 'Set Rate' })
  expect(isDisabled(send)).toBe(true)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Yes, 3.000 USD per SMS' }))
  await userEvent.click(send)
  await waitFor(() => expect(puts(requests)).toHaveLength(1))
})

const part = { count: 0, amountUsd: '0' }
const week = {
  cycleId: 4,
  periodStart: '2026-11-23T00:00:00.000Z',
  periodEnd: '2026-11-30T00:00:00.000Z',
  ...part,
  earned: part,
  bill: part,
  payouts: part,
  held: part,
  late: null,
  pace: null,
  days: [],
}

test('a rate can start later, shows meanwhile, and is cancelled', async () => {
  const scheduled = { rate: '0.04', startsAt: '2027-01-31T12:00:00.000Z', setBy: 'anna' }
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'PUT /api/admin/settings/global_sms_rate': setting('global_sms_rate', '0.05'),
      'GET /api/admin/settings': [{ ...settings[0]!, scheduled }, ...settings.slice(1)],
      'DELETE /api/admin/settings/global_sms_rate/scheduled': null,
    },
  })
  await userEvent.type(await screen.findByLabelText('New rate (USD per SMS)'), '0.06')
  await userEvent.selectOptions(screen.getByLabelText('Starts'), 'At a time')
  fireEvent.change(screen.getByLabelText('Starts (UTC)'), {
    target: { value: '2027-02-01T00:00' },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Update Rate' }))
  await waitFor(() =>
    expect(puts(requests)[0]?.[1]).toEqual({
      settingValue: '0.06',
      seenValue: '0.05',
      startsAt: '2027-02-01T00:00:00Z',
    }),
  )
  expect(screen.getByText(/0.040 USD from 31\/01\/2027/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel scheduled rate' }))
  await userEvent.click(screen.getByRole('button', { name: 'Cancel rate' }))
  expect(await screen.findByText('The rate will not start')).toBeDefined()
})

test('a rate starts with the next period by one choice, and the toast says so', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'GET /api/stats/week': week,
      'PUT /api/admin/settings/global_sms_rate': setting('global_sms_rate', '0.05'),
    },
  })
  await userEvent.type(await screen.findByLabelText('New rate (USD per SMS)'), '0.045')
  await screen.findByRole('option', { name: 'With the next period, 30/11/2026' })
  await userEvent.selectOptions(screen.getByLabelText('Starts'), 'With the next period, 30/11/2026')
  await userEvent.click(screen.getByRole('button', { name: 'Update Rate' }))
  expect(await screen.findByText('The rate starts 30/11/2026')).toBeDefined()
  expect(puts(requests)[0]?.[1]).toMatchObject({ settingValue: '0.045', startsAt: '2026-11-30T00:00:00Z' })
})

test("cancelling a client's rate that waits does not save the rate that was typed beside it", async () => {
  const scheduled = { rate: '0.04', startsAt: '2027-01-31T12:00:00.000Z', setBy: 'anna' }
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'GET /api/admin/users': [{ ...omar, scheduled }],
      'PUT /api/admin/users/7/sms-rate': { ...omar, customSmsRate: '0.06' },
      'DELETE /api/admin/users/7/sms-rate/scheduled': null,
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Set rate of client7' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.clear(dialog.getByLabelText('Rate (USD per SMS)'))
  await userEvent.type(dialog.getByLabelText('Rate (USD per SMS)'), '0.06')
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel scheduled rate of client7' }))
  await userEvent.click(screen.getByRole('button', { name: 'Cancel rate' }))
  expect(await screen.findByText('The rate will not start')).toBeDefined()
  expect(puts(requests)).toEqual([])
})

test('removing a rate asks first, sends an empty one, and says why it failed', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'PUT /api/admin/users/7/sms-rate': () => refusal(409, { code: 'wrong_state', message: 'Not now.' }),
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Remove rate of client7' }))
  const dialog = within(await screen.findByRole('alertdialog'))
  expect(puts(requests)).toEqual([])
  await userEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  expect(await dialog.findByText('Not now.')).toBeDefined()
  expect(puts(requests)).toEqual([['/api/admin/users/7/sms-rate', { customSmsRate: '', seenRate: '0.03' }]])
})

test('the history names who set a rate, and what was removed', async () => {
  renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'GET /api/admin/users/7/sms-rate/history': [
        { id: '2', rate: '', validFrom: '2026-11-02T10:00:00.000Z', setBy: 'admin' },
        { id: '1', rate: '0.03', validFrom: '2026-11-01T10:00:00.000Z', setBy: '' },
      ],
    },
  })
  const button = await screen.findByRole('button', { name: 'Rate history of client7' })
  expect(button.textContent).toBe('History')
  await userEvent.click(button)
  const dialog = within(await screen.findByRole('dialog'))
  expect((await dialog.findAllByRole('row')).map((row) => row.textContent)).toEqual([
    'Valid fromSet byRate',
    expect.stringMatching(/adminRemoved$/),
    expect.stringMatching(/System0\.030 USD$/),
  ])
})

test('other settings are chosen or typed, and a refused value stays with its reason', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, {
    url: '/admin-settings?tab=settings',
    answers: {
      ...answers,
      'PUT /api/admin/settings/treasury_addresses': () =>
        refusal(400, {
          code: 'invalid',
          message: 'treasury addresses: Not a TRON address',
          fields: { settingValue: 'Not a TRON address' },
        }),
      'PUT /api/admin/settings/registration': setting('registration', 'closed'),
    },
  })
  const addresses = await screen.findByLabelText('treasury addresses')
  const choicesOf = (name: string) =>
    within(screen.getByLabelText(name))
      .getAllByRole('option')
      .map(({ textContent }) => textContent)
  expect([choicesOf('number stock for clients'), choicesOf('credits reduce a payment run')]).toEqual([
    ['off', 'request', 'take'],
    ['on', 'off'],
  ])
  // Nothing is changed, so there is nothing to save.
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  await userEvent.type(addresses, 'T123')
  await userEvent.selectOptions(screen.getByLabelText('who may sign up'), 'closed')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Not a TRON address')).toBeDefined()
  expect(screen.queryByText('treasury addresses: Not a TRON address')).toBeNull()
  expect(addresses).toHaveProperty('value', 'T123')
  // The other one is saved all the same.
  expect(await screen.findByText('Setting updated successfully')).toBeDefined()
  expect(puts(requests)).toContainEqual([
    '/api/admin/settings/registration',
    { settingValue: 'closed', seenValue: 'open' },
  ])
})

test('settings stand in groups, and are found by name, description or key; what was typed stays', async () => {
  renderApp(<AdminSettingsPage />, {
    url: '/admin-settings?tab=settings',
    answers: {
      ...answers,
      'GET /api/admin/settings': [
        ...settings,
        {
          ...setting('payable_after_days', '3'),
          defaultValue: '0',
          updatedAt: '2026-11-20T10:00:00.000Z',
          updatedBy: 'lina',
        },
        setting('of_no_group', '1'),
      ],
    },
  })
  const titles = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
  await screen.findByLabelText('payable after (days)')
  expect(titles()).toEqual(['Money', 'Numbers', 'People', 'Others', 'Data of a subscriber'])
  expect(screen.getByRole('link', { name: /^Changed .* by lina$/ }).getAttribute('href')).toMatch(
    /^\/audit-log\?objectType=setting&objectId=/,
  )
  await userEvent.selectOptions(screen.getByLabelText('who may sign up'), 'closed')
  const box = screen.getByLabelText('Search')
  await userEvent.type(box, 'after payable')
  await waitFor(() => expect(titles()).toEqual(['Money', 'People']))
  expect(screen.queryByLabelText('treasury addresses')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  await waitFor(() => expect(titles()).toEqual(['Money']))
  await userEvent.clear(box)
  await userEvent.type(box, 'nothing of the kind')
  expect(await screen.findByText('No setting is called so')).toBeDefined()
})

test('each setting with a name is in exactly one group, or is shown elsewhere', () => {
  const grouped = settingGroups.flatMap(({ keys }) => keys)
  expect([...grouped, globalRateKey].toSorted()).toEqual(Object.keys(settingNames).toSorted())
})

test('a setting that somebody else changed meanwhile is not overwritten, and what was typed stays', async () => {
  let held = 'T1'
  const { requests } = renderApp(<AdminSettingsPage />, {
    url: '/admin-settings?tab=settings',
    answers: {
      'GET /api/admin/settings': () => Response.json([settings[0], setting('treasury_addresses', held)]),
      'PUT /api/admin/settings/treasury_addresses': () => {
        if (held === 'T2') {
          held = 'T1, T3'
          return Response.json(setting('treasury_addresses', held))
        }
        held = 'T2'
        return refusal(409, { code: 'stale', message: 'Somebody changed this. It is T2 now.' })
      },
    },
  })
  const field = await screen.findByLabelText('treasury addresses')
  await userEvent.type(field, ',T3')
  const save = screen.getByRole('button', { name: 'Save' })
  await userEvent.click(save)
  expect((await screen.findAllByText('Somebody changed this. It is T2 now.')).length).toBeGreaterThan(0)
  expect(field).toHaveProperty('value', 'T1,T3')
  await userEvent.click(save)
  await waitFor(() => expect(field).toHaveProperty('value', 'T1, T3'))
  expect(puts(requests).map(([, body]) => body)).toEqual([
    { settingValue: 'T1,T3', seenValue: 'T1' },
    { settingValue: 'T1,T3', seenValue: 'T2' },
  ])
})

test('a change that waits says who asked and when it begins, and is approved or cancelled', async () => {
  const pending = {
    settingValue: '500.00',
    requestedBy: 'somebody',
    requestedAt: '2026-11-20T10:00:00.000Z',
    approvedBy: '',
    beginsAt: '2026-11-21T10:00:00.000Z',
    isAlone: false,
  }
  const waiting = { ...setting('second_person_above', '100.00'), pending }
  const { requests } = renderApp(<AdminSettingsPage />, {
    url: '/admin-settings?tab=settings',
    answers: {
      'GET /api/admin/settings': [settings[0], waiting],
      'PUT /api/admin/settings/second_person_above': waiting,
      'PUT /api/admin/settings/second_person_above/change': { ...waiting, pending: null },
    },
  })
  const notice = (await screen.findByText('A change waits for a second admin')).closest('[role=note]')!
  expect(notice.textContent).toContain('to change it to 500.00')
  expect(notice.textContent).toContain('Once approved it begins, on')
  // What was typed was not saved, so the field shows the value in force again.
  const field = screen.getByLabelText('second person above (USDT)')
  await userEvent.clear(field)
  await userEvent.type(field, '600')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('The value in force stays until the change begins.')).toBeDefined()
  expect(field).toHaveProperty('value', '100.00')
  await userEvent.click(screen.getByRole('button', { name: 'Approve change of second person above (USDT)' }))
  await userEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Approve' }))
  await expect
    .poll(() => puts(requests))
    .toContainEqual(['/api/admin/settings/second_person_above/change', { action: 'approve' }])
})

test('settings that cannot be fetched say so and are fetched again', async () => {
  let isDown = true
  renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'GET /api/admin/settings': () =>
        isDown ? refusal(500, { code: 'internal', message: 'Something broke.' }) : Response.json(settings),
    },
  })
  await screen.findByText('Failed to fetch settings')
  isDown = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect((await screen.findAllByText('0.050 USD')).length).toBeGreaterThan(0)
})

const whatIf = {
  periodStart: '2026-11-09T00:00:00.000Z',
  periodEnd: '2026-11-16T00:00:00.000Z',
  isOpen: true,
  rate: '0.06',
  smsCount: 10,
  before: '0.50',
  after: '0.60',
  difference: '0.10',
  clientCount: 1,
  clients: [
    { userId: 7, userName: 'client7', smsCount: 10, before: '0.50', after: '0.60', difference: '0.10' },
  ],
}

async function askWhatIf() {
  await userEvent.type(await screen.findByLabelText('Global rate instead (USD per SMS)'), '0.06')
  await userEvent.selectOptions(screen.getByLabelText('Period'), 'Last period')
  await userEvent.click(screen.getByRole('button', { name: 'Calculate' }))
}

test('a gateway too young for last period says so and offers the open one', async () => {
  const { requests } = renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'GET /api/billing/what-if': ({ query }: { query: URLSearchParams }) =>
        query.get('periodsBack') === '0'
          ? Response.json(whatIf)
          : refusal(404, { code: 'not_found', message: 'There was no period so long ago.' }),
    },
  })
  await askWhatIf()
  expect(await screen.findByText('No period has closed yet')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Calculate this period, so far' }))
  expect(await screen.findByText('+0.10 USDT')).toBeDefined()
  expect(screen.getByLabelText<HTMLSelectElement>('Period').value).toBe('0')
  expect(requests.filter(({ path }) => path === '/api/billing/what-if')).toHaveLength(2)
})

test('a period without messages at the global rate says that nothing would change', async () => {
  renderApp(<AdminSettingsPage />, {
    answers: {
      ...answers,
      'GET /api/billing/what-if': { ...whatIf, smsCount: 0, clientCount: 0, clients: [], difference: '0.00' },
    },
  })
  await askWhatIf()
  expect(await screen.findByText('Nothing was earned at the global rate')).toBeDefined()
})
