import { formatCount } from '../format/money.ts'
import { formatWords, type Sentence } from '../format/sentences.ts'
import { Dialog } from './Dialog.tsx'
import { t } from '../language/t.ts'

interface LabelledRefusal {
  readonly id: string
  /** Why it was refused. */
  readonly message: string
  readonly words?: readonly Sentence[] | undefined
}

/** The rows of one call that were refused, each with its name in the list. */
export interface RefusedRows {
  /** How many rows were selected. */
  readonly count: number
  readonly rows: readonly (LabelledRefusal & { readonly label: string })[]
}

/** The refused rows with their names in the list; undefined if none was refused. */
export function refusedOf<Row extends { readonly id: string }>(
  chosen: readonly Row[],
  refused: readonly LabelledRefusal[],
  labelOf: (row: Row) => string,
): RefusedRows | undefined {
  if (refused.length === 0) return undefined
  const labels = new Map(chosen.map((row) => [row.id, labelOf(row)]))
  return {
    count: chosen.length,
    rows: refused.map((row) => ({ ...row, label: labels.get(row.id) ?? row.id })),
  }
}

interface RefusedRowsDialogProps {
  readonly refused: RefusedRows
  readonly onClose: () => void
}

/** Lists the refused rows with their reasons. */
export function RefusedRowsDialog({ refused: { count, rows }, onClose }: RefusedRowsDialogProps) {
  const isNone = rows.length === count
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        isNone
          ? t('Nothing was changed')
          : t('{refused} of {count} not changed', {
              refused: formatCount(rows.length),
              count: formatCount(count),
            })
      }
      description={
        isNone ? t('Each row says why.') : t('The others are done. Those named here were left as they are.')
      }
      width="md"
      closeLabel={t('Close')}
      consequence={t('They stay selected. The list shows how they are now.')}
    >
      <ul aria-label={t('Not changed')} className="divide-y divide-line rounded-lg border border-line">
        {rows.map(({ id, label, message, words }) => (
          <li key={id} className="space-y-0.5 px-3 py-2">
            <p className="font-medium">{label}</p>
            <p className="text-ink-3">{formatWords(words ?? message)}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
