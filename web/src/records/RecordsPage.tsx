import { recordsRoutes, type RecordFilters, type SmsRecord } from '@tollgate/contract/records/records.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { ArrowUp, Copy, Download } from 'lucide-react'
import { useMemo, useState, type ComponentProps } from 'react'
import { urlOf } from '../api/call.ts'
import { useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { useFeedState } from '../api/use-feed.ts'
import { formatAge } from '../format/dates.ts'
import { formatCount, formatShekels, formatUsd } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { ExportSelected } from '../api/ExportSelected.tsx'
import { CsvLink } from '../ui/ExportCsv.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { SelectField, TextField } from '../ui/Field.tsx'
import { LiveBadge } from '../ui/LiveBadge.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { TableSort } from '../ui/table/column.ts'
import { SortMenu } from '../ui/table/TableBar.tsx'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import { phoneQuery, useMediaQuery } from '../ui/use-media-query.ts'
import { useNow } from '../ui/use-now.ts'
import { urlSelect, useUrlState, type UrlState } from '../url-state.ts'
import { recordColumns } from './columns.tsx'
import { copyRecords } from './copy-records.ts'
import { describeFilters } from './filter-chips.ts'
import { useLivePaths, useLiveRecords, type LiveRecords } from './queries.ts'
import { RecordFilterBar } from './RecordFilterBar.tsx'
import { RefusedMessages } from './RefusedMessages.tsx'
import { recordsSearch, toFilters, type RecordsSearch } from './search.ts'
import { statusOptions } from './status-options.ts'
import { useUnfreezeOnScroll, useRowFreeze } from './use-row-freeze.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'

const RecordDrawer = lazyComponent(() => import('./RecordDrawer.tsx'), 'RecordDrawer')
const ExportRecordsDialog = lazyComponent(() => import('./ExportRecordsDialog.tsx'), 'ExportRecordsDialog')
const RecordReport = lazyComponent(() => import('./RecordReport.tsx'), 'RecordReport')
const GroupReport = lazyComponent(() => import('./GroupReport.tsx'), 'GroupReport')

type SelectedRecords = ReadonlyMap<string, SmsRecord>

/** All records, live. */
export function RecordsPage() {
  const url = useUrlState(recordsSearch)
  const { state, set } = url
  const filters = useMemo(() => toFilters(state), [state])
  const { role } = useUser()
  const isPhone = useMediaQuery(phoneQuery)
  const [picked, setPicked] = useState<SelectedRecords>(new Map())
  const gate = useRowFreeze()
  const list = useLiveRecords(filters, { order: state.order, isOpen: gate.isOpen })
  useUnfreezeOnScroll(gate, list.release)
  const totals = useApiQuery(recordsRoutes.summariseRecords, { query: filters })
  useLivePaths(livePaths)
  const exportUrl = urlOf(recordsRoutes.exportRecords, { query: filters })
  const withoutReceiver = useUnreached()
  const columns = useMemo(
    () =>
      recordColumns({
        onDetails: ({ id }) => set({ open: id }, true),
        onReport: ({ id }) => set({ print: id }, true),
        isEarnedShown: role === 'user',
        isOfOneClient: role === 'user',
        withoutReceiver,
      }),
    [set, role, withoutReceiver],
  )
  const pickedIds = new Set(picked.keys())
  const pick = (ids: ReadonlySet<string>) => {
    const rows = new Map(list.rows?.map((row) => [row.id, row]))
    setPicked(
      new Map(
        [...ids].flatMap((id): [string, SmsRecord][] => {
          const row = rows.get(id) ?? picked.get(id)
          return row ? [[id, row]] : []
        }),
      ),
    )
  }
  const showNew = () => {
    gate.toTop()
    list.release()
  }
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <PageHeader title={t('SMS Records')} actions={<RecordsHeaderActions exportUrl={exportUrl} />}>
        {orderWords[state.order]}
      </PageHeader>
      <RecordFilterBar url={url} sort={<Order rows={list.rows} columns={columns} {...byTime(url)} />} />
      <RefusedMessages filters={filters} />
      <div {...gate.propsFor(list.release)} className="relative">
        {isPhone && <NewPill list={list} onShow={showNew} />}
        <DataTable
          label={t('SMS Records')}
          storageName="sms-records"
          columns={columns}
          rows={list.rows}
          rowId={rowId}
          rowLabel={rowLabel}
          {...orderIn(isPhone, url)}
          more={list}
          newIds={list.newIds}
          openId={state.open}
          onOpen={({ id }) => set({ open: id }, true)}
          loadingLabel={t('Loading SMS records...')}
          {...(!isPhone && {
            title: <QuickFilters url={url} />,
            actions: <BarActions url={url} list={list} onShow={showNew} />,
          })}
          selection={{
            ids: pickedIds,
            onChange: pick,
            summary: (
              <>
                <span className="text-ink-2">{formatShekels(sumOfBills([...picked.values()]))}</span>
                {!isPhone && <NewButton list={list} onShow={showNew} />}
              </>
            ),
            actions: (
              <>
                <Button
                  {...(isPhone ? { tone: 'primary' as const } : { size: 'sm' as const })}
                  icon={Copy}
                  onClick={() => void copyRecords([...picked.values()])}
                >
                  {t('Copy Selected ({count})', { count: formatCount(picked.size) })}
                </Button>
                <ExportSelected route={recordsRoutes.exportChosenRecords} ids={pickedIds} />
              </>
            ),
          }}
          {...(list.error && {
            failure: <FetchFailure of={list} title={t('Failed to fetch SMS records')} />,
          })}
          empty={<NoRecords isFiltered={isFiltered} onReset={url.reset} />}
          foot={
            <>
              <span className="flex flex-wrap gap-x-6 gap-y-1 max-sm:gap-x-4">
                <Total label={t('Total Records')} value={formatCount(totals.data?.count)} />
                <Total label={t('Selected')} value={formatCount(picked.size)} />
                <Total label={t('Total Bill Amount')} value={formatShekels(totals.data?.bill)} />
                <Total label={t('Total Earned')} value={formatUsd(totals.data?.amountUsd)} />
              </span>
              {totals.error && (
                <Button size="sm" tone="ghost" onClick={() => void totals.refetch()}>
                  {t('Totals failed. Try again')}
                </Button>
              )}
              <ExportActions exportUrl={exportUrl} filters={filters} totals={totals.data} ids={pickedIds} />
            </>
          }
        />
      </div>
      {state.open !== '' && (
        <RecordDrawer id={state.open} rows={list.rows ?? []} count={totals.data?.count} url={url} />
      )}
      {state.print !== '' && <RecordReport id={state.print} onClose={() => set({ print: '' })} />}
      {state.report !== 'none' && (
        <GroupReport
          filters={filters}
          description={describeFilters(url)}
          groupBy={state.report}
          onGroup={(report) => set({ report })}
          onOpen={(line) => set({ ...line, report: 'none' }, true)}
          onClose={() => set({ report: 'none' })}
        />
      )}
    </>
  )
}

