import { inventoryRoutes, type InventoryItem } from '@tollgate/contract/inventory.ts'
import { inventoryCountries, inventoryStatuses } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useCall, usePages } from '../../api/use-call.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { statusLook } from '../../ui/status.ts'
import { DataTable, Total } from '../../ui/table/DataTable.tsx'
import { useUrlState } from '../../url-state.ts'
import { copyRows } from '../../lists/copy-rows.ts'
import { chipsOf, CopySelected, ExportCsv, failureOf, searchChip, sortOf } from '../../lists/list-parts.tsx'
import { ExportSelected } from '../../lists/ExportSelected.tsx'
import { ListFilters } from '../../lists/ListFilters.tsx'
import { AssignDialog } from './AssignDialog.tsx'
import { inventoryColumns, inventoryLine } from './columns.tsx'
import { EditInventoryDialog, UnassignDialog } from './InventoryDialogs.tsx'
import { inventorySearch } from './search.ts'
import { useSuspend } from './use-suspend.ts'

type Act =
  | { readonly kind: 'assign'; readonly items: readonly InventoryItem[] }
  | { readonly kind: 'edit' | 'unassign'; readonly item: InventoryItem }

const statusOptions = [
  { value: 'all', label: 'All' },
  ...inventoryStatuses.map((value) => ({ value, label: statusLook('inventory', value).label })),
]
const chipWords = {
  search: searchChip,
  status: (value: string) => statusLook('inventory', value).label,
  country: (value: string) => value,
}

/** All numbers as stock: who holds them and at what price. */
export function InventoryTable({ onAdd }: { onAdd: () => void }) {
  const url = useUrlState(inventorySearch)
  const { search, status, country, sort, order } = url.state
  const filters = { search, status: status === 'all' ? undefined : status, country }
  const list = usePages(inventoryRoutes.listInventory, { query: { ...filters, sort, order } })
  const summary = useCall(inventoryRoutes.summariseInventory, { query: filters })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [act, setAct] = useState<Act>()
  const suspend = useSuspend()
  const columns = useMemo(
    () =>
      inventoryColumns({
        onAssign: (item) => setAct({ kind: 'assign', items: [item] }),
        onEdit: (item) => setAct({ kind: 'edit', item }),
        onUnassign: (item) => setAct({ kind: 'unassign', item }),
        onSuspend: suspend,
      }),
    [setAct, suspend],
  )
  const rows = list.rows ?? []
  const chips = chipsOf(url, chipWords)
  const clear = () => setSelected(new Set())
  const others = [...new Set([...(summary.data?.countries ?? []), country])].filter(
    (name) => name !== '' && !(inventoryCountries as readonly string[]).includes(name),
  )
  return (
    <>
      <ListFilters page="number-inventory" url={url} chips={chips} placeholder="Number, operator or holder">
        <SelectField
          label="Status"
          value={status}
          options={statusOptions}
          onChange={(event) => url.set({ status: event.target.value as typeof status })}
        />
        <SelectField
          label="Country"
          value={country}
          options={[
            { value: '', label: 'All' },
            ...[...inventoryCountries, ...others.toSorted()].map((name) => ({ value: name, label: name })),
          ]}
          onChange={(event) => url.set({ country: event.target.value })}
        />
      </ListFilters>
      <DataTable
        label="Number inventory"
        storageName="number-inventory"
        title="Number Inventory"
        columns={columns}
        rows={list.rows}
        rowId={(item) => item.id}
        rowLabel={(item) => formatPhone(item.number)}
        loadingLabel="Loading inventory..."
        {...sortOf(url)}
        more={list}
        selection={{
          ids: selected,
          onChange: setSelected,
          actions: (
            <SelectionActs
              items={rows.filter((item) => selected.has(item.id))}
              ids={selected}
              onAssign={(items) => setAct({ kind: 'assign', items })}
            />
          ),
        }}
        {...failureOf(list, 'Failed to fetch inventory')}
        empty={
          <EmptyState
            title="No numbers found matching your criteria"
            action={
              chips.length > 0 ? (
                <Button onClick={url.reset}>Reset filters</Button>
              ) : (
                <Button icon={Plus} onClick={onAdd}>
                  Add Number
                </Button>
              )
            }
          />
        }
        foot={
          <>
            <Total label="Total Numbers" value={formatCount(summary.data?.count)} />
            <Total label="Assigned" value={formatCount(summary.data?.assigned)} />
            <Total label="Available" value={formatCount(summary.data?.available)} />
            <ExportCsv href={urlOf(inventoryRoutes.exportInventory, { query: filters })} />
          </>
        }
      />
      <ActDialog act={act} rows={rows} onClose={() => setAct(undefined)} onAssigned={clear} />
    </>
  )
}

interface ActDialogProps {
  readonly act: Act | undefined
  readonly rows: readonly InventoryItem[]
  readonly onClose: () => void
  readonly onAssigned: () => void
}

function ActDialog({ act, rows, onClose, onAssigned }: ActDialogProps) {
  if (act === undefined) return null
  if (act.kind === 'assign')
    return <AssignDialog items={act.items} onClose={onClose} onAssigned={onAssigned} />
  if (act.kind === 'unassign') return <UnassignDialog item={act.item} onClose={onClose} />
  const latest = rows.find((row) => row.id === act.item.id)
  return <EditInventoryDialog opened={act.item} latest={latest} onClose={onClose} />
}

interface SelectionActsProps {
  readonly items: readonly InventoryItem[]
  readonly ids: ReadonlySet<string>
  readonly onAssign: (items: readonly InventoryItem[]) => void
}

/** Assigning is all or none, so it is offered only where every chosen number is available. */
function SelectionActs({ items, ids, onAssign }: SelectionActsProps) {
  const count = ids.size
  const takenCount = items.filter((item) => item.status !== 'available').length
  const canAssign = items.length > 0 && takenCount === 0 && items.length === count
  return (
    <>
      {takenCount > 0 && <span className="text-ink-3">{formatCount(takenCount)} of them not available</span>}
      <Button size="sm" isDisabled={!canAssign} onClick={() => onAssign(items)}>
        Assign ({count})
      </Button>
      <CopySelected count={count} onCopy={() => void copyRows(items.map(inventoryLine))} />
      <ExportSelected route={inventoryRoutes.exportChosenInventory} ids={ids} />
    </>
  )
}
