// Amounts in the currency of the books, in hundredths. Rates are hundred-millionths of it for one USDT.
import type { JournalEntry } from '../ledger/index.ts'

/** An entry with the accountant's numbers. */
export interface BookedEntry extends JournalEntry {
  readonly debitCode: string
  readonly creditCode: string
  /** Hundredths of the currency of the books; 0 when it is in USDT. */
  readonly hundredths: bigint
  readonly rateE8: bigint
}

/**
 * Whether the entry goes to an accountant's program. A posting from an account number to itself, or of 0.00, changes
 * nothing there.
 */
export const isPosted = ({ debitCode, creditCode, hundredths }: BookedEntry): boolean =>
  hundredths > 0n && debitCode !== creditCode

const divisor = 1_000_000_000_000n

/**
 * Converts one entry after the other. Each amount is what the entries of its pair of accounts come to so far, rounded,
 * less what was converted before. So the sum of a pair is never off by more than half a hundredth, however many entries are
 * smaller than that, and every entry balances because both its sides have one amount.
 */
export class BookAmounts {
  readonly #pairs = new Map<string, { exact: bigint; converted: bigint }>()

  /** Hundredths, 0 or more. `pair` names the two accounts. */
  convert(pair: string, amountMicro: bigint, rateE8: bigint): bigint {
    const sums = this.#pairs.get(pair) ?? { exact: 0n, converted: 0n }
    this.#pairs.set(pair, sums)
    sums.exact += amountMicro * rateE8
    const rounded = (sums.exact * 2n + divisor) / (divisor * 2n)
    const amount = rounded - sums.converted
    sums.converted = rounded
    return amount
  }
}

/** Hundredths as a decimal: 1234n → "12.34". */
export function formatHundredths(amount: bigint, separator: '.' | ',' = '.'): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}${separator}${digits.slice(-2)}`
}

/** A rate as its hundred-millionths. The text is one of `dayRateInputSchema`. */
export function parseDayRate(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(8, '0'))
}

/** Hundred-millionths as a decimal with at least four places. */
export function formatDayRate(rateE8: bigint): string {
  const digits = rateE8.toString().padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8).replace(/0{1,4}$/, '')}`
}
