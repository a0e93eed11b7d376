// Where each alert is fixed: one main step, and perhaps a second look.
import type { Alert } from '@tollgate/contract/alerts/alerts.ts'
import { isPermitted, type Role } from '@tollgate/contract/vocabulary.ts'
import { objectPath, paths, recordsPath } from '../paths.ts'
import { t } from '../language/t.ts'

export type Fix =
  | { readonly kind: 'link'; readonly label: string; readonly to: string }
  | { readonly kind: 'add_number'; readonly label: string; readonly number: string }
  | {
      readonly kind: 'send_now'
      readonly label: string
      readonly endpointId: string
      readonly deliveryId: string
    }

const link = (label: string, path: string, search: Readonly<Record<string, string>> = {}): Fix => {
  const query = new URLSearchParams(search).toString()
  return { kind: 'link', label, to: query === '' ? path : `${path}?${query}` }
}

/** The fixes that the role may use, the main one first. */
export function fixesOf(alert: Alert, role: Role): readonly Fix[] {
  return byKind[alert.kind](alert.about, isPermitted(role, 'smppControl'))
}

type About = Alert['about']

const recorder = (flight: string) =>
  link(t('Open the recorder'), paths.smppControl, { tab: 'connections', flight })
const account = (userId: string) => link(t('Open the account'), objectPath('person', userId))
const money = (label: string, tab: string, search: Readonly<Record<string, string>> = {}) =>
  link(label, paths.paymentManagement, tab === '' ? search : { tab, ...search })

// With a second argument: whether the role may see PDUs.
const byKind: Readonly<Record<Alert['kind'], (about: About, mayRecord: boolean) => readonly Fix[]>> = {
  // These are mended on the machine.
  disk: () => [],
  backup: () => [],
  replica: () => [],
  certificate: () => [],
  refused_number({ number, reason }) {
    if (number === undefined) return []
    return reason === 'suspended'
      ? [link(t('Open the number'), paths.numbersManagement, { search: number })]
      : [{ kind: 'add_number', label: t('Add this number'), number }]
  },
  refused_traffic({ reason, userId, connectionId }, mayRecord) {
    const isLimit = reason === 'throttled' || reason === 'window_exceeded'
    const open =
      userId !== undefined
        ? [account(userId)]
        : connectionId === undefined
          ? []
          : [link(t('Open the connection'), objectPath('connection', connectionId))]
    const flight =
      userId !== undefined
        ? `bind-${userId}`
        : connectionId === undefined
          ? undefined
          : `connection-${connectionId}`
    const record = mayRecord && flight !== undefined ? [recorder(flight)] : []
    return isLimit ? [...open, ...record] : [...record, ...open]
  },
  refused_bind({ systemId, address, userId }, mayRecord) {
    const open = userId === undefined ? [] : [account(userId)]
    if (!mayRecord || address === undefined) return open
    const flight = systemId === undefined || systemId === '' ? `address-${address}` : `refused-${systemId}`
    return [...open, recorder(flight)]
  },
  connection: ({ connectionId }) => [
    connectionId === undefined
      ? link(t('Open connections'), paths.interconnectionApi, { tab: 'connections' })
      : link(t('Open the connection'), objectPath('connection', connectionId)),
  ],
  endpoint({ endpointId, deliveryId }) {
    const open =
      endpointId === undefined
        ? link(t('Open endpoints'), paths.interconnectionApi, { tab: 'endpoints' })
        : link(t('Open the endpoint'), objectPath('endpoint', endpointId))
    return endpointId === undefined || deliveryId === undefined
      ? [open]
      : [{ kind: 'send_now', label: t('Send now'), endpointId, deliveryId }, open]
  },
  cdr_file: ({ scheduleId = '' }) => [link(t('Open its files'), paths.cdrFiles, { open: scheduleId })],
  provider({ way, providerId }) {
    if (providerId === undefined) return [link(t('Open providers'), paths.httpProviders)]
    const label = way === 'dead_letters' ? t('Open dead letters') : t('Open the provider')
    return [link(label, objectPath('provider', providerId))]
  },
  silence: (about, mayRecord) => [...messages(about), ...pdus(about, mayRecord)],
  burst: (about, mayRecord) => [...messages(about), ...pdus(about, mayRecord)],
  parked_account: ({ username = '' }) => [
    money(t('Open its bills'), '', { view: 'bills', billText: username }),
  ],
  cycle: ({ username = '' }) => [money(t('Open bills'), '', { view: 'bills', billText: username })],
  wallet: () => [money(t('Match transfers'), 'history', { list: 'unmatched' })],
  late_payment: ({ username = '' }) => [
    money(t('Pay its bills'), '', { payableText: username }),
    link(t('Balances'), paths.books, { show: 'owed' }),
  ],
  approval: ({ way = '', runId = '' }) => [approvalPlaces[way]?.(runId) ?? money(t('Open'), '')],
  sign_up: () => [link(t('Decide'), paths.users)],
  number_request: () => [link(t('Answer'), paths.numberRequests)],
}

/** Where those decide who are asked as a second person, by what is waiting. */
const approvalPlaces: Readonly<Record<string, (runId: string) => Fix>> = {
  settings: () => link(t('Open settings'), paths.adminSettings, { tab: 'settings' }),
  factors: () => link(t('Open users'), paths.users),
  payments: () => money(t('Open'), 'history', { payment: 'pending' }),
  amendments: () => money(t('Open'), '', { view: 'us' }),
  adjustments: () => link(t('Open'), paths.books, { tab: 'adjustments', adjustment: 'pending' }),
  runs: (run) => money(t('Open'), 'runs', { run }),
  transfers: () => money(t('Open'), 'history', { list: 'transfers', transfer: 'waiting' }),
  cases: () => money(t('Open'), 'review'),
}

function messages({ supplier, range, client, number }: About): readonly Fix[] {
  if (number !== undefined)
    return [{ kind: 'link', label: t('See its messages'), to: recordsPath({ number }) }]
  if (client !== undefined)
    return [{ kind: 'link', label: t('See its messages'), to: recordsPath({ client }) }]
  if (supplier !== undefined)
    return [{ kind: 'link', label: t('See its messages'), to: recordsPath({ gateway: supplier }) }]
  return range === undefined
    ? []
    : [{ kind: 'link', label: t('See its messages'), to: recordsPath({ range }) }]
}

function pdus({ userId }: About, mayRecord: boolean): readonly Fix[] {
  return mayRecord && userId !== undefined ? [recorder(`bind-${userId}`)] : []
}
