// The rules as staff see them: versions on their way to being live, a new one, and what each rule held.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { BackTest } from '@tollgate/contract/integrity/back-tests.ts'
import type { RuleMonth } from '@tollgate/contract/integrity/integrity.ts'
import { standardThresholds, type IntegrityVersion } from '@tollgate/contract/integrity/versions.ts'
import type { SettingEntry } from '@tollgate/contract/settings/settings.ts'
import { expect, test } from 'vitest'
import { sent, type ApiRequest } from '../testing/api-stub.ts'
import { admin, renderApp, support } from '../testing/render.tsx'
import { RulesView } from './RulesView.tsx'

const { across, neighbours } = standardThresholds
const installed: IntegrityVersion = {
  id: 1,
  thresholds: standardThresholds,
  note: 'As installed',
  madeBy: '',
  madeAt: '2026-11-01T10:00:00.000Z',
  liveFrom: null,
  approvedBy: '',
  isLive: true,
  isAsStrict: true,
  isTried: true,
  pending: null,
}
const looser: IntegrityVersion = {
  ...installed,
  id: 2,
  thresholds: { ...standardThresholds, across: { ...across, clients: 9 } },
  note: 'A service of schools',
  madeBy: 'ada',
  isLive: false,
  isAsStrict: false,
  isTried: false,
}
const backTest: BackTest = {
  id: '7',
  versionId: 2,
  fromDay: '2026-11-01',
  untilDay: '2026-11-28',
  madeBy: 'ada',
  madeAt: '2026-11-30T10:00:00.000Z',
  isDone: true,
  judgedCount: 40,
  dayCount: 40,
  held: { messageCount: 90, amountUsd: '4.50', refusedUsd: '2.00', releasedUsd: '0.50' },
  earnedUsd: '450.00',
  rules: [],
}
const waitHours: SettingEntry = {
  id: 'setting_wait_hours',
  settingKey: 'setting_wait_hours',
  settingValue: '48',
  description: '',
  defaultValue: '24',
  updatedAt: '',
  updatedBy: '',
  pending: null,
}
const month: RuleMonth = {
  rule: 'made_up',
  month: '2026-11',
  cases: 4,
  heldCount: 1_200,
  heldUsd: '60.00',
  refusedUsd: '40.00',
  releasedUsd: '15.00',
  openUsd: '5.00',
  hoursToDecision: 6.25,
}

function open(answers: object = {}, user = admin) {
  return renderApp(<RulesView />, {
    user,
    answers: {
      'GET /api/integrity/versions': [looser, installed],
      'GET /api/integrity/back-tests': [],
      'GET /api/integrity/back-tests/7/clients': [],
      'GET /api/integrity/report': [],
      'GET /api/admin/settings': [],
      ...answers,
    },
  })
}
const versionRow = async (id: number) =>
  (await screen.findByRole('button', { name: `Version ${id}` })).closest('tr') as HTMLElement
async function openVersion(id: number) {
  await userEvent.click(await screen.findByRole('button', { name: `Version ${id}` }))
  return screen.findByRole('dialog', { name: `Version ${id}` })
}

const bodies = (requests: readonly ApiRequest[], route: string) =>
  sent(requests)
    .filter(({ method, path }) => `${method} ${path}` === route)
    .map(({ body }) => body)

test('the list says which version is live, and which needs a back-test; only an admin makes one', async () => {
  open({}, support)
  expect((await versionRow(1)).textContent).toContain('Live')
  const other = await versionRow(2)
  expect(other.textContent).toContain('A service of schools')
  expect(other.textContent).toContain('by ada')
  expect(other.textContent).toContain('Needs a back-test')
  expect(screen.queryByRole('button', { name: 'New version' })).toBeNull()
})

test('a version that was not tried cannot be made live: a back-test comes first', async () => {
  const { requests } = open({ 'POST /api/integrity/back-tests': { ...backTest, isDone: false } })
  const drawer = await openVersion(2)
  expect(drawer.textContent).toContain('A back-test comes first')
  expect(drawer.textContent).toContain('5 → 9 clients')
  expect(within(drawer).queryByRole('button', { name: 'Make live' })).toBeNull()
  await userEvent.click(within(drawer).getByRole('button', { name: 'Start back-test' }))
  await waitFor(() =>
    expect(bodies(requests, 'POST /api/integrity/back-tests')).toEqual([{ versionId: '2', days: '28' }]),
  )
})

