import { numberChangesRoutes } from '@tollgate/contract/numbers/bulk-changes.ts'
import { rangesRoutes } from '@tollgate/contract/numbers/ranges.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { Download, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useMatchingSelection, useOfferUndo } from '../../api/matching.tsx'
import { useUser } from '../../api/session.tsx'
import { SetMatchingStatus } from '../../api/SetMatchingStatus.tsx'
import { useApiQuery, useApiPages } from '../../api/use-api.ts'
import { formatCount, formatUsd, formatUsdt } from '../../format/money.ts'
import { CsvFormChoice, CsvLink } from '../../ui/ExportCsv.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { DataTable, Total } from '../../ui/table/DataTable.tsx'
import { useNow } from '../../ui/use-now.ts'
import { urlSelect, filterChips, quoted, urlSort, useUrlState } from '../../url-state.ts'
import { copyRows } from '../../ui/copy-rows.ts'
import { ExportSelected } from '../../api/ExportSelected.tsx'
import { ListFilters } from '../../ui/ListFilters.tsx'
import { RefusedRowsDialog, type RefusedRows } from '../../ui/RefusedRows.tsx'
import { rangeColumns, rangeLine, withRangeLabels, type RangeListRow } from './columns.tsx'
import { AddRangeDialog, DeleteRangeDialog, EditRangeDialog } from './RangeDialogs.tsx'
import { rangePaths } from '../queries.ts'
import { earningDays, EarningPeriodChoice, useRangeEarnings } from './earnings.tsx'
import { rangesSearch } from './search.ts'
import { updatedRanges, useSetRangeStatuses } from './set-statuses.ts'
import { SetStatusMenu, accountStatusFilterOptions, accountStatusLabel } from '../../ui/account-status.tsx'
import { CopySelected } from '../../ui/CopySelected.tsx'
import { failureOf } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

type RangeAction = { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly row: RangeListRow }

export function NumberRangesPage() {
  const isStaff = isPermitted(useUser().role, 'numbersManagement')
  const url = useUrlState(rangesSearch)
  const { search, status, sort, order, days: period } = url.state
  const filters = { search, status: status === 'all' ? undefined : status }
  const list = useApiPages(rangesRoutes.listRanges, { query: { ...filters, sort, order } })
  const summary = useApiQuery(rangesRoutes.summariseRanges, { query: filters })
  const earnings = useRangeEarnings(filters, earningDays(period, useNow(60_000)))
  const { total } = earnings
  const marked = useMatchingSelection(filters, isStaff ? summary.data?.count : undefined)
  const { selected, select, clear } = marked
  const offerUndo = useOfferUndo('numbers')
  const [dialog, setDialog] = useState<RangeAction>()
  const [refused, setRefused] = useState<RefusedRows>()
  const statuses = useSetRangeStatuses((left) => {
    setRefused(left)
    select(new Set(left?.rows.map(({ id }) => id)))
  })
  const columns = useMemo(
    () =>
      rangeColumns(
        isStaff
          ? {
              onEdit: (row) => setDialog({ kind: 'edit', row }),
              onDelete: (row) => setDialog({ kind: 'delete', row }),
            }
          : undefined,
        earnings,
      ),
    [isStaff, setDialog, earnings],
  )
  const rows = useMemo(() => withRangeLabels(list.rows), [list.rows])
  const chips = filterChips(url, { search: quoted, status: accountStatusLabel })
  const chosen = (rows ?? []).filter((row) => selected.has(row.id))
  const exportUrl = urlOf(rangesRoutes.exportRanges, { query: { ...filters, ...earnings.days } })
  // Each screen has one primary button: the one in its header.
  const addButton = (tone: 'primary' | 'secondary') =>
    isStaff && (
      <Button tone={tone} icon={Plus} onClick={() => setDialog({ kind: 'add' })}>
        {t('Add Range')}
      </Button>
    )
  return (
    <>
      <PageHeader
        title={t('Number Ranges')}
        actions={
          <>
            <CsvFormChoice />
            <CsvLink href={exportUrl} className={buttonClass()}>
              <Download size={16} strokeWidth={1.6} aria-hidden="true" />
              {t('Export')}
            </CsvLink>
            {addButton('primary')}
          </>
        }
      >
        {t('Blocks of numbers and what their callers pay')}
      </PageHeader>
      <ListFilters page="ranges" url={url} chips={chips} placeholder={t('Search by range, description...')}>
        <SelectField label={t('Status')} options={accountStatusFilterOptions} {...urlSelect(url, 'status')} />
      </ListFilters>
      <DataTable
        label={t('Number ranges')}
        storageName="ranges"
        title={<EarningPeriodChoice value={period} onChange={(next) => url.set({ days: next })} />}
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowLabel={(row) => row.label}
        loadingLabel={t('Loading ranges...')}
        {...urlSort(url)}
        more={list}
        selection={{
          ...marked.selection,
          actions: marked.isAllChosen ? (
            <SetMatchingStatus
              route={numberChangesRoutes.setMatchingRangeStatus}
              filters={filters}
              count={marked.count}
              countOf={(count) => t('{count} ranges', { count })}
              doneText={updatedRanges}
              effect={t('Their numbers go on taking messages.')}
              refetch={rangePaths}
              failure={t('Failed to update ranges')}
              offerUndo={offerUndo}
              onDone={clear}
            />
          ) : (
            <>
              {isStaff && (
                <SetStatusMenu
                  onSet={(next) => statuses.set(chosen, next)}
                  isBusy={statuses.isPending}
                  isDisabled={chosen.length < selected.size}
                />
              )}
              <CopySelected
                ids={selected}
                rows={chosen}
                onCopy={() => void copyRows(chosen.map((row) => rangeLine(row, earnings)))}
              />
              <ExportSelected
                route={rangesRoutes.exportChosenRanges}
                ids={selected}
                choices={earnings.days}
              />
            </>
          ),
        }}
        {...failureOf(list, t('Failed to fetch ranges'))}
        empty={
          <EmptyState
            title={t('No ranges found.')}
            action={
              chips.length > 0 ? (
                <Button onClick={url.reset}>{t('Reset filters')}</Button>
              ) : (
                addButton('secondary')
              )
            }
          />
        }
        foot={
          <>
            <Total label={t('Total Ranges')} value={formatCount(summary.data?.count)} />
            <Total label={t('Active Ranges')} value={formatCount(summary.data?.active)} />
            <Total label={t('Total Earned')} value={formatUsd(total?.amountUsd)} />
            {total?.margin != null && <Total label={t('Total Margin')} value={formatUsdt(total.margin)} />}
          </>
        }
      />
      <RangeDialog dialog={dialog} rows={rows ?? []} onClose={() => setDialog(undefined)} />
      {refused && <RefusedRowsDialog refused={refused} onClose={() => setRefused(undefined)} />}
    </>
  )
}

interface RangeDialogProps {
  readonly dialog: RangeAction | undefined
  readonly rows: readonly RangeListRow[]
  readonly onClose: () => void
}

function RangeDialog({ dialog, rows, onClose }: RangeDialogProps) {
  if (dialog === undefined) return null
  if (dialog.kind === 'add') return <AddRangeDialog onClose={onClose} />
  if (dialog.kind === 'delete') return <DeleteRangeDialog range={dialog.row} onClose={onClose} />
  const latest = rows.find((row) => row.id === dialog.row.id)
  return <EditRangeDialog opened={dialog.row} latest={latest} onClose={onClose} />
}
