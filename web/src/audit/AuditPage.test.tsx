import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { AuditEntry, AuditState } from '@tollgate/contract/audit/audit.ts'
import { expect, onTestFinished, test } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { refusal } from '../testing/api-stub.ts'
import { readHebrew } from '../testing/hebrew.ts'
import { renderApp } from '../testing/render.tsx'
import { AuditPage } from './AuditPage.tsx'

const entry = (id: string, patch: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: '2026-11-02T10:00:00.000Z',
  actorId: 1,
  actor: 'admin',
  ip: '192.0.2.7',
  action: 'user.suspend',
  objectType: 'user',
  objectId: '42',
  objectName: 'client42',
  before: { status: 'active' },
  after: { status: 'suspended' },
  isUndoable: false,
  ...patch,
})
const entries = [
  entry('9'),
  entry('8', { action: 'cycle.close', actor: 'System', actorId: null, ip: '', before: null, after: null }),
]
const whole: AuditState = {
  broken: null,
  checkedAt: '2026-11-02T10:05:00.000Z',
  wholeCheckedAt: null,
  checkedCount: 1234,
  head: {
    line: 'tollgate-audit-head/1 database=x entry=9 signature=y',
    entryId: '9',
    publishedAt: '2026-11-02T00:00:03.000Z',
    fingerprint: '00aa 11bb 22cc 33dd',
  },
}
const answers = {
  'GET /api/audit/state': whole,
  'GET /api/audit': entries,
  'GET /api/audit/actions': ['cycle.close', 'user.suspend'],
}

test('an entry opens with what it changed, and J goes on to the next', async () => {
  const { address } = renderApp(<AuditPage />, { url: '/audit?open=9', answers })
  const drawer = within(await screen.findByRole('dialog', { name: 'Entry 9' }))
  expect(drawer.getAllByRole('row').map((row) => row.textContent)).toEqual([
    'FieldBeforeAfter',
    'Statusactivesuspended',
  ])
  expect(drawer.getByText('192.0.2.7')).toBeDefined()
  await userEvent.keyboard('j')
  const next = within(await screen.findByRole('dialog', { name: 'Entry 8' }))
  expect(next.queryByRole('table')).toBeNull()
  expect(address()).toContain('open=8')
})

test('people, objects and settings are named, lead to their pages, and show what became of them', async () => {
  renderApp(<AuditPage />, {
    url: '/audit',
    answers: {
      ...answers,
      'GET /api/audit': [
        entry('9'),
        entry('8', {
          action: 'setting.change',
          objectType: 'setting',
          objectId: 'registration',
          objectName: '',
          before: { value: 'open' },
          after: { value: 'closed' },
        }),
        entry('7', {
          actorId: null,
          actor: 'system',
          action: 'payout.book_transfer',
          objectType: 'payout',
          objectId: '31',
          objectName: 'acme',
          before: null,
          after: { run: '2', received: '1.50' },
        }),
        entry('6', { objectType: 'connection', objectId: '3', objectName: '', before: null, after: null }),
        entry('7', {
          objectType: 'number_request',
          objectId: '5',
          objectName: '',
          before: null,
          after: null,
        }),
      ],
    },
  })
  await screen.findAllByText('User: suspend')
  const cells = () =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map((row) =>
        within(row)
          .getAllByRole('cell')
          .map(({ textContent }) => textContent)
          .slice(1, 5),
      )
  expect(cells()).toEqual([
    ['admin', 'User: suspend', 'user client42', 'Status: active → suspended'],
    ['admin', 'Setting: change', 'setting who may sign up', 'open → closed'],
    ['System, for run 2', 'Payout: book transfer', 'payout #31 acme', 'Payment run: 2, received: 1.50'],
    ['admin', 'User: suspend', 'connection 3', '–'],
    ['admin', 'User: suspend', 'number request 5', '–'],
  ])
  const leadsTo = (name: string) => screen.getAllByRole('link', { name })[0]?.getAttribute('href')
  expect(leadsTo('admin')).toBe('/users/1')
  expect(leadsTo('client42')).toBe('/users/42')
  expect(leadsTo('who may sign up')).toBe('/admin-settings?tab=settings&find=registration')
  expect(leadsTo('5')).toBe('/number-requests?status=all')
  expect(leadsTo('System, for run 2')).toBe('/payment-management?tab=runs&run=2')
  // It is gone, so nothing is there to lead to.
  expect(screen.queryByRole('link', { name: '3' })).toBeNull()
})

