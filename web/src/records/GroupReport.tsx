import { recordsRoutes, type RecordFilters, type reportGroups } from '@tollgate/contract/records/records.ts'
import { Download, Printer } from 'lucide-react'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay, formatEdge } from '../format/dates.ts'
import {
  formatAmountFigure,
  formatCount,
  formatShare,
  formatShekels,
  unknownFigure,
} from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { saveCsv } from '../ui/save-csv.ts'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { statusLook } from '../ui/status.ts'
import { useNow } from '../ui/use-now.ts'
import { PrintSheet } from '../ui/PrintSheet.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import type { RecordsSearch } from './search.ts'
import { t } from '../language/t.ts'

type ReportGroup = (typeof reportGroups)[number]

const words: Record<ReportGroup, string> = {
  day: t('Day'),
  client: t('Client'),
  range: t('Range'),
  gateway: t('Gateway'),
  status: t('Status'),
}
const groups = Object.entries(words).map(([value, label]) => ({ value: value as ReportGroup, label }))

interface GroupReportProps {
  readonly filters: RecordFilters
  /** What the filters say, as a text. */
  readonly description: string
  readonly groupBy: ReportGroup
  readonly onGroup: (group: ReportGroup) => void
  /** Leads to the records of a line. */
  readonly onOpen: (filters: LineFilters) => void
  readonly onClose: () => void
}

/** Show Report: all records that match the filters, grouped, with totals. */
export function GroupReport({ filters, description, groupBy, onGroup, onOpen, onClose }: GroupReportProps) {
  const report = useApiQuery(recordsRoutes.reportRecords, { query: { ...filters, groupBy } })
  const totals = useApiQuery(recordsRoutes.summariseRecords, { query: filters })
  const now = useNow(60_000)
  const of = { groupBy, totals: totals.data, description }
  const { data } = report
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('SMS Records Report')}
      description={description}
      width="lg"
      closeLabel={t('Close')}
      isFullOnPhone
      action={
        <>
          <Button
            icon={Download}
            isDisabled={!data || data.length === 0}
            onClick={() => data && saveReport(data, groupBy)}
          >
            {t('Export CSV')}
          </Button>
          <Button tone="primary" icon={Printer} isDisabled={!data} onClick={() => window.print()}>
            {t('Print')}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div className="overflow-x-auto">
          <Segmented label={t('Group by')} value={groupBy} onChange={onGroup} options={groups} />
        </div>
        {report.error && <FetchFailure of={report} title={t('Failed to fetch the report')} />}
        {!report.error &&
          (data ? (
            <ReportTable {...of} rows={data} onOpen={onOpen} isUtc={filters.zone === undefined} />
          ) : (
            <Skeleton className="h-48 w-full" />
          ))}
      </div>
      {data && (
        <PrintSheet title={t('SMS Records Report')}>
          <p className="pb-3">
            {t('{filters}. Grouped by: {group}. As of {time} UTC.', {
              filters: description,
              group: words[groupBy],
              time: formatEdge(now),
            })}
          </p>
          <ReportTable {...of} rows={data} />
        </PrintSheet>
      )}
    </Dialog>
  )
}

/** The filters of SMS Records that a line of the report adds. */
type LineFilters = Partial<
  Pick<RecordsSearch, 'dateFrom' | 'dateTo' | 'zone' | 'client' | 'range' | 'gateway' | 'status' | 'unowned'>
>

/** Undefined for records without a range or gateway, which no filter finds. */
function filtersOf(group: string, groupBy: ReportGroup, isUtc: boolean): LineFilters | undefined {
  if (groupBy === 'day') return { dateFrom: group, dateTo: group, ...(isUtc && { zone: 'UTC' }) }
  if (group === '') return groupBy === 'client' ? { unowned: 'true' } : undefined
  return { [groupBy]: group }
}

function saveReport(rows: readonly ReportRow[], groupBy: ReportGroup): void {
  saveCsv(
    `sms-records-by-${groupBy}.csv`,
    [words[groupBy], t('Records'), t('Bill'), t('Client earns, USD')].map((head) => `"${head}"`).join(),
    rows.map(({ group, count, bill, amountUsd }) => [group, count, bill, amountUsd]),
  )
}

function formatGroup(group: string, groupBy: ReportGroup): string {
  if (group === '') return groupBy === 'client' ? t('Nobody held the number') : unknownFigure
  if (groupBy === 'day') return formatDay(group)
  return groupBy === 'status' ? statusLook('record', group).label : group
}

interface ReportRow {
  readonly group: string
  readonly count: number
  readonly bill: string
  readonly amountUsd: string
}

interface ReportTableProps {
  readonly rows: readonly ReportRow[]
  readonly groupBy: ReportGroup
  readonly totals: Omit<ReportRow, 'group'> | undefined
  readonly description: string
  /** Its days are those of UTC. */
  readonly isUtc?: boolean
  /** Not on paper. */
  readonly onOpen?: GroupReportProps['onOpen']
}

function ReportTable({ rows, groupBy, totals, description, isUtc = false, onOpen }: ReportTableProps) {
  if (rows.length === 0)
    return (
      <EmptyState title={t('Showing 0 out of 0 SMS records.')}>
        {t('No records found for the selected criteria.')}
      </EmptyState>
    )
  const all = rows.reduce((sum, { count }) => sum + count, 0)
  const head = 'border-b border-line py-1.5 ps-4 text-end text-xs font-medium text-ink-3'
  const cell = 'border-b border-line py-1.5 ps-4 text-end whitespace-nowrap'
  const foot =
    'border-t-3 border-double border-line-strong py-2 ps-4 text-end font-semibold whitespace-nowrap'
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-separate border-spacing-0">
        <caption className="sr-only">{description}</caption>
        <thead>
          <tr>
            <th scope="col" className={`${head} ps-0! text-start!`}>
              {words[groupBy]}
            </th>
            <th scope="col" className={head}>
              {t('Records')}
            </th>
            <th scope="col" className={`${head} max-sm:hidden`}>
              {t('Share')}
            </th>
            <th scope="col" className={head}>
              {t('Bill')}
            </th>
            <th scope="col" className={head}>
              {t('Client earns, USD')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.group}>
              <th scope="row" className="border-b border-line py-1.5 text-start font-normal">
                <GroupName
                  name={formatGroup(row.group, groupBy)}
                  filters={filtersOf(row.group, groupBy, isUtc)}
                  onOpen={onOpen}
                />
              </th>
              <td className={cell}>{formatCount(row.count)}</td>
              <td className={`${cell} text-ink-3 max-sm:hidden`}>{formatShare(row.count / all)}</td>
              <td className={cell}>{formatShekels(row.bill)}</td>
              <td className={cell}>{formatAmountFigure(row.amountUsd)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" className={`${foot} ps-0! text-start!`}>
              {t('Total')}
            </th>
            <td className={foot}>{formatCount(totals?.count)}</td>
            <td className={`${foot} max-sm:hidden`} />
            <td className={foot}>{formatShekels(totals?.bill)}</td>
            <td className={foot}>{formatAmountFigure(totals?.amountUsd)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

interface GroupNameProps {
  readonly name: string
  readonly filters: LineFilters | undefined
  readonly onOpen: GroupReportProps['onOpen'] | undefined
}

/** The name of a line, which leads to its records. */
function GroupName({ name, filters, onOpen }: GroupNameProps) {
  if (!filters || !onOpen) return name
  return (
    <button
      type="button"
      onClick={() => onOpen(filters)}
      className="min-h-6 rounded-xs text-start text-accent-ink underline underline-offset-2"
    >
      {name}
    </button>
  )
}
