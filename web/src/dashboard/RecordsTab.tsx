import { recordsRoutes, type SmsRecord } from '@tollgate/contract/records/records.ts'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { urlOf } from '../api/call.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { paths } from '../paths.ts'
import { useLiveRecords } from '../records/queries.ts'
import { TestMark } from '../records/TestMark.tsx'
import { CsvLink } from '../ui/ExportCsv.tsx'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { classNames } from '../ui/class-names.ts'
import { SelectField, TextField } from '../ui/Field.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import type { UrlState } from '../url-state.ts'
import type { dashboardSearch } from './search.ts'
import type { z } from 'zod'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { urlSelect } from '../url-state.ts'
import { t } from '../language/t.ts'

type DashboardSearch = z.output<typeof dashboardSearch>

// Spec §9: first 10 records.
const rowsShown = 10
const statusOptions: readonly { value: DashboardSearch['status']; label: string }[] = [
  { value: 'all', label: t('All Statuses') },
  { value: 'delivered', label: t('Delivered') },
  { value: 'pending', label: t('Pending') },
  { value: 'failed', label: t('Failed') },
]

/** Spec §2, Records: search, status, Export CDR and the first 10 records. */
export function RecordsTab({ url }: { url: UrlState<DashboardSearch> }) {
  const { search, status } = url.state
  const [text, setText] = useDebounced(search, (typed) => url.set({ search: typed }))
  // Spec §7: the dashboard sends only search and status, status omitted when 'all'.
  const filters = useMemo(
    () => ({ ...(search !== '' && { search }), ...(status !== 'all' && { status }) }),
    [search, status],
  )
  const isHovered = useRef(false)
  const list = useLiveRecords(filters, { limit: 20, isOpen: () => !isHovered.current })
  const rows = list.rows?.slice(0, rowsShown)
  return (
    <Card
      isFlush
      title={t('SMS Records')}
      aside={
        list.waitingCount > 0 ? (
          <Button size="sm" onClick={list.release}>
            {t('{waitingCount} new', { waitingCount: formatCount(list.waitingCount) })}
          </Button>
        ) : undefined
      }
      foot={
        <Link
          to={paths.records as string}
          search={filters as never}
          className="font-medium text-accent-ink hover:underline"
        >
          {t('All of them in SMS Records')}
        </Link>
      }
    >
      <div role="search" className="flex flex-wrap items-end gap-2 border-b border-line px-4 py-3">
        <TextField
          label={t('Search')}
          type="search"
          placeholder={t('Number, client or sender')}
          value={text}
          maxLength={100}
          onChange={(event) => setText(event.target.value)}
          fieldClassName="grow basis-48 sm:max-w-80"
        />
        <SelectField
          label={t('Status')}
          options={statusOptions}
          {...urlSelect(url, 'status')}
          fieldClassName="basis-36 max-sm:grow"
        />
        <CsvLink
          href={urlOf(recordsRoutes.exportRecords, { query: filters })}
          download="sms-records.csv"
          className={classNames(buttonClass(), 'sm:ms-auto')}
        >
          <Download size={16} strokeWidth={1.6} aria-hidden="true" />
          {t('Export CDR')}
        </CsvLink>
      </div>
      <div
        onPointerEnter={({ pointerType }) => {
          isHovered.current = pointerType === 'mouse'
        }}
        onPointerLeave={() => {
          isHovered.current = false
          list.release()
        }}
      >
        {list.error ? (
          <FetchFailure of={list} title={t('Failed to fetch records')} />
        ) : (
          <RecordList
            rows={rows}
            newIds={list.newIds}
            isFiltered={url.state.search !== '' || status !== 'all'}
          />
        )}
      </div>
    </Card>
  )
}

interface RecordListProps {
  readonly rows: readonly SmsRecord[] | undefined
  readonly newIds: ReadonlySet<string>
  readonly isFiltered: boolean
}

function RecordList({ rows, newIds, isFiltered }: RecordListProps) {
  if (!rows)
    return (
      <div role="status" aria-label={t('Loading SMS records...')} className="space-y-4 p-4">
        {Array.from({ length: 5 }, (_, index) => (
          <Skeleton key={index} className="w-full" />
        ))}
      </div>
    )
  if (rows.length === 0)
    return (
      <EmptyState title={t('No SMS records found')}>
        {isFiltered
          ? t('No record matches the search and status. Change them to see others.')
          : t('Premium SMS traffic will appear here once providers connect')}
      </EmptyState>
    )
  return (
    <ul>
      {rows.map((record) => (
        <li
          key={record.id}
          className={classNames('border-b border-line last:border-b-0', newIds.has(record.id) && 'new-row')}
        >
          <Link
            to={paths.records as string}
            search={{ open: record.id } as never}
            className="flex min-h-13 items-center justify-between gap-4 px-4 py-2 -outline-offset-2 hover:bg-surface-3"
          >
            <span className="min-w-0">
              <span className="block truncate font-medium">{record.name || t('SMS Record')}</span>
              <span className="text-ink-3">
                <span className="phone-number text-ink-2">{formatPhone(record.phoneNumber)}</span>
                <span className="max-sm:hidden"> · {formatDateTime(record.createdAt)}</span>
              </span>
            </span>
            <span className="flex items-center gap-1.5">
              <TestMark record={record} />
              <StatusBadge kind="record" status={record.status} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
