// Columns that several lists of numbers share.
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatTariff } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import type { Column } from '../ui/table/column.ts'
import { CutText } from './cells.tsx'
import { t } from '../language/t.ts'

export function createdAtColumn<Row extends { createdAt: string }>(): Column<Row> {
  return {
    id: 'createdAt',
    header: t('Date & Time'),
    sortBy: 'createdAt',
    card: 'fact',
    cell: (row) => formatDateTime(row.createdAt),
  }
}

export function descriptionColumn<Row extends { description: string }>(): Column<Row> {
  return { id: 'description', header: t('Description'), cell: (row) => <CutText value={row.description} /> }
}

export function rateColumn<Row extends { rate: string }>(): Column<Row> {
  return {
    id: 'rate',
    header: t('Rate'),
    align: 'right',
    card: 'end',
    cell: (row) => formatTariff(row.rate),
  }
}

export function statusColumn<Row extends { status: AccountStatus }>(): Column<Row> {
  return {
    id: 'status',
    header: t('Status'),
    cell: (row) => <StatusBadge kind="account" status={row.status} />,
  }
}
