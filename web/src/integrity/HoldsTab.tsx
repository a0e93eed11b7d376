import { Link } from '@tanstack/react-router'
import {
  holdRoutes,
  holdsPerCallMax,
  type HoldRecord,
  type Hold,
} from '@tollgate/contract/integrity/integrity.ts'
import { holdStatuses, type HoldAction } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { urlOf } from '../api/call.ts'
import { useUser } from '../api/session.tsx'
import { useApiPages } from '../api/use-api.ts'
import { formatDateTime, formatDay, formatSecond } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { formatSentences } from '../format/sentences.ts'
import { moneyPollMs } from '../money/queries.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { statusLook } from '../ui/status.ts'
import { actionsColumn, type Column, subject } from '../ui/table/column.ts'
import type { UrlState } from '../url-state.ts'
import { Amount } from '../money/cells.tsx'
import { askedText, DecideHoldsDialog, sumOfHolds } from './DecideHoldsDialog.tsx'
import { MoneyList } from '../money/MoneyList.tsx'
import { RuleCases } from './RuleCases.tsx'
import type { HoldsSearch } from './search.ts'
import { linkName } from '../ui/link-name.ts'
import { t } from '../language/t.ts'

const statusLabel = (status: string) =>
  status === 'all' ? t('Decided, too') : statusLook('hold', status).label

interface HoldDecision {
  readonly action: HoldAction
  readonly holds: readonly Hold[]
}

interface HoldsTabProps {
  readonly url: UrlState<HoldsSearch>
  /** Only those of one client, or on one number. */
  readonly of?: { readonly userId?: number; readonly numberId?: string }
}