test.each([
  ['stricter', true, 'It holds at least what version 1 holds, so it judges at once.', 'Make live'],
  [
    'looser',
    false,
    'A second admin must approve it, and it begins in 48 hours at the earliest.',
    'Ask for approval',
  ],
])('a %s version says before what happens', async (_, isAsStrict, words, label) => {
  const { requests } = open({
    'GET /api/integrity/versions': [{ ...looser, isAsStrict }, installed],
    'GET /api/integrity/back-tests': [backTest],
    'GET /api/admin/settings': [waitHours],
    'PUT /api/integrity/versions/2/live': [],
  })
  const drawer = await openVersion(2)
  await userEvent.click(await within(drawer).findByRole('button', { name: 'Make live' }))
  const asked = await screen.findByRole('alertdialog', { name: 'Make version 2 live?' })
  await waitFor(() => expect(asked.textContent).toContain(words))
  expect(asked.textContent).toContain('4.50 USDT, 1.0 % of 450.00 USDT')
  await userEvent.click(within(asked).getByRole('button', { name: label }))
  await waitFor(() => expect(requests.some(({ path }) => path.endsWith('/2/live'))).toBe(true))
})

test('a version that waits is approved by another admin', async () => {
  const pending = {
    requestedBy: 'ada',
    requestedAt: '2026-11-30T10:00:00.000Z',
    approvedBy: '',
    beginsAt: '2026-12-01T10:00:00.000Z',
    isAlone: false,
  }
  const { requests } = open({
    'GET /api/integrity/versions': [{ ...looser, isTried: true, pending }, installed],
    'PUT /api/admin/settings/integrity_version/change': {},
  })
  expect((await versionRow(2)).textContent).toContain('Waits for a second admin')
  await userEvent.click(
    await screen.findByRole('button', { name: 'Approve change of the version of the thresholds' }),
  )
  await userEvent.click(
    within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Approve' }),
  )
  await waitFor(() =>
    expect(bodies(requests, 'PUT /api/admin/settings/integrity_version/change')).toEqual([
      { action: 'approve' },
    ]),
  )
})

test('a new version begins with the live figures, marks what differs, and says which figure is wrong', async () => {
  const { requests } = open({ 'POST /api/integrity/versions': { ...looser, id: 3 } })
  await versionRow(1)
  await userEvent.click(screen.getByRole('button', { name: 'New version' }))
  const form = await screen.findByRole('dialog', { name: 'New version of the thresholds' })
  const make = within(form).getByRole('button', { name: 'Make version' })
  expect(make.getAttribute('aria-disabled')).toBe('true')
  const share = within(form).getByLabelText<HTMLInputElement>(/^In the same hundred/)
  expect(share.value).toBe('30')
  const put = async (text: string) => {
    await userEvent.clear(share)
    await userEvent.type(share, text)
  }
  expect(within(form).queryByText('Live: 30')).toBeNull()
  await put('250')
  expect(within(form).getByText('Live: 30')).toBeDefined()
  await userEvent.click(make)
  expect(share.getAttribute('aria-invalid')).toBe('true')
  expect(within(form).getByText('Say why these figures')).toBeDefined()
  await put('25.5')
  expect(share.getAttribute('aria-invalid')).toBeNull()
  await userEvent.type(within(form).getByLabelText('Note'), 'A class of neighbours')
  await userEvent.click(make)
  await waitFor(() =>
    expect(bodies(requests, 'POST /api/integrity/versions')).toEqual([
      {
        thresholds: { ...standardThresholds, neighbours: { ...neighbours, pairShare: 0.255 } },
        note: 'A class of neighbours',
      },
    ]),
  )
})

test('the report names the false alarms of each rule, and is a file too', async () => {
  open({ 'GET /api/integrity/report': [month] })
  const table = await screen.findByRole('table', { name: 'Held by rule and month' })
  const line = await within(table).findByRole('row', { name: /Made-up numbers/ })
  for (const words of ['11/2026', '60.00', '40.00', '15.00', '25.0 % of what it held', '5.00', '6.3'])
    expect(line.textContent).toContain(words)
  expect(screen.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
    '/api/integrity/report/export',
  )
})