test('fields have their names in words, and times are in the form and zone of the reader', async () => {
  setReaderFormats({ timeZone: 'America/New_York', numberFormat: 'comma' })
  onTestFinished(() => setReaderFormats())
  const after = {
    max_connections: 5,
    startsAt: '2026-11-02T02:00:00.000Z',
    day: '2026-11-02',
    odd_thing: true,
  }
  const changed = entry('9', { before: null, after })
  renderApp(<AuditPage />, { url: '/audit?open=9', answers: { ...answers, 'GET /api/audit': [changed] } })
  const drawer = within(await screen.findByRole('dialog', { name: 'Entry 9' }))
  expect(drawer.getAllByRole('row').map((row) => row.textContent)).toEqual([
    'FieldBeforeAfter',
    'Max. connections–5',
    'Starts–01/11/2026 21:00:00',
    'Day–02/11/2026',
    'odd_thing–true',
  ])
})

test('filters are sent to the server and kept in the address', async () => {
  const { requests, address } = renderApp(<AuditPage />, { url: '/audit', answers })
  await screen.findAllByText('User: suspend')
  await userEvent.selectOptions(screen.getByLabelText('Action'), 'cycle.close')
  await userEvent.type(screen.getByLabelText('Search'), 'anna')
  await expect.poll(() => address()).toContain('search=anna')
  expect(address()).toContain('action=cycle.close')
  expect(screen.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
    '/api/audit/export?search=anna&action=cycle.close',
  )
  await expect
    .poll(() =>
      requests.some(({ query }) => query.get('action') === 'cycle.close' && query.get('search') === 'anna'),
    )
    .toBe(true)
})

