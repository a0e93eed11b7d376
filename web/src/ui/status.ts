// The status icon, colour and label of each state: the table of visual language §5.
import type { StatusShape, Tone } from './StatusIcon.tsx'
import { t } from '../language/t.ts'

export interface StatusLook {
  readonly tone: Tone
  readonly icon: StatusShape
  readonly label: string
}

function look(tone: Tone, icon: StatusShape, label: string): StatusLook {
  return { tone, icon, label }
}

const failed = look('bad', 'x', t('Failed'))
const account = {
  active: look('ok', 'check', t('Active')),
  suspended: look('bad', 'pause', t('Suspended')),
  inactive: look('idle', 'minus', t('Inactive')),
  waiting: look('warn', 'ring', t('Waiting')),
}
const bill = {
  paid: look('ok', 'check', t('Paid')),
  pending: look('info', 'half', t('Pending')),
  sent_to_support: look('warn', 'sent', t('Sent to Support')),
  failed,
  withheld: look('warn', 'pause', t('Withheld')),
  void: look('idle', 'minus', t('Void')),
  no_bill: look('idle', 'minus', t('No bill')),
}
const gatewayUnknown = look('idle', 'dash', t('Not known'))

const looks = {
  /** A record's status, and the client's report. */
  record: {
    completed: look('ok', 'check', t('Completed')),
    reported: look('ok', 'dcheck', t('Reported')),
    in_progress: look('info', 'half', t('In Progress')),
    pending: look('warn', 'ring', t('Pending')),
    no_report: look('warn', 'dash', t('No Report')),
    failed,
  },
  /** The network's report of a record: without one, which is the usual case, nothing is wrong. */
  networkReport: {
    no_report: look('idle', 'dash', t('No Report')),
    enroute: look('info', 'half', t('Enroute')),
    accepted: look('info', 'half', t('Accepted')),
    delivered: look('ok', 'dcheck', t('Delivered')),
    expired: look('bad', 'x', t('Expired')),
    deleted: look('bad', 'x', t('Deleted')),
    undeliverable: look('bad', 'x', t('Undeliverable')),
    rejected: look('bad', 'x', t('Rejected')),
  },
  /** The dashboard's names of record states. */
  activity: {
    delivered: look('ok', 'check', t('Delivered')),
    pending: look('warn', 'ring', t('Pending')),
    failed,
  },
  /** Ranges, numbers and users. */
  account,
  /** A billing period as its client sees it. */
  billing: bill,
  /** A billing period on Payment Management: the same state reads as work to do. */
  billingManagement: { ...bill, sent_to_support: look('warn', 'sent', t('Ready for Payment')) },
  /** The last closed bill in the Current Period card. */
  currentBill: { ...bill, sent_to_support: look('warn', 'sent', t('Bill Sent to Support')) },
  payment: {
    confirmed: look('ok', 'check', t('Confirmed')),
    pending: look('warn', 'ring', t('Pending')),
    failed,
  },
  paymentCheck: {
    verified: look('ok', 'check', t('verified')),
    confirming: look('info', 'half', t('confirming')),
    underpaid: look('warn', 'ring', t('underpaid')),
    overpaid: look('warn', 'ring', t('overpaid')),
    rejected: look('bad', 'x', t('rejected')),
    unverified: look('idle', 'dash', t('unverified')),
  },
  numberRequest: {
    assigned: look('ok', 'check', t('Assigned')),
    approved: look('info', 'half', t('Approved - Number being assigned')),
    pending: look('warn', 'ring', t('Under review')),
    rejected: look('bad', 'x', t('Rejected')),
    withdrawn: look('idle', 'minus', t('Withdrawn')),
  },
  connection: {
    connected: look('ok', 'check', t('Connected')),
    connecting: look('info', 'half', t('Connecting')),
    error: look('bad', 'x', t('Error')),
    authentication_failed: look('bad', 'x', t('Authentication Failed')),
    disconnected: look('idle', 'minus', t('Disconnected')),
  },
  endpoint: {
    active: account.active,
    active_failing: look('bad', 'x', t('Active, failing')),
    maintenance: look('warn', 'ring', t('Maintenance')),
    inactive: account.inactive,
  },
  worker: {
    running: look('ok', 'check', t('Running')),
    error: look('bad', 'x', t('Error')),
    stopped: look('idle', 'pause', t('Stopped')),
    unknown: look('idle', 'dash', t('Unknown')),
  },
  inventory: {
    available: look('ok', 'check', t('Available')),
    assigned: look('info', 'half', t('Assigned')),
    suspended: look('bad', 'pause', t('Suspended')),
  },
  payout: {
    completed: look('ok', 'check', t('Completed')),
    pending: look('warn', 'ring', t('Pending')),
  },
  gateway: {
    gateway_online: look('ok', 'check', t('Gateway Online')),
    online: look('ok', 'check', t('Online')),
    gateway_offline: look('bad', 'x', t('Gateway Offline')),
    offline: look('bad', 'x', t('Offline')),
    unknown: gatewayUnknown,
  },
  hold: {
    open: look('warn', 'ring', t('Open')),
    released: look('ok', 'check', t('Released')),
    confirmed: look('bad', 'x', t('Refused')),
  },
  adjustment: {
    posted: look('ok', 'check', t('Posted')),
    pending: look('warn', 'ring', t('Awaits approval')),
    rejected: look('bad', 'x', t('Rejected')),
  },
  paymentRun: {
    draft: look('warn', 'ring', t('Awaits approval')),
    approved: look('info', 'half', t('Approved')),
    exported: look('warn', 'sent', t('With the wallet')),
    closed: look('ok', 'check', t('Closed')),
    cancelled: look('idle', 'minus', t('Cancelled')),
  },
  /** What is next for a bill or payout that is not settled. */
  payable: {
    pay: look('warn', 'sent', t('Can be paid')),
    approve: look('warn', 'ring', t('Awaits approval')),
    confirming: look('info', 'half', t('Looked up on chain')),
    in_run: look('info', 'half', t('In a payment run')),
    decide: look('warn', 'ring', t('Surplus to decide on')),
    stopped: look('idle', 'pause', t('Withheld or amended')),
    parked: look('bad', 'x', t('Account parked')),
    no_address: look('idle', 'dash', t('No address yet')),
    not_yet: look('idle', 'minus', t('Waiting time')),
  },
  /** A transfer that a payment run asks for. */
  runLine: {
    paid: look('ok', 'check', t('Paid')),
    sent: look('info', 'half', t('Looked up')),
    partly_paid: look('warn', 'ring', t('Partly paid')),
    waiting: look('idle', 'dash', t('Not seen')),
  },
  /** A transfer that left our wallets. */
  transfer: {
    booked: look('ok', 'check', t('Booked')),
    waiting: look('info', 'half', t('Awaits approval')),
    open: look('warn', 'ring', t('No debt known')),
    explained: look('idle', 'minus', t('Explained')),
  },
} as const satisfies Record<string, Record<string, StatusLook>>

/** The kinds of objects with a state. */
export type StatusKind = keyof typeof looks

// Spec §4: an unknown worker state shows as Unknown; §3: another payout value counts as a failure.
const unknownLooks: Partial<Record<StatusKind, (word: string) => StatusLook>> = {
  worker: () => looks.worker.unknown,
  gateway: () => gatewayUnknown,
  payout: (word) => look('bad', 'x', capitalised(word)),
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/**
 * The look of a state. `word` is the API's value ("no_report") or the label ("No Report"). Spec §4: any other value is
 * grey, with the first letter capitalised.
 */
export function statusLook(kind: StatusKind, word: string): StatusLook {
  const table: Record<string, StatusLook> = looks[kind]
  const key = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const known = Object.hasOwn(table, key) ? table[key] : undefined
  return (
    known ?? unknownLooks[kind]?.(word) ?? look('idle', 'minus', capitalised(word === '' ? 'unknown' : word))
  )
}

/** All known states of a kind, for the gallery and tests. */
export function knownStatuses(kind: StatusKind): readonly string[] {
  return Object.keys(looks[kind])
}

/** All kinds of objects with a state. */
export const statusKinds = Object.keys(looks) as readonly StatusKind[]
