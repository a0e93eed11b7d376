import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useRef } from 'react'
import { useUser } from '../api/session.tsx'
import { useFeedState } from '../api/use-feed.ts'
import { formatAge, formatSecond } from '../format/dates.ts'
import { unknownFigure } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { paths } from '../paths.ts'
import { useLiveRecords } from '../records/queries.ts'
import { TestMark } from '../records/TestMark.tsx'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { classNames } from '../ui/class-names.ts'
import { LiveBadge } from '../ui/LiveBadge.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { useNow } from '../ui/use-now.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'

const rowsShown = 7
const noFilters = {}

/** The newest records, live. Under the pointer the rows stay, and the count of waiting ones is shown. */
export function LatestRecords() {
  const isHovered = useRef(false)
  const list = useLiveRecords(noFilters, { limit: 20, isOpen: () => !isHovered.current })
  const rows = list.rows?.slice(0, rowsShown)
  return (
    <Card
      isFlush
      title={
        <span className="flex items-center gap-2">
          {t('Latest records')} <FeedBadge />
        </span>
      }
      aside={
        <span className="flex items-center gap-3">
          <span role="status">
            {list.waitingCount > 0 && (
              <Button size="sm" onClick={list.release}>
                {t('{waitingCount} new', { waitingCount: list.waitingCount })}
              </Button>
            )}
          </span>
          <Link to={paths.records as string} className="inline-flex items-center gap-1 hover:text-ink">
            {t('SMS Records')}
            <ChevronRight size={15} strokeWidth={1.6} aria-hidden="true" />
          </Link>
        </span>
      }
    >
      {rows === undefined ? (
        list.error ? (
          <FetchFailure of={list} title={t('Failed to fetch records')} />
        ) : (
          <Skeleton className="m-4 h-56" />
        )
      ) : rows.length === 0 ? (
        <EmptyState title={t('No SMS records found')}>
          {t('Premium SMS traffic will appear here once providers connect')}
        </EmptyState>
      ) : (
        <ol
          onPointerEnter={({ pointerType }) => {
            isHovered.current = pointerType === 'mouse'
          }}
          onPointerLeave={() => {
            isHovered.current = false
            list.release()
          }}
        >
          {rows.map((record) => (
            <RecordRow key={record.id} record={record} isNew={list.newIds.has(record.id)} />
          ))}
        </ol>
      )}
    </Card>
  )
}

function FeedBadge() {
  const { state, lastAt } = useFeedState()
  const now = useNow()
  return (
    <span className="text-sm font-normal">
      <LiveBadge state={state} age={lastAt === undefined ? undefined : formatAge(lastAt, now)} />
    </span>
  )
}

function RecordRow({ record, isNew }: { record: SmsRecord; isNew: boolean }) {
  const { role } = useUser()
  return (
    <li className={classNames('border-b border-line last:border-b-0', isNew && 'new-row')}>
      <Link
        to={paths.records as string}
        search={{ open: record.id } as never}
        className="grid min-h-(--row) grid-cols-[4.5rem_minmax(0,1fr)_auto] items-center gap-x-4 px-4 -outline-offset-2 hover:bg-surface-3 sm:grid-cols-[4.5rem_minmax(9.5rem,2fr)_minmax(0,1fr)_7rem] xl:grid-cols-[5rem_3.5rem_minmax(9.5rem,2fr)_minmax(0,1fr)_minmax(0,1fr)_7rem]"
      >
        <span className="font-mono text-ink-3">{formatSecond(record.createdAt)}</span>
        <span className="max-xl:hidden">{record.range || unknownFigure}</span>
        <span className="flex min-w-0 items-center gap-1.5">
          <span className="phone-number truncate">{formatPhone(record.phoneNumber)}</span>
          <TestMark record={record} />
        </span>
        {/* A client knows its own name. */}
        <span className="truncate max-sm:hidden">
          {role === 'user' ? record.gateway : record.client || unknownFigure}
        </span>
        {role !== 'user' && <span className="truncate text-ink-2 max-xl:hidden">{record.gateway}</span>}
        <span className="col-end-[-1] justify-self-end">
          <StatusBadge kind="record" status={record.status} />
        </span>
      </Link>
    </li>
  )
}