/** The clients that nothing can be handed on to. */
const useUnreached = () => useApiQuery(recordsRoutes.listRecordFilters).data?.withoutReceiver

// The totals and the report change with every record.
const livePaths = [recordsRoutes.summariseRecords.path, recordsRoutes.reportRecords.path]
const orderWords = {
  desc: t('Every accepted message part, newest first'),
  asc: t('Every accepted message part, oldest first'),
}

/** The order by time of receipt; new rows come on top when it is the newest first. */
function byTime({ state: { order }, set }: UrlState<RecordsSearch>) {
  return {
    sort: { by: 'createdAt', order },
    onSort: (sort: TableSort) => set({ order: sort.order }),
  }
}
/** On a phone it is chosen beside the filters. */
const orderIn = (isPhone: boolean, url: UrlState<RecordsSearch>) => (isPhone ? {} : byTime(url))

/** An empty list has no order. */
function Order({ rows, ...menu }: ComponentProps<typeof SortMenu> & Pick<LiveRecords, 'rows'>) {
  return rows?.length === 0 ? null : <SortMenu {...menu} />
}
const rowId = ({ id }: SmsRecord) => id
const rowLabel = ({ phoneNumber }: SmsRecord) => formatPhone(phoneNumber)

function sumOfBills(rows: readonly SmsRecord[]): string {
  return formatMicro(
    rows.reduce((sum, { bill }) => sum + (parseMicro(bill) ?? 0n), 0n),
    2,
  )
}

