// Formats of money and counts. Visual language §13: never rounded up, never two currencies in one figure.
import { parseMicro } from '@tollgate/contract/money.ts'
import { figureSeparators } from '../language/reader.ts'
import { leftToRight } from '../language/t.ts'

/** Shown instead of an unknown figure. */
export const unknownFigure = '–'

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, figureSeparators().group)
}

/** A figure in English form with the reader's separators. */
function withSeparators(figure: string): string {
  const { group, decimal } = figureSeparators()
  return figure.replace(/[.,]/g, (sign) => (sign === ',' ? group : decimal))
}

/**
 * Writes micro-units with at least `decimalsMin` decimals and at most `decimalsMax`, with the reader's separators, and the
 * sign of the currency before the digits.
 * Digits beyond `decimalsMax` are cut, never rounded up.
 */
function writeMicro(micro: bigint, decimalsMin: number, decimalsMax: number, sign = ''): string {
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0')
  const fraction = digits.slice(-6).slice(0, decimalsMax).replace(/0+$/, '').padEnd(decimalsMin, '0')
  const whole = grouped(digits.slice(0, -6))
  const figure = `${sign}${whole}${fraction === '' ? '' : `${figureSeparators().decimal}${fraction}`}`
  return micro < 0n ? leftToRight(`−${figure}`) : figure
}

function isBeyondCents(micro: bigint): boolean {
  return micro % 10_000n !== 0n
}

function amountDigits(micro: bigint): string {
  return isBeyondCents(micro) ? writeMicro(micro, 6, 6) : writeMicro(micro, 2, 2)
}

/** A bill in shekels: "1.5" → "₪1.50". Gives "–" for anything that is not a decimal string. */
export function formatShekels(amount: string | undefined): string {
  const micro = amount === undefined ? undefined : parseMicro(amount)
  return micro === undefined ? unknownFigure : writeMicro(micro, 2, 2, '₪')
}

/** A tariff, two decimals and up to six if needed: "1.5" → "₪1.50", "0.0045" → "₪0.0045". */
export function formatTariff(tariff: string | undefined): string {
  const micro = tariff === undefined ? undefined : parseMicro(tariff)
  return micro === undefined ? unknownFigure : writeMicro(micro, 2, 6, '₪')
}

/** A rate, three decimals and up to six if needed: "0.05" → "0.050 USD". */
export function formatRate(rate: string | undefined): string {
  const micro = rate === undefined ? undefined : parseMicro(rate)
  return micro === undefined ? unknownFigure : `${writeMicro(micro, 3, 6)} USD`
}

/** An amount without its unit: two decimals, or all six if any beyond the second is not 0. */
export function formatAmountFigure(amount: string | undefined): string {
  const micro = amount === undefined ? undefined : parseMicro(amount)
  return micro === undefined ? unknownFigure : amountDigits(micro)
}

/** An amount in USDT: "1945.7" → "1,945.70 USDT". */
export function formatUsdt(amount: string | undefined): string {
  const figure = formatAmountFigure(amount)
  return figure === unknownFigure ? figure : `${figure} USDT`
}

/** An amount in USD, written like an amount in USDT. */
export function formatUsd(amount: string | undefined): string {
  const figure = formatAmountFigure(amount)
  return figure === unknownFigure ? figure : `${figure} USD`
}

/** Average cost per SMS, two to six decimals: "0.05" → "0.05 USDT". */
export function formatCostPerSms(cost: string | undefined): string {
  const micro = cost === undefined ? undefined : parseMicro(cost)
  return micro === undefined ? unknownFigure : `${writeMicro(micro, 2, 6)} USDT`
}

/** A count with commas: 12846 → "12,846"; undefined → "–". Not for ids and sequence numbers. */
export function formatCount(count: number | undefined): string {
  return count === undefined ? unknownFigure : withSeparators(count.toLocaleString('en-GB'))
}

/** A share in percent with two decimals: 0.97391 → "97.39 %"; cut, not rounded up. */
export function formatShare(share: number | undefined): string {
  return share === undefined || !Number.isFinite(share)
    ? unknownFigure
    : `${formatDecimal(Math.floor(share * 10_000) / 100, 2)} %`
}

/** A measured figure with this many decimals: 1234.5, 2 → "1,234.50"; what is not known is "–". Not for money. */
export function formatDecimal(value: number | null | undefined, decimals: number): string {
  if (value == null || !Number.isFinite(value)) return unknownFigure
  const [whole = '', fraction] = value.toFixed(decimals).split('.')
  return `${grouped(whole)}${fraction === undefined ? '' : `${figureSeparators().decimal}${fraction}`}`
}

/** The height of a chart as a decimal string, for the formats of amounts. */
export function decimalText(height: number, decimals: number): string {
  return height.toFixed(decimals)
}

/** By how much it is more or less than before: "+12.50 %"; "–" when there was nothing. */
export function formatChange(now: number, before: number | undefined): string {
  if (before === undefined || before === 0) return unknownFigure
  const share = (now - before) / before
  return leftToRight(`${share < 0 ? '−' : '+'}${formatShare(Math.abs(share))}`)
}
