// Six dialogs over lists that are read anew while they are open, and one form: what somebody else saves meanwhile is not
// overwritten. Those of users, ranges and numbers are tested on their pages.
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent, { PointerEventsCheckLevel } from '@testing-library/user-event'
import type { CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import type { LegalEntity } from '@tollgate/contract/invoices/invoices.ts'
import type { AlertRule } from '@tollgate/contract/alerts/alerts.ts'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EntityCard } from './invoices/EntityCard.tsx'
import { CdrFilesPage } from './cdr/CdrFilesPage.tsx'
import { ConnectionOverview } from './connections/ConnectionOverview.tsx'
import { useConnections } from './gateway/queries.ts'
import { EndpointPage } from './objects/EndpointPage.tsx'
import { ProviderPage } from './objects/ProviderPage.tsx'
import { objectPath, objectPaths } from './paths.ts'
import { refusal, type ApiRequest, type ApiStubs } from './testing/api-stub.ts'
import { connectedLink } from './testing/connections.ts'
import { someEndpoint, someProvider } from './testing/objects.ts'
import { renderApp } from './testing/render.tsx'
import { AlertsPage } from './alerts/AlertsPage.tsx'

const at = '2026-11-19T14:00:00.000Z'
const schedule: CdrSchedule = {
  id: '3',
  name: 'acme',
  every: 'hour',
  format: 'csv',
  columns: 'messageId,createdAt',
  client: null,
  gateway: null,
  destination: { type: 'folder', path: 'acme' },
  hasSecret: false,
  isPaused: false,
  nextAt: at,
  waiting: 0,
  failing: null,
  lastDelivered: null,
  version: 4,
  createdAt: at,
}
const rule: AlertRule = {
  id: '5',
  name: 'Pager',
  kinds: [],
  minSeverity: 'critical',
  threshold: 1,
  scope: null,
  scopeName: '',
  forMinutes: 5,
  repeatMinutes: 0,
  inConsole: true,
  mailTo: ['ops@example.org'],
  endpointId: null,
  endpointName: '',
  quietFrom: '',
  quietTo: '',
  timeZone: 'UTC',
  isOn: true,
  version: 3,
  openCount: 0,
}

interface Edit {
  readonly page: ReactNode
  readonly url: string
  readonly row: { readonly id: string; readonly name: string; readonly version: number }
  /** The call that reads the list; the call that saves is below it. */
  readonly list: string
  readonly answerOf?: (row: object) => unknown
  readonly more?: ApiStubs
  /** What somebody else changes, and the field that shows it. */
  readonly others: object
  readonly field: string
  readonly shown: string
  readonly save?: string
  /** Where Edit stands in a drawer, which a click on the row opens. */
  readonly isInDrawer?: boolean
  /** On the page of the thing itself: where its id stands in the address. */
  readonly path?: string
}

function PolledConnection() {
  const connection = useConnections().data?.[0]
  return connection ? <ConnectionOverview connection={connection} /> : null
}

const links = { list: '/api/smpp-connections', row: connectedLink }
const edits: Readonly<Record<string, Edit>> = {
  'a connection on its page': {
    ...links,
    page: <PolledConnection />,
    url: '/',
    path: '/',
    others: { host: 'new.example.org' },
    field: 'Host',
    shown: 'new.example.org',
  },
  'an endpoint': {
    page: <EndpointPage />,
    url: objectPath('endpoint', someEndpoint.id),
    path: objectPaths.endpoint,
    row: someEndpoint,
    list: '/api/endpoints',
    more: { 'GET /api/endpoints/3/deliveries': [] },
    others: { endpoint: 'https://new.example.org/hook' },
    field: 'Endpoint URL',
    shown: 'https://new.example.org/hook',
  },
  'a provider': {
    page: <ProviderPage />,
    url: objectPath('provider', someProvider.id),
    path: objectPaths.provider,
    row: someProvider,
    list: '/api/providers',
    others: { apiUrl: 'https://new.example.org/records' },
    field: 'API URL',
    shown: 'https://new.example.org/records',
    save: 'Save Configuration',
  },
  'a CDR schedule': {
    page: <CdrFilesPage />,
    url: '/cdr-files',
    row: schedule,
    list: '/api/cdr-schedules',
    answerOf: (row) => ({ canUseFolders: true, schedules: [row] }),
    more: { 'GET /api/cdr-schedules/3/files': [] },
    others: { destination: { type: 'folder', path: 'new' } },
    field: 'Folder below CDR_DIR',
    shown: 'new',
    isInDrawer: true,
  },
  'an alert rule': {
    page: <AlertsPage />,
    url: '/alerts?tab=rules',
    row: rule,
    list: '/api/alert-rules',
    answerOf: (row) => ({ rules: [row], hasMail: true }),
    others: { mailTo: ['new@example.org'] },
    field: 'Mail To',
    shown: 'new@example.org',
  },
}

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }))
afterEach(() => void vi.useRealTimers())