test('a change of many rows is undone from an entry of it, as long as it can be', async () => {
  const change = { after: { status: 'suspended', change: '12' } }
  const { requests } = renderApp(<AuditPage />, {
    url: '/audit-log?open=9',
    answers: {
      ...answers,
      'GET /api/audit': [entry('9', { ...change, isUndoable: true }), entry('8', change)],
      'POST /api/user-changes/12/undo': { restoredCount: 2, leftCount: 1 },
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Undo this change' }))
  const question = within(await screen.findByRole('alertdialog', { name: 'Undo change 12?' }))
  await userEvent.click(question.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('2 are as before. 1 changed since and left alone.')).toBeDefined()
  expect(requests.some(({ path }) => path === '/api/user-changes/12/undo')).toBe(true)
  await userEvent.keyboard('j')
  const old = within(await screen.findByRole('dialog', { name: 'Entry 8' }))
  expect(old.queryByRole('button', { name: 'Undo this change' })).toBeNull()
})

test('an entry of a change of many rows leads to all entries of it', async () => {
  const { requests } = renderApp(<AuditPage />, {
    url: '/audit-log?open=9&changeId=12',
    answers: {
      ...answers,
      'GET /api/audit': [entry('9', { after: { status: 'suspended', change: '12' } })],
    },
  })
  const link = await screen.findByRole('link', { name: 'All entries of change 12' })
  expect(link.getAttribute('href')).toBe('/audit-log?changeId=12')
  expect(requests.some(({ query }) => query.get('changeId') === '12')).toBe(true)
})

test('the log is newest first, and sorted by who did it when that head is pressed', async () => {
  const { requests } = renderApp(<AuditPage />, { url: '/audit', answers })
  await userEvent.click(await screen.findByRole('button', { name: 'Who' }))
  await expect
    .poll(() =>
      requests
        .filter(({ path }) => path === '/api/audit')
        .map(({ query }) => `${query.get('sort')} ${query.get('order')}`),
    )
    .toEqual(['at desc', 'actor asc'])
  expect(screen.getByRole('columnheader', { name: 'From' }).querySelector('button')).toBeNull()
})

test.each([
  [{ isIntact: true, count: 1234, brokenId: null }, 'The audit log is intact', '1,234 entries checked'],
  [{ isIntact: false, count: 12, brokenId: '7' }, 'The audit log was altered', 'The chain breaks at entry 7'],
])('the check of the chain says what it found: %o', async (found, title, text) => {
  renderApp(<AuditPage />, { answers: { ...answers, 'GET /api/audit/verify': found } })
  await userEvent.click(await screen.findByRole('button', { name: 'Check the chain' }))
  expect((await screen.findAllByText(title)).length).toBeGreaterThan(0)
  expect(screen.getAllByText(text).length).toBeGreaterThan(0)
})

test('a check or a list that fails says why', async () => {
  renderApp(<AuditPage />, {
    answers: {
      ...answers,
      'GET /api/audit': () => refusal(500, { code: 'internal', message: 'Something broke.' }),
      'GET /api/audit/verify': () => refusal(500, { code: 'internal', message: 'Could not read it.' }),
    },
  })
  expect(await screen.findByText('Failed to fetch the audit log')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Check the chain' }))
  expect((await screen.findAllByText('Failed to check the audit log')).length).toBeGreaterThan(0)
})

test('no entries under the filters offers to reset them', async () => {
  const { address } = renderApp(<AuditPage />, {
    url: '/audit?action=user.suspend',
    answers: { ...answers, 'GET /api/audit': [] },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Reset filters' }))
  await expect.poll(() => address()).not.toContain('action=')
})

test('the signed head is there to be copied, with the fingerprint of its key', async () => {
  renderApp(<AuditPage />, { answers })
  expect(await screen.findByText('Entry 9, ', { exact: false })).toBeDefined()
  expect(screen.getByText('00aa 11bb 22cc 33dd')).toBeDefined()
  expect(screen.getByText(/^1,234 entries/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Copy signed line' }))
  expect(await navigator.clipboard.readText()).toBe(whole.head?.line)
  expect(screen.getByRole('link', { name: 'Export for checking' }).getAttribute('href')).toBe(
    '/api/audit/chain',
  )
  expect(screen.queryByRole('alert')).toBeNull()
})

test('the place of the signed head is kept while it is on its way; a failure says why', async () => {
  let answer: (state: unknown) => void = () => undefined
  const waiting = new Promise((resolve) => {
    answer = resolve
  })
  const { container } = renderApp(<AuditPage />, {
    answers: { ...answers, 'GET /api/audit/state': () => waiting },
  })
  await screen.findAllByText('User: suspend')
  expect(container.querySelectorAll('[data-skeleton]')).toHaveLength(1)
  answer(refusal(403, { code: 'forbidden', message: 'This is for admins.' }))
  expect(await screen.findByText('Failed to check the audit log')).toBeDefined()
  expect(screen.getByText('This is for admins.')).toBeDefined()
})

test('before anything was published or checked the page says so', async () => {
  const nothing = { ...whole, checkedAt: null, checkedCount: 0, head: null }
  renderApp(<AuditPage />, { answers: { ...answers, 'GET /api/audit/state': nothing } })
  expect(await screen.findAllByText('Not yet')).toHaveLength(3)
})

test('a break is shown as an alert, and acknowledged with a reason', async () => {
  const broken = { id: '7', kind: 'missing' as const, foundAt: '2026-11-02T10:05:00.000Z' }
  let state: AuditState = { ...whole, broken }
  const { requests } = renderApp(<AuditPage />, {
    answers: {
      ...answers,
      'GET /api/audit/state': () => state,
      'POST /api/audit/acknowledge': () => (state = whole),
    },
  })
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toContain('Entries before entry 7 were removed.')
  await userEvent.click(within(alert).getByRole('button', { name: 'Acknowledge' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Acknowledge the break' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Acknowledge' }))
  expect(await dialog.findByText('Enter the reason')).toBeDefined()
  await userEvent.type(dialog.getByLabelText('Reason'), 'Restored from the backup of Monday.')
  await userEvent.click(dialog.getByRole('button', { name: 'Acknowledge' }))
  await expect.poll(() => screen.queryByRole('alert')).toBeNull()
  expect(requests.find(({ path }) => path === '/api/audit/acknowledge')?.body).toEqual({
    brokenId: '7',
    reason: 'Restored from the backup of Monday.',
  })
})

test('a setting is named as on its page, in the language of the reader', async () => {
  await readHebrew()
  const changed = entry('9', {
    action: 'setting.change',
    objectType: 'setting',
    objectId: 'treasury_addresses',
  })
  renderApp(<AuditPage />, {
    url: '/audit-log?open=9',
    answers: { ...answers, 'GET /api/audit': [changed], 'GET /api/audit/9': changed },
  })
  const drawer = await screen.findByRole('dialog')
  expect(within(drawer).getByText(/כתובות ארנק החברה$/)).toBeDefined()
  expect(screen.getAllByText(/כתובות ארנק החברה/)).toHaveLength(2)
})

test('the check of the chain is busy until it is done, and is not begun twice', async () => {
  let end = () => {}
  const checked = new Promise((resolve) => {
    end = () => resolve({ isIntact: true, count: 9, brokenId: null })
  })
  const { requests } = renderApp(<AuditPage />, {
    url: '/audit',
    answers: { ...answers, 'GET /api/audit/verify': () => checked },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Check the chain' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Checking...' }))
  end()
  expect((await screen.findAllByText('The audit log is intact')).length).toBeGreaterThan(0)
  expect(await screen.findByRole('button', { name: 'Check the chain' })).toBeDefined()
  expect(requests.filter(({ path }) => path === '/api/audit/verify')).toHaveLength(1)
})
