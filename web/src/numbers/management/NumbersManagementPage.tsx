import { numberChangesRoutes } from '@tollgate/contract/numbers/bulk-changes.ts'
import { numbersRoutes, type PremiumNumber } from '@tollgate/contract/numbers/numbers.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useMatchingSelection, useOfferUndo } from '../../api/matching.tsx'
import { SetMatchingStatus } from '../../api/SetMatchingStatus.tsx'
import { useApiQuery, useApiPages } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { DataTable, Total } from '../../ui/table/DataTable.tsx'
import { urlSelect, filterChips, quoted, urlSort, useUrlState } from '../../url-state.ts'
import { copyRows } from '../../ui/copy-rows.ts'
import { ExportSelected } from '../../api/ExportSelected.tsx'
import { ListFilters } from '../../ui/ListFilters.tsx'
import { NumberViews } from '../NumberViews.tsx'
import { numberPaths, updatedText, useSetNumberStatuses } from '../queries.ts'
import { managementColumns, managementLine } from './columns.tsx'
import { HeaderActions } from './HeaderActions.tsx'
import { ImportHistory } from './ImportHistory.tsx'
import { ImportNumbersDialog } from './ImportNumbersDialog.tsx'
import { RowAct, type NumberAct } from '../number/NumberActs.tsx'
import { NumberDrawer } from '../number/NumberDrawer.tsx'
import { AddNumberDialog } from '../number/NumberForm.tsx'
import { numbersManagementSearch } from './search.ts'
import { useImportFile } from '../../api/use-import-file.tsx'
import { SetStatusMenu, accountStatusFilterOptions, accountStatusLabel } from '../../ui/account-status.tsx'
import { CopySelected } from '../../ui/CopySelected.tsx'
import { ExportCsv } from '../../ui/ExportCsv.tsx'
import { tableOf } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

export function NumbersManagementPage() {
  const url = useUrlState(numbersManagementSearch)
  const { search, status, country, sort, order } = url.state
  const filters = { search, status: status === 'all' ? undefined : status, country }
  const list = useApiPages(numbersRoutes.listPremiumNumbers, { query: { ...filters, sort, order } })
  const summary = useApiQuery(numbersRoutes.summarisePremiumNumbers, { query: filters })
  const chosen = useMatchingSelection(filters, summary.data?.count)
  const { selected, clear } = chosen
  const [dialog, setDialog] = useState<'add' | 'imports' | NumberAct>()
  const file = useImportFile()
  const columns = useMemo(() => managementColumns({ onAct: setDialog }), [setDialog])
  const close = () => setDialog(undefined)
  const chips = filterChips(url, { search: quoted, status: accountStatusLabel, country: (value) => value })
  return (
    <>
      <PageHeader
        title={t('Numbers Management')}
        actions={
          <HeaderActions
            onImport={file.open}
            onHistory={() => setDialog('imports')}
            onAdd={() => setDialog('add')}
          />
        }
      >
        {t('All premium numbers, where they are from and what their callers pay')}
      </PageHeader>
      <NumberViews />
      {file.input}
      <ListFilters
        page="numbers-management"
        url={url}
        chips={chips}
        placeholder={t('Number, country or description')}
      >
        <SelectField label={t('Status')} options={accountStatusFilterOptions} {...urlSelect(url, 'status')} />
        <SelectField
          label={t('Country')}
          options={countryOptions(summary.data?.countries ?? [], country)}
          {...urlSelect(url, 'country')}
        />
      </ListFilters>
      <DataTable
        label={t('Numbers')}
        storageName="numbers-management"
        columns={columns}
        rowId={(row) => row.id}
        rowLabel={(row) => formatPhone(row.number)}
        loadingLabel={t('Loading numbers...')}
        openId={url.state.open}
        onOpen={({ id }) => url.set({ open: id }, true)}
        {...urlSort(url)}
        selection={{
          ...chosen.selection,
          actions: chosen.isAllChosen ? (
            <MatchingNumbers filters={filters} count={chosen.count} onDone={clear} />
          ) : (
            <NumberBulkActions rows={list.rows ?? []} ids={selected} onDone={clear} />
          ),
        }}
        {...tableOf(list, t('Failed to fetch numbers'))}
        empty={
          <EmptyState
            title={
              chips.length > 0 ? t('No numbers found matching your criteria') : t('There are no numbers yet')
            }
            action={
              <NextStep isFiltered={chips.length > 0} onReset={url.reset} onAdd={() => setDialog('add')} />
            }
          />
        }
        foot={
          <>
            <Total label={t('Total Numbers')} value={formatCount(summary.data?.count)} />
            <Total label={t('Active')} value={formatCount(summary.data?.active)} />
            <ExportCsv href={urlOf(numbersRoutes.exportPremiumNumbers, { query: filters })} />
          </>
        }
      />
      <NumberDrawer id={url.state.open} rows={list.rows} onOpen={(open) => url.set({ open }, true)} />
      {dialog === 'add' && <AddNumberDialog onClose={close} />}
      {dialog === 'imports' && <ImportHistory onClose={close} />}
      {typeof dialog === 'object' && <RowAct act={dialog} onClose={close} />}
      {file.isOpen && (
        <ImportNumbersDialog
          chosen={file.chosen}
          fileFault={file.fault}
          onChooseFile={file.choose}
          onDropFile={file.take}
          onForgetFile={file.forget}
          onHistory={() => {
            file.close()
            setDialog('imports')
          }}
          onClose={file.close}
        />
      )}
    </>
  )
}

