import { Copy, Search } from 'lucide-react'
import { useState } from 'react'
import { formatDateTime } from '../format/dates.ts'
import { formatShekels } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { SelectField } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column, TableSort } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { GallerySection } from './GallerySection.tsx'

interface Sample {
  readonly id: string
  readonly at: string
  readonly number: string
  readonly bill: string
  readonly status: string
}

const statuses = ['reported', 'no_report', 'failed', 'in_progress', 'pending']
const samples: readonly Sample[] = Array.from({ length: 240 }, (_, index) => ({
  id: String(index),
  at: new Date(Date.UTC(2026, 10, 19, 14, 31) - index * 61_000).toISOString(),
  number: `44909879${String(100 + index).padStart(4, '0')}`,
  bill: '1.5',
  status: statuses[index % statuses.length] ?? '',
}))

const columns: readonly Column<Sample>[] = [
  {
    id: 'at',
    header: 'Date & Time',
    sortBy: 'createdAt',
    card: 'fact',
    cell: (row) => formatDateTime(row.at),
  },
  {
    id: 'number',
    header: 'Number',
    isHideable: false,
    card: 'title',
    cell: (row) => <span className="phone-number">{formatPhone(row.number)}</span>,
  },
  { id: 'bill', header: 'Bill', align: 'right', card: 'end', cell: (row) => formatShekels(row.bill) },
  { id: 'status', header: 'No Report', cell: (row) => <StatusBadge kind="record" status={row.status} /> },
]

export function TableSamples() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [sort, setSort] = useState<TableSort>({ by: 'createdAt', order: 'desc' })
  const [open, setOpen] = useState<string>()
  const [shown, setShown] = useState(20)
  const [range, setRange] = useState('')
  return (
    <GallerySection title="Filters and table">
      <FilterBar
        chips={range === '' ? [] : [{ label: range, onRemove: () => setRange('') }]}
        onReset={() => setRange('')}
        actions={
          <>
            <Button tone="primary" icon={Search} type="submit">
              Search Query
            </Button>
            <SavedViews
              page="gallery"
              current={{ range }}
              onApply={(view) => setRange(view['range'] ?? '')}
            />
          </>
        }
      >
        <DateField label="Date From" />
        <SelectField
          label="Range"
          value={range}
          onChange={(event) => setRange(event.target.value)}
          options={[
            { value: '', label: 'All Ranges' },
            { value: '0900', label: '0900' },
          ]}
        />
      </FilterBar>
      <DataTable
        label="Samples"
        storageName="gallery"
        title="Samples"
        columns={columns}
        rows={samples.slice(0, shown)}
        rowId={(row) => row.id}
        rowLabel={(row) => formatPhone(row.number)}
        sort={sort}
        onSort={setSort}
        openId={open}
        onOpen={(row) => setOpen(row.id)}
        more={{
          hasMore: shown < samples.length,
          isLoadingMore: false,
          loadMore: () => setShown(samples.length),
        }}
        selection={{
          ids: selected,
          onChange: setSelected,
          actions: (
            <Button size="sm" icon={Copy}>
              Copy Selected ({selected.size})
            </Button>
          ),
        }}
        empty={<EmptyState title="No records found for the selected criteria." />}
        foot={
          <>
            <Total label="Total Records" value={String(samples.length)} />
            <Total label="Selected" value={String(selected.size)} />
          </>
        }
      />
    </GallerySection>
  )
}
