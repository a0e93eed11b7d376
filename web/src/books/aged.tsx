// Amounts owed by age, for totals and columns.
import { formatUsdt, unknownFigure } from '../format/money.ts'
import { Amount } from '../money/cells.tsx'
import type { Column } from '../ui/table/column.ts'
import { Total } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'

type Age = 'days7' | 'days14' | 'days30' | 'older'
type AgedAmounts = Readonly<Record<Age, string>>

const ages: readonly (readonly [Age, string])[] = [
  ['days7', t('0 to 7 days')],
  ['days14', t('8 to 14 days')],
  ['days30', t('15 to 30 days')],
  ['older', t('Over 30 days')],
]

/** The sum of each age in the foot of a list; "–" while it is not known. */
export function AgedTotals({ sums }: { readonly sums: AgedAmounts | undefined }) {
  return ages.map(([age, label]) => (
    <Total key={age} label={label} value={sums ? formatUsdt(sums[age]) : unknownFigure} />
  ))
}

/** A column for each age; zero is quiet. `sorts` are those by which the list can be sorted. */
export const agedColumns = <Row extends AgedAmounts>(sorts: readonly Age[] = []): readonly Column<Row>[] =>
  ages.map(([age, header]) => ({
    id: age,
    header,
    align: 'right',
    ...(sorts.includes(age) && { sortBy: age }),
    cell: (row) =>
      row[age] === '0.00' ? <span className="text-ink-3">0.00</span> : <Amount value={row[age]} />,
  }))
