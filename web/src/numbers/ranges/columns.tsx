import { ObjectLink } from '../../api/ObjectLink.tsx'
import type { NumberRange } from '@tollgate/contract/numbers/ranges.ts'
import { MessagesSquare, Pencil, Trash2 } from 'lucide-react'
import { formatDateTime } from '../../format/dates.ts'
import { formatTariff, unknownFigure } from '../../format/money.ts'
import { paths } from '../../paths.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { createdAtColumn, descriptionColumn, rateColumn, statusColumn } from '../shared-columns.tsx'
import { PhoneNumber } from '../../ui/PhoneNumber.tsx'
import { LinkButton } from '../LinkButton.tsx'
import { SignedAmount } from '../../money/SignedAmount.tsx'
import { RangeFigure, type RangeEarnings } from './earnings.tsx'
import { ComingTariff } from './ComingTariff.tsx'
import { t } from '../../language/t.ts'

/** A range with the label its row shows. */
export interface RangeListRow extends NumberRange {
  readonly label: string
}

/** Spec §2: RNG-### by row index if the range has no number. */
export function withRangeLabels(
  rows: readonly NumberRange[] | undefined,
): readonly RangeListRow[] | undefined {
  return rows?.map((row, index) => ({
    ...row,
    label: row.rangeNumber === '' ? `RNG-${String(index + 1).padStart(3, '0')}` : row.rangeNumber,
  }))
}

interface RangeHandlers {
  readonly onEdit: (row: RangeListRow) => void
  readonly onDelete: (row: RangeListRow) => void
}

/**
 * Spec §2, Number Ranges: the columns of the table, and what each range earned. Without `actions` a row has a link to its
 * records instead of edit and delete.
 */
export function rangeColumns(
  actions: RangeHandlers | undefined,
  earnings: RangeEarnings,
): readonly Column<RangeListRow>[] {
  return [
    createdAtColumn(),
    {
      ...subject,
      id: 'rangeNumber',
      header: t('Range Number'),
      sortBy: 'rangeNumber',
      cell: (row) => (
        <ObjectLink kind="range" id={row.id}>
          {row.label}
        </ObjectLink>
      ),
    },
    {
      id: 'startNumber',
      header: t('Start Number'),
      sortBy: 'startNumber',
      cell: (row) => <PhoneNumber value={row.startNumber} />,
    },
    {
      id: 'endNumber',
      stackUnder: 'startNumber',
      header: t('End Number'),
      sortBy: 'endNumber',
      cell: (row) => <PhoneNumber value={row.endNumber} />,
    },
    descriptionColumn(),
    {
      ...rateColumn<RangeListRow>(),
      sortBy: 'rate',
      cell: (row) => (
        <span>
          {formatTariff(row.rate)}
          <ComingTariff range={row} />
        </span>
      ),
    },
    ...earnedColumns(earnings),
    { ...statusColumn<RangeListRow>(), sortBy: 'status' },
    actionsColumn((row) => (
      <span className="inline-flex gap-0.5">
        {actions ? (
          <>
            <IconButton
              icon={Pencil}
              label={t('Edit {label}', { label: row.label })}
              onClick={() => actions.onEdit(row)}
            />
            <IconButton
              icon={Trash2}
              label={t('Delete {label}', { label: row.label })}
              onClick={() => actions.onDelete(row)}
            />
          </>
        ) : (
          <>
            <LinkButton
              icon={MessagesSquare}
              label={t('Records of {label}', { label: row.label })}
              to={paths.records}
              search={{ range: row.rangeNumber }}
            />
            <CopyButton value={`+${row.startNumber} – +${row.endNumber}`} what={row.label} />
          </>
        )}
      </span>
    )),
  ]
}

function earnedColumns(earnings: RangeEarnings): readonly Column<RangeListRow>[] {
  const margin: Column<RangeListRow> = {
    id: 'margin',
    stackUnder: 'earned',
    header: t('Margin'),
    align: 'right',
    cell: ({ id }) => <Margin value={earnings.figuresOf(id)?.margin ?? null} />,
  }
  return [
    {
      id: 'earned',
      header: t('Earned, USD'),
      align: 'right',
      cell: (row) => <RangeFigure range={row} earnings={earnings} shows="amountUsd" />,
    },
    // Only for whoever may see margins, once there are purchase prices.
    ...(earnings.total?.margin == null ? [] : [margin]),
  ]
}

function Margin({ value }: { value: string | null }) {
  return value === null ? <span className="text-ink-3">{unknownFigure}</span> : <SignedAmount value={value} />
}

/** A row as Copy Selected puts it on the clipboard. */
export function rangeLine(row: RangeListRow, { total, figuresOf }: RangeEarnings): readonly string[] {
  const figures = figuresOf(row.id)
  return [
    formatDateTime(row.createdAt),
    row.label,
    `+${row.startNumber}`,
    `+${row.endNumber}`,
    row.description,
    row.rate,
    figures?.amountUsd ?? '',
    ...(total?.margin == null ? [] : [figures?.margin ?? '']),
    row.status,
  ]
}