/** Opens the dialog, and lets somebody else save the same row; returns the dialog and the versions that it sends. */
async function editUnderSomebodyElse({
  page,
  url,
  path,
  row,
  list,
  answerOf = (one) => [one],
  ...edit
}: Edit) {
  const user = userEvent.setup({
    advanceTimers: (ms) => vi.advanceTimersByTime(ms),
    // The drawer below a dialog lets go of the pointer only some time after.
    pointerEventsCheck: PointerEventsCheckLevel.Never,
  })
  let stored = row
  const versions: unknown[] = []
  renderApp(page, {
    url,
    ...(path !== undefined && { path }),
    answers: {
      'GET /api/endpoints': [],
      'GET /api/suppliers/alias': { chosen: '', shown: '' },
      'GET /api/alert-rules/fitting': { count: null, since: null },
      ...edit.more,
      [`GET ${list}`]: () => answerOf(stored),
      [`PUT ${list}/${row.id}`]: ({ body }: ApiRequest) => {
        const { version } = body as { version: unknown }
        versions.push(version)
        return version === stored.version
          ? stored
          : refusal(409, { code: 'stale', message: 'Somebody changed this in the meantime.' })
      },
    },
  })
  if (edit.isInDrawer) await user.click(await screen.findByText(row.name))
  const isAlone = edit.isInDrawer === true || path !== undefined
  await user.click(await screen.findByRole('button', { name: isAlone ? 'Edit' : `Edit ${row.name}` }))
  const dialog = within(await screen.findByRole('dialog', { name: `Edit ${row.name}` }))
  await user.type(dialog.getByLabelText('Name'), '2')
  stored = { ...row, ...edit.others, version: row.version + 1 }
  await act(() => vi.advanceTimersByTimeAsync(11_000))
  const save = () => user.click(dialog.getByRole('button', { name: edit.save ?? 'Save' }))
  return { user, dialog, versions, save }
}

test.each(Object.entries(edits))(
  'an edit of %s that somebody else saved meanwhile overwrites nothing, and can take the saved values',
  async (_, edit) => {
    const { version } = edit.row
    const { user, dialog, versions, save } = await editUnderSomebodyElse(edit)
    await save()
    expect(await dialog.findByText('Somebody else changed this meanwhile')).toBeTruthy()
    expect((dialog.getByLabelText('Name') as HTMLInputElement).value).toBe(`${edit.row.name}2`)
    await user.click(await dialog.findByRole('button', { name: 'Load the saved values' }))
    expect(dialog.queryByText('Somebody else changed this meanwhile')).toBeNull()
    expect((dialog.getByLabelText('Name') as HTMLInputElement).value).toBe(edit.row.name)
    expect((dialog.getByLabelText(edit.field) as HTMLInputElement).value).toBe(edit.shown)
    await save()
    await waitFor(() => expect(versions).toEqual([version, version + 1]))
  },
)

test('the legal entity of a client keeps what was typed when staff saved it meanwhile', async () => {
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) })
  let stored: LegalEntity = {
    legalName: 'Ada Premium Ltd',
    addressLines: ['1 Long Street'],
    country: 'CY',
    taxNumber: '',
    latinName: '',
    latinAddressLines: [],
    version: 7,
    savedBy: 'client3',
    savedAt: at,
  }
  const path = '/api/billing/legal-entity'
  const versions: unknown[] = []
  renderApp(<EntityCard />, {
    answers: {
      [`GET ${path}`]: () => stored,
      [`PUT ${path}`]: ({ body }: ApiRequest) => {
        const typed = body as LegalEntity
        versions.push(typed.version)
        if (typed.version !== stored.version)
          return refusal(409, { code: 'stale', message: 'Somebody changed this in the meantime.' })
        return (stored = { ...stored, ...typed, version: stored.version + 1 })
      },
    },
  })
  const name = () => screen.getByLabelText<HTMLInputElement>('Legal Name')
  const save = () => user.click(screen.getByRole('button', { name: 'Save Legal Entity' }))
  await screen.findByLabelText('Legal Name')
  // The DOM of tests lets no form of a page preset a select.
  await user.selectOptions(screen.getByLabelText('Country'), 'CY')
  await user.type(name(), ' 2')
  stored = { ...stored, legalName: 'Ada Mobile Ltd', version: 8 }
  await save()
  await screen.findByText('Somebody else changed this meanwhile')
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(name().value).toBe('Ada Premium Ltd 2')
  await user.click(screen.getByRole('button', { name: 'Load the saved values' }))
  expect(screen.queryByText('Somebody else changed this meanwhile')).toBeNull()
  expect(name().value).toBe('Ada Mobile Ltd')
  for (const version of [8, 9]) {
    await user.type(name(), '!')
    await save()
    await waitFor(() => expect(versions.at(-1)).toBe(version))
    await waitFor(() => expect(stored.version).toBe(version + 1))
    await act(() => vi.advanceTimersByTimeAsync(1_000))
  }
  expect(versions).toEqual([7, 8, 9])
  expect(name().value).toBe('Ada Mobile Ltd!!')
})
