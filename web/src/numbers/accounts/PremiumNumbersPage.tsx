import { stockRoutes } from '@tollgate/contract/numbers/stock.ts'
import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { Link } from '@tanstack/react-router'
import { isPermitted, numberTypes } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useUser } from '../../api/session.tsx'
import { useApiQuery, useApiPages } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { DataTable, Total } from '../../ui/table/DataTable.tsx'
import { urlSelect, filterChips, quoted, urlSort, useUrlState } from '../../url-state.ts'
import { copyRows } from '../../ui/copy-rows.ts'
import { ExportSelected } from '../../api/ExportSelected.tsx'
import { ListFilters } from '../../ui/ListFilters.tsx'
import { ComingRate } from '../../notifications/ComingRate.tsx'
import { NumberViews } from '../NumberViews.tsx'
import { NumberDrawer } from '../number/NumberDrawer.tsx'
import { AddNumberDialog } from '../number/NumberForm.tsx'
import { RequestNumberDialog } from '../requests/RequestNumberDialog.tsx'
import { numberTypeLabels } from '../type-labels.ts'
import { accountColumns, accountLine, withAccountLabels, type AccountRow } from './columns.tsx'
import { accountNumbersSearch } from './search.ts'
import { accountStatusFilterOptions, accountStatusLabel } from '../../ui/account-status.tsx'
import { CopySelected } from '../../ui/CopySelected.tsx'
import { ExportCsv } from '../../ui/ExportCsv.tsx'
import { failureOf } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

const typeOptions = [
  { value: 'all', label: t('All Types') },
  ...numberTypes.map((value) => ({ value, label: numberTypeLabels[value] })),
]
const chipWords = {
  search: quoted,
  status: accountStatusLabel,
  type: (value: string) => typeOptions.find((option) => option.value === value)?.label ?? value,
}

/** The numbers that a client holds. Staff see all. */
export function PremiumNumbersPage() {
  const { role } = useUser()
  const isStaff = isPermitted(role, 'numbersManagement')
  const canAdd = isPermitted(role, 'numberRequests')
  const url = useUrlState(accountNumbersSearch)
  const { search, status, type, sort, order } = url.state
  const filters = {
    search,
    status: status === 'all' ? undefined : status,
    type: type === 'all' ? undefined : type,
  }
  const list = useApiPages(numbersRoutes.listAccountNumbers, { query: { ...filters, sort, order } })
  const summary = useApiQuery(numbersRoutes.summariseAccountNumbers, { query: filters })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isAdding, setAdding] = useState(false)
  // The test role cannot request a number, and sees numbers masked.
  const columns = useMemo(() => accountColumns({ isStaff, isMasked: !canAdd }), [isStaff, canAdd])
  const rows = useMemo(() => withAccountLabels(list.rows), [list.rows])
  const chips = filterChips(url, chipWords)
  const chosen = (rows ?? []).filter((row) => selected.has(row.id))
  // Each screen has one primary button: the one in its header.
  const addButton = (tone: 'primary' | 'secondary') =>
    canAdd && <AddButton tone={tone} isStaff={isStaff} onAdd={() => setAdding(true)} />
  return (
    <>
      <PageHeader title={t('Premium Numbers')} actions={addButton('primary')}>
        {isStaff
          ? t('Every account number and the client who holds it')
          : t('The numbers you hold, what their callers pay and what you earn')}
      </PageHeader>
      {isStaff ? <NumberViews /> : role === 'user' && <ComingRate />}
      <ListFilters page="numbers" url={url} chips={chips} placeholder={t('Search by number, client...')}>
        <SelectField label={t('Status')} options={accountStatusFilterOptions} {...urlSelect(url, 'status')} />
        <SelectField label={t('Number Type')} options={typeOptions} {...urlSelect(url, 'type')} />
      </ListFilters>
      <DataTable
        label={t('Account numbers')}
        storageName="numbers"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowLabel={(row) => formatPhone(row.phoneNumber)}
        loadingLabel={t('Loading numbers...')}
        openId={url.state.open}
        {...(canAdd && { onOpen: ({ id }: AccountRow) => url.set({ open: id }, true) })}
        {...urlSort(url)}
        more={list}
        selection={{
          ids: selected,
          onChange: setSelected,
          actions: (
            <>
              <CopySelected
                ids={selected}
                rows={chosen}
                onCopy={() => void copyRows(chosen.map(accountLine))}
              />
              <ExportSelected route={numbersRoutes.exportChosenAccountNumbers} ids={selected} />
            </>
          ),
        }}
        {...failureOf(list, t('Failed to fetch numbers'))}
        empty={
          <EmptyState
            title={t('No account numbers found.')}
            action={
              chips.length > 0 ? (
                <Button onClick={url.reset}>{t('Reset filters')}</Button>
              ) : (
                addButton('secondary')
              )
            }
          >
            {!canAdd && chips.length === 0 ? t('Numbers that support assigns to you show here.') : undefined}
          </EmptyState>
        }
        foot={
          <>
            <Total label={t('Total')} value={formatCount(summary.data?.count)} />
            <Total label={t('Active')} value={formatCount(summary.data?.active)} />
            <Total label={t('Premium')} value={formatCount(summary.data?.premium)} />
            <ExportCsv href={urlOf(numbersRoutes.exportAccountNumbers, { query: filters })} />
          </>
        }
      />
      <NumberDrawer id={url.state.open} rows={rows} onOpen={(open) => url.set({ open }, true)} />
      {isAdding && <AddDialog isStaff={isStaff} onClose={() => setAdding(false)} />}
    </>
  )
}

interface AddButtonProps {
  readonly tone: 'primary' | 'secondary'
  readonly isStaff: boolean
  readonly onAdd: () => void
}

/** To the numbers in stock, where clients may have one at once or ask for it; where none are shown, they ask for any. */
function AddButton({ tone, isStaff, onAdd }: AddButtonProps) {
  const terms = useApiQuery(stockRoutes.getStockTerms, {}, { isEnabled: !isStaff })
  if (terms.data === undefined || terms.data.offer === 'off')
    return (
      <Button tone={tone} icon={Plus} onClick={onAdd}>
        {t('Add Number')}
      </Button>
    )
  return (
    <Link to={paths.numberStock} className={buttonClass(tone)}>
      <Plus size={16} strokeWidth={1.6} aria-hidden="true" />
      {t('Add Number')}
    </Link>
  )
}

/** Staff add a number to the list. A client can only request one. */
function AddDialog({ isStaff, onClose }: { isStaff: boolean; onClose: () => void }) {
  return isStaff ? <AddNumberDialog onClose={onClose} /> : <RequestNumberDialog onClose={onClose} />
}