function RecordsHeaderActions({ exportUrl }: { exportUrl: string }) {
  const { state, lastAt } = useFeedState()
  const now = useNow()
  return (
    <>
      <LiveBadge state={state} age={lastAt === undefined ? undefined : formatAge(lastAt, now)} />
      <CsvLink href={exportUrl} download="sms-records.csv" className={buttonClass()}>
        <Download size={16} strokeWidth={1.6} aria-hidden="true" />
        <span className="max-sm:sr-only">{t('Export')}</span>
      </CsvLink>
    </>
  )
}

interface ExportActionsProps {
  readonly exportUrl: string
  readonly filters: RecordFilters
  readonly totals: { readonly count: number } | undefined
  readonly ids: ReadonlySet<string>
}

/** Below the list: its export as it stands, and the choice of another form. */
function ExportActions({ exportUrl, totals, ...rest }: ExportActionsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <span className="ms-auto flex flex-wrap gap-2">
      <CsvLink href={exportUrl} download="sms-records.csv" className={buttonClass('secondary', 'sm')}>
        {t('Export CSV')}
      </CsvLink>
      <Button size="sm" onClick={() => setOpen(true)}>
        {t('Format and Columns')}
      </Button>
      {isOpen && <ExportRecordsDialog {...rest} count={totals?.count} onClose={() => setOpen(false)} />}
    </span>
  )
}

function NoRecords({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  return (
    <EmptyState
      title={t('Showing 0 out of 0 SMS records.')}
      action={isFiltered && <Button onClick={onReset}>{t('Reset filters')}</Button>}
    >
      {t('No records found for the selected criteria.')}
    </EmptyState>
  )
}

/** Applies at once, without the Search Query button. */
function QuickFilters({ url }: { url: UrlState<RecordsSearch> }) {
  const [text, setText] = useDebounced(url.state.search, (search) => url.set({ search }))
  const { status } = url.state
  return (
    <div className="flex items-center gap-2 font-normal">
      <TextField
        label={t('Search number, client or sender')}
        isLabelHidden
        type="search"
        placeholder={t('Search number, client or sender')}
        value={text}
        maxLength={100}
        onChange={(event) => setText(event.target.value)}
        fieldClassName="w-64"
      />
      <SelectField
        label={t('Status')}
        isLabelHidden
        options={statusOptions(status)}
        {...urlSelect(url, 'status')}
        fieldClassName="w-36"
      />
    </div>
  )
}

interface NewProps {
  readonly list: LiveRecords
  readonly onShow: () => void
}

function BarActions({ url, ...rest }: NewProps & { url: UrlState<RecordsSearch> }) {
  return (
    <>
      <NewButton {...rest} />
      <SavedViews page="sms-records" current={url.changed} onApply={url.apply} />
    </>
  )
}

function newWords({ waitingCount, isBehind }: LiveRecords): string | undefined {
  if (waitingCount > 0) return t('{count} new', { count: formatCount(waitingCount) })
  return isBehind ? t('Show newest') : undefined
}

/** Shows the rows that wait because of the pointer or the scroll position. */
function NewButton({ list, onShow }: NewProps) {
  const words = newWords(list)
  return (
    <span role="status">
      {words !== undefined && (
        <Button size="sm" tone="primary" icon={ArrowUp} onClick={onShow}>
          {words}
        </Button>
      )}
    </span>
  )
}

/** The same on a phone: it floats beside the sort above the list, then over the cards, so that they do not move. */
function NewPill(props: NewProps) {
  return (
    <div className="pointer-events-none sticky top-31 z-10 grid h-0 justify-end">
      <div className="pointer-events-auto -translate-y-15">
        <NewButton {...props} />
      </div>
    </div>
  )
}
