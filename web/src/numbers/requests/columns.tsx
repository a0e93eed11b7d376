import type { NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import {
  ownRequestTransitions,
  requestTransitions,
  type RequestAction,
} from '@tollgate/contract/vocabulary.ts'
import { Pencil, Undo2 } from 'lucide-react'
import { formatDateTime } from '../../format/dates.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { formatPhone } from '../../format/phone.ts'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { CountryCell, CutText } from '../cells.tsx'
import { PhoneNumber } from '../../ui/PhoneNumber.tsx'
import { formatVolume } from './RequestNumberDialog.tsx'
import { t } from '../../language/t.ts'

const dateColumn: Column<NumberRequest> = {
  id: 'createdAt',
  header: t('Date & Time'),
  sortBy: 'createdAt',
  card: 'fact',
  cell: (row) => formatDateTime(row.createdAt),
}

const resultColumn: Column<NumberRequest> = {
  id: 'result',
  header: t('Result'),
  cell: (row) => <Result row={row} />,
}

const shared: readonly Column<NumberRequest>[] = [
  {
    ...subject,
    id: 'details',
    header: t('Requested Details'),
    sortBy: 'requestedNumber',
    cell: (row) => <Details row={row} />,
  },
  { id: 'purpose', header: t('Business Purpose'), cell: (row) => <CutText value={row.businessPurpose} /> },
  {
    id: 'volume',
    stackUnder: 'purpose',
    header: t('Expected Volume'),
    sortBy: 'expectedVolume',
    cell: (row) => formatVolume(row.expectedVolume),
  },
  {
    id: 'status',
    header: t('Status'),
    sortBy: 'status',
    cell: (row) => <StatusBadge kind="numberRequest" status={row.status} />,
  },
]

export type OwnRequestAction = keyof typeof ownRequestTransitions

/** Spec §2, Your Number Requests: the table's columns, and what the requester may still do. */
export function ownColumns(
  onAction: (row: NumberRequest, action: OwnRequestAction) => void,
): readonly Column<NumberRequest>[] {
  return [
    dateColumn,
    ...shared,
    resultColumn,
    actionsColumn((row) => <OwnRequestActions row={row} onAction={onAction} />),
  ]
}

interface OwnRequestActionsProps {
  readonly row: NumberRequest
  readonly onAction: (row: NumberRequest, action: OwnRequestAction) => void
}

function OwnRequestActions({ row, onAction }: OwnRequestActionsProps) {
  const isOpen = (action: OwnRequestAction) => {
    const from: readonly string[] = ownRequestTransitions[action]
    return from.includes(row.status)
  }
  const name = row.requestedNumber === '' ? t('any available number') : formatPhone(row.requestedNumber)
  return (
    <span className="inline-flex gap-0.5">
      {isOpen('edit') && (
        <IconButton
          icon={Pencil}
          label={t('Change request for {name}', { name })}
          onClick={() => onAction(row, 'edit')}
        />
      )}
      {isOpen('withdraw') && (
        <IconButton
          icon={Undo2}
          label={t('Withdraw request for {name}', { name })}
          onClick={() => onAction(row, 'withdraw')}
        />
      )}
    </span>
  )
}

/** The requested number; without one, any available number. Spec §5. */
function Details({ row }: { row: NumberRequest }) {
  return (
    <span className="block whitespace-nowrap">
      {row.requestedNumber === '' ? t('Any available number') : <PhoneNumber value={row.requestedNumber} />}
      {row.preferredCountry !== '' && (
        <span className="block font-normal text-ink-2">
          <CountryCell country={row.preferredCountry} code={row.countryCode} />
        </span>
      )}
    </span>
  )
}

/** Spec §4: the result of a request as a text. */
function Result({ row }: { row: NumberRequest }) {
  if (row.status === 'assigned')
    return (
      <span>
        <PhoneNumber value={row.assignedNumber} />
        <span className="block text-ink-3">{formatDateTime(row.processedAt)}</span>
      </span>
    )
  // In full, since the requester came to read it.
  if (row.status === 'rejected')
    return <span className="block max-w-72 min-w-48 whitespace-normal">{row.rejectionReason}</span>
  if (row.status === 'withdrawn')
    return (
      <span className="text-ink-3">
        {t('Withdrawn {processedAt}', { processedAt: formatDateTime(row.processedAt) })}
      </span>
    )
  return (
    <span className="text-ink-3">
      {row.status === 'approved' ? t('Approved - Number being assigned') : t('Under review')}
    </span>
  )
}

const actions = [
  { action: 'approve', label: t('Approve') },
  { action: 'assign', label: t('Assign') },
  { action: 'reject', label: t('Reject') },
] as const satisfies readonly { action: RequestAction; label: string }[]

/** Whether the current status of the request allows the action. */
export function isOpenTo(row: NumberRequest, action: RequestAction): boolean {
  const from: readonly string[] = requestTransitions[action]
  return from.includes(row.status)
}

/** A row as Copy Selected puts it on the clipboard. */
export function requestLine(row: NumberRequest): readonly string[] {
  return [
    formatDateTime(row.createdAt),
    row.userName,
    row.requestedNumber === '' ? '' : `+${row.requestedNumber}`,
    row.preferredCountry,
    row.businessPurpose,
    row.expectedVolume,
    row.status,
    row.assignedNumber === '' ? row.rejectionReason : `+${row.assignedNumber}`,
  ]
}

/** The columns of the queue: the requester, the request, and its actions or result. */
export function queueColumns(
  onAction: (row: NumberRequest, action: RequestAction) => void,
): readonly Column<NumberRequest>[] {
  return [
    { ...dateColumn, stackUnder: 'user' },
    {
      id: 'user',
      header: t('User'),
      sortBy: 'userName',
      cell: (row) => <span title={row.userEmail}>{row.userName}</span>,
    },
    ...shared,
    actionsColumn((row) => <RequestActions row={row} onAction={onAction} />),
  ]
}

interface RequestActionsProps {
  readonly row: NumberRequest
  readonly onAction: (row: NumberRequest, action: RequestAction) => void
}

/** The actions that the status allows, or the result when there are none. */
function RequestActions({ row, onAction }: RequestActionsProps) {
  const open = actions.filter(({ action }) => isOpenTo(row, action))
  if (open.length === 0) return <Result row={row} />
  return (
    <span className="inline-flex gap-1">
      {open.map(({ action, label }) => (
        <Button
          key={action}
          size="sm"
          tone={action === 'reject' ? 'ghost' : 'secondary'}
          aria-label={t('{label} request of {userName}', { label, userName: row.userName })}
          onClick={() => onAction(row, action)}
        >
          {label}
        </Button>
      ))}
    </span>
  )
}