/** The countries that occur. The chosen one stays in the list when the other filters exclude it. */
function countryOptions(countries: readonly { country: string; countryCode: string }[], chosen: string) {
  const names = new Set([...countries.map(({ country }) => country), chosen].filter((name) => name !== ''))
  return [
    { value: '', label: t('All Countries') },
    ...[...names].toSorted().map((name) => ({ value: name, label: name })),
  ]
}

interface NextStepProps {
  readonly isFiltered: boolean
  readonly onReset: () => void
  readonly onAdd: () => void
}

/** The next step for an empty list. */
function NextStep({ isFiltered, onReset, onAdd }: NextStepProps) {
  return isFiltered ? (
    <Button onClick={onReset}>{t('Reset filters')}</Button>
  ) : (
    <Button icon={Plus} onClick={onAdd}>
      {t('Add Number')}
    </Button>
  )
}

interface NumberBulkActionsProps {
  readonly rows: readonly PremiumNumber[]
  readonly ids: ReadonlySet<string>
  readonly onDone: () => void
}

function NumberBulkActions({ rows, ids, onDone }: NumberBulkActionsProps) {
  const statuses = useSetNumberStatuses()
  const chosen = rows.filter((row) => ids.has(row.id))
  return (
    <>
      <SetStatusMenu
        onSet={(status) => statuses.set(chosen, status, onDone)}
        isBusy={statuses.isPending}
        isDisabled={chosen.length < ids.size}
      />
      <CopySelected ids={ids} rows={chosen} onCopy={() => void copyRows(chosen.map(managementLine))} />
      <ExportSelected route={numbersRoutes.exportChosenPremiumNumbers} ids={ids} />
    </>
  )
}

interface MatchingNumbersProps {
  readonly filters: object
  readonly count: number
  readonly onDone: () => void
}

/** What can be done with all numbers that the filters match. */
function MatchingNumbers(props: MatchingNumbersProps) {
  const offerUndo = useOfferUndo('numbers')
  return (
    <SetMatchingStatus
      {...props}
      route={numberChangesRoutes.setMatchingNumberStatus}
      countOf={(count) => t('{count} numbers', { count })}
      doneText={updatedText}
      effect={t('Messages to them will be refused from then on.')}
      refetch={numberPaths}
      failure={t('Failed to update number')}
      offerUndo={offerUndo}
    />
  )
}
