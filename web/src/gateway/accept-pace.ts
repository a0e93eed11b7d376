// How long messages waited for their answer. The gateway counts them by bounds, and tells the bound.
import { formatDecimal } from '../format/money.ts'
import { leftToRight, t } from '../language/t.ts'

/** The last bound; what waited longer is told as more. */
const boundMaxMs = 2_000

/** "≤ 10 ms", "> 2,000 ms". */
export function formatBoundMs(ms: number): string {
  const sign = ms > boundMaxMs ? '>' : '≤'
  const duration = formatDecimal(Math.min(ms, boundMaxMs), ms < 1 ? 1 : 0)
  return leftToRight(`${sign} ${t('{duration} ms', { duration })}`)
}
