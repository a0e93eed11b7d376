import { inventoryRoutes, type InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import { inventoryCountries, inventoryStatuses } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { z } from 'zod'
import { urlOf } from '../../api/call.ts'
import { useMatchingSelection } from '../../api/matching.tsx'
import { useApiQuery, useApiPages } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { statusLook } from '../../ui/status.ts'
import { DataTable, Total } from '../../ui/table/DataTable.tsx'
import { urlSelect, filterChips, quoted, urlSort, type UrlState } from '../../url-state.ts'
import { ListFilters } from '../../ui/ListFilters.tsx'
import { AssignDialog } from '../number/AssignDialog.tsx'
import { RowAct, type NumberAct } from '../number/NumberActs.tsx'
import { NumberDrawer } from '../number/NumberDrawer.tsx'
import { inventoryColumns } from './columns.tsx'
import type { inventorySearch } from './search.ts'
import { MatchingStock, SelectedNumbers } from './StockBulkActions.tsx'
import { ExportCsv } from '../../ui/ExportCsv.tsx'
import { tableOf } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

const statusOptions = [
  { value: 'all', label: t('All') },
  ...inventoryStatuses.map((value) => ({ value, label: statusLook('inventory', value).label })),
]
/** The dialling codes that one of the countries of the product has for itself. +1 is also Canada's. */
const codesOfInventoryCountries: readonly string[] = ['+44', '+33', '+49', '+81', '+61']

const chipWords = {
  search: quoted,
  status: (value: string) => statusLook('inventory', value).label,
  country: (value: string) => value,
}

interface InventoryTableProps {
  readonly url: UrlState<z.output<typeof inventorySearch>>
  readonly onAdd: () => void
}

/** All numbers as stock: their holders and prices. */
export function InventoryTable({ url, onAdd }: InventoryTableProps) {
  const { search, status, country, sort, order } = url.state
  const filters = { search, status: status === 'all' ? undefined : status, country }
  const list = useApiPages(inventoryRoutes.listInventory, { query: { ...filters, sort, order } })
  const summary = useApiQuery(inventoryRoutes.summariseInventory, { query: filters })
  const marked = useMatchingSelection(filters, summary.data?.count)
  const { selected, clear } = marked
  const [act, setAct] = useState<NumberAct>()
  const [assigned, setAssigned] = useState<readonly InventoryItem[]>()
  const columns = useMemo(() => inventoryColumns(setAct), [setAct])
  const rows = list.rows ?? []
  const chips = filterChips(url, chipWords)
  const others = [
    ...new Set([
      ...(summary.data?.countries ?? []).filter((name) => !codesOfInventoryCountries.includes(name)),
      country,
    ]),
  ].filter((name) => name !== '' && !(inventoryCountries as readonly string[]).includes(name))
  return (
    <>
      <ListFilters
        page="number-inventory"
        url={url}
        chips={chips}
        placeholder={t('Number, operator or holder')}
      >
        <SelectField label={t('Status')} options={statusOptions} {...urlSelect(url, 'status')} />
        <SelectField
          label={t('Country')}
          options={[
            { value: '', label: t('All') },
            ...[...inventoryCountries, ...others.toSorted()].map((name) => ({ value: name, label: name })),
          ]}
          {...urlSelect(url, 'country')}
        />
      </ListFilters>
      <DataTable
        label={t('Number inventory')}
        storageName="number-inventory"
        title={t('Number Inventory')}
        columns={columns}
        rowId={(item) => item.id}
        rowLabel={(item) => formatPhone(item.number)}
        loadingLabel={t('Loading inventory...')}
        openId={url.state.open}
        onOpen={({ id }) => url.set({ open: id }, true)}
        {...urlSort(url)}
        selection={{
          ...marked.selection,
          actions: marked.isAllChosen ? (
            <MatchingStock filters={filters} count={marked.count} onDone={clear} />
          ) : (
            <SelectedNumbers
              items={rows.filter((item) => selected.has(item.id))}
              ids={selected}
              onAssign={setAssigned}
              onDone={clear}
            />
          ),
        }}
        {...tableOf(list, t('Failed to fetch inventory'))}
        empty={
          <EmptyState
            title={
              chips.length > 0 ? t('No numbers found matching your criteria') : t('There are no numbers yet')
            }
            action={
              chips.length > 0 ? (
                <Button onClick={url.reset}>{t('Reset filters')}</Button>
              ) : (
                <Button icon={Plus} onClick={onAdd}>
                  {t('Add Number')}
                </Button>
              )
            }
          />
        }
        foot={
          <>
            <Total label={t('Total Numbers')} value={formatCount(summary.data?.count)} />
            <Total label={t('Assigned')} value={formatCount(summary.data?.assigned)} />
            <Total label={t('Available')} value={formatCount(summary.data?.available)} />
            <ExportCsv href={urlOf(inventoryRoutes.exportInventory, { query: filters })} />
          </>
        }
      />
      <NumberDrawer id={url.state.open} rows={rows} onOpen={(open) => url.set({ open }, true)} />
      {act && <RowAct act={act} onClose={() => setAct(undefined)} />}
      {assigned && (
        <AssignDialog items={assigned} onClose={() => setAssigned(undefined)} onAssigned={clear} />
      )}
    </>
  )
}