/** The holds: each held record beside the one that it may repeat. */
export function HoldsTab({ url, of = {} }: HoldsTabProps) {
  const { held: search, hold: status, holdSort: sort, holdOrder: order } = url.state
  const { username } = useUser()
  const filters = { ...of, search, status: status === 'all' ? undefined : status }
  const list = useApiPages(
    holdRoutes.listHolds,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [deciding, setDeciding] = useState<HoldDecision>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const columns = useMemo(
    () => holdColumns(username, (action, hold) => setDeciding({ action, holds: [hold] })),
    [username, setDeciding],
  )
  const chosen = (list.rows ?? []).filter(({ id, status: now }) => now === 'open' && selected.has(id))
  return (
    <div className="space-y-8">
      {of.numberId === undefined && <RuleCases userId={of.userId} />}
      <MoneyList
        url={url}
        names={{ search: 'held', status: 'hold', sort: 'holdSort', order: 'holdOrder' }}
        placeholder={t('Search by client or number...')}
        statuses={holdStatuses}
        statusLabel={statusLabel}
        label={t('Held for review')}
        storageName="holds"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={(hold) =>
          t('{number} of {userName}, hold {id}', {
            number: formatPhone(hold.number),
            userName: hold.userName,
            id: hold.id,
          })
        }
        loadingLabel={t('Loading what is held...')}
        selection={{
          ids: selected,
          onChange: setSelected,
          summary: chosen.length > 0 && formatUsdt(sumOfHolds(chosen)),
          actions: <BulkActions chosen={chosen} onAction={setDeciding} />,
        }}
        failure={t('Failed to fetch what is held')}
        exportHref={urlOf(holdRoutes.exportHolds, { query: filters })}
        empty={{
          title: t('Nothing is held'),
          text: t(
            'A message that comes again after its answer was lost is held here, and not paid until it is released.',
          ),
          filtered: t('No hold matches'),
        }}
      />
      {deciding && (
        <DecideHoldsDialog
          {...deciding}
          onClose={() => setDeciding(undefined)}
          onDecided={() => setSelected(new Set())}
        />
      )}
    </div>
  )
}

function BulkActions({
  chosen,
  onAction,
}: {
  chosen: readonly Hold[]
  onAction: (deciding: HoldDecision) => void
}) {
  const isNone = chosen.length === 0 || chosen.length > holdsPerCallMax
  return (
    <>
      {chosen.length > holdsPerCallMax && (
        <span className="text-ink-3">
          {t('At most {holdsPerCallMax} at once', { holdsPerCallMax: formatCount(holdsPerCallMax) })}
        </span>
      )}
      <Button size="sm" isDisabled={isNone} onClick={() => onAction({ action: 'release', holds: chosen })}>
        {t('Release ({count})', { count: chosen.length })}
      </Button>
      <Button
        size="sm"
        tone="danger"
        isDisabled={isNone}
        onClick={() => onAction({ action: 'confirm', holds: chosen })}
      >
        {t('Refuse ({count})', { count: chosen.length })}
      </Button>
    </>
  )
}

function holdColumns(
  viewer: string,
  onAction: (action: HoldAction, hold: Hold) => void,
): readonly Column<Hold>[] {
  return [
    {
      ...subject,
      id: 'number',
      header: t('Number'),
      sortBy: 'number',
      cell: ({ number, userName }) => (
        <span className="block">
          <span className="phone-number">{formatPhone(number)}</span>
          <span className="block max-w-40 truncate text-xs font-normal text-ink-3" title={userName}>
            {userName}
          </span>
        </span>
      ),
    },
    {
      id: 'amount',
      header: t('Amount'),
      sortBy: 'amount',
      align: 'right',
      card: 'end',
      cell: ({ amountUsd }) => <Amount value={amountUsd} />,
    },
    {
      id: 'record',
      stackUnder: 'number',
      header: t('Held'),
      sortBy: 'createdAt',
      cell: ({ records }) => <RecordCell record={records[0]} />,
    },
    {
      id: 'original',
      stackUnder: 'record',
      header: t('Repeats'),
      cell: ({ original }) => <RecordCell record={original} />,
    },
    {
      id: 'why',
      header: t('Why'),
      cell: ({ explanationWords }) => (
        <span className="block max-w-80 whitespace-normal sm:min-w-36">
          {formatSentences(explanationWords)}
        </span>
      ),
    },
    {
      id: 'status',
      stackUnder: 'amount',
      header: t('Status'),
      sortBy: 'status',
      cell: (hold) => <HoldState hold={hold} />,
    },
    actionsColumn((hold) =>
      hold.status === 'open' ? <HoldActions hold={hold} viewer={viewer} onAction={onAction} /> : null,
    ),
  ]
}

function RecordCell({ record }: { record: HoldRecord | null | undefined }) {
  if (record === null || record === undefined) return <span className="text-ink-3">–</span>
  return (
    <span className="block">
      <Link
        to={paths.records as string}
        search={{ open: record.messageId } as never}
        aria-label={linkName(
          `${formatDay(record.createdAt)} ${formatSecond(record.createdAt)}`,
          t('Record {messageId}', { messageId: record.messageId }),
        )}
        className="font-mono text-accent-ink underline underline-offset-2"
      >
        {formatDay(record.createdAt)} {formatSecond(record.createdAt)}
      </Link>
      <span className="block text-xs text-ink-3">
        {t('from')} <span className="phone-number">{formatPhone(record.sender)}</span>
      </span>
      <span className="block max-w-44 truncate text-xs text-ink-3" title={record.gateway}>
        {t('by {gateway}', { gateway: record.gateway })}
      </span>
    </span>
  )
}

function HoldState({ hold }: { hold: Hold }) {
  return (
    <span className="block">
      <StatusBadge kind="hold" status={hold.status} />
      {hold.asked && (
        <span className="block max-w-48 text-xs whitespace-normal text-ink-3">{askedText(hold.asked)}</span>
      )}
      {hold.decidedAt !== null && (
        <span className="block max-w-48 text-xs whitespace-normal text-ink-3">
          {hold.decidedBy || t('System')}, {formatDateTime(hold.decidedAt)}: {hold.decisionReason}
        </span>
      )}
    </span>
  )
}

interface HoldActionsProps {
  readonly hold: Hold
  readonly viewer: string
  readonly onAction: (action: HoldAction, hold: Hold) => void
}

/** The person who has requested a decision cannot be the second person. */
function HoldActions({ hold, viewer, onAction }: HoldActionsProps) {
  const name = t('{number} of {userName}', { number: formatPhone(hold.number), userName: hold.userName })
  const isRequestedByViewer = (action: HoldAction) =>
    hold.asked?.by === viewer && hold.asked.action === action
  return (
    <span className="inline-flex items-center justify-end gap-1">
      {!isRequestedByViewer('release') && (
        <Button
          size="sm"
          aria-label={t('Release {name}', { name })}
          onClick={() => onAction('release', hold)}
        >
          {t('Release')}
        </Button>
      )}
      {!isRequestedByViewer('confirm') && (
        <Button size="sm" aria-label={t('Refuse {name}', { name })} onClick={() => onAction('confirm', hold)}>
          {t('Refuse')}
        </Button>
      )}
    </span>
  )
}
