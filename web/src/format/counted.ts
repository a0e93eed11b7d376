import { t, type TextValues } from '../language/t.ts'
import { formatCount } from './money.ts'

/**
 * The text for this many: `one` says exactly one, `many` has a `{count}`. Both stand in the call as they are, because the
 * test of the catalogues finds them there.
 */
export function counted(count: number, one: string, many: string, values?: TextValues): string {
  return count === 1 ? t(one, values) : t(many, { ...values, count: formatCount(count) })
}
