// Amounts owed by age, for figures and columns.
import { formatAmountFigure, unknownFigure } from '../format/money.ts'
import { Amount } from '../money/cells.tsx'
import type { Stat } from '../ui/StatStrip.tsx'
import type { Column } from '../ui/table/column.ts'
import { t } from '../language/t.ts'

type Age = 'days7' | 'days14' | 'days30' | 'older'
type AgedAmounts = Readonly<Record<Age, string>>

const ages: readonly (readonly [Age, string])[] = [
  ['days7', t('0 to 7 days')],
  ['days14', t('8 to 14 days')],
  ['days30', t('15 to 30 days')],
  ['older', t('Over 30 days')],
]

/** A cell for each age; undefined while it is loading, not known when that failed. */
export const agedStats = (sums: AgedAmounts | undefined, hasFailed = false): readonly Stat[] =>
  ages.map(([age, label]) => ({
    label,
    figure: sums ? formatAmountFigure(sums[age]) : hasFailed ? unknownFigure : undefined,
    unit: t('USDT'),
  }))

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
