// Terms as one line of text: what a change that waits is kept and compared as, and what mails and the audit log show.
import type { Terms } from '@tollgate/contract/terms/terms.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'

/** The terms of a client as the tables have them. */
export interface TermsRow {
  readonly numbersMax: number | null
  readonly smsPerDayMax: number | null
  readonly valuePerCycleMaxMicro: bigint | null
  readonly payableAfterDays: number
  readonly reservePercent: number
  readonly reserveDays: number
}

const none = 'any'

export function termsText(terms: TermsRow): string {
  const value = terms.valuePerCycleMaxMicro
  return [
    `numbers: ${terms.numbersMax ?? none}`,
    `SMS a day: ${terms.smsPerDayMax ?? none}`,
    `USDT a period: ${value === null ? none : formatMicro(value, 2)}`,
    `payable after days: ${terms.payableAfterDays}`,
    `reserve: ${terms.reservePercent} % for ${terms.reserveDays} days`,
  ].join(', ')
}

const pattern =
  /^numbers: (\w+), SMS a day: (\w+), USDT a period: ([\d.]+|any), payable after days: (\d+), reserve: (\d+) % for (\d+) days$/

/** Throws for a text that {@link termsText} did not make. */
export function parseTerms(text: string): TermsRow {
  const [, numbers = none, sms = none, value = none, days, percent, reserveDays] = pattern.exec(text) ?? []
  if (reserveDays === undefined) throw new Error(`These are no terms: ${text}`)
  return {
    numbersMax: numbers === none ? null : Number(numbers),
    smsPerDayMax: sms === none ? null : Number(sms),
    valuePerCycleMaxMicro: value === none ? null : (parseMicro(value) ?? 0n),
    payableAfterDays: Number(days),
    reservePercent: Number(percent),
    reserveDays: Number(reserveDays),
  }
}

type Limit = number | bigint | null

const isLower = (before: Limit, limit: Limit): boolean =>
  before === null || (limit !== null && limit <= before)

/** Whether `terms` are at least as strict as `before` in everything. */
export function areAsStrict(before: TermsRow, terms: TermsRow): boolean {
  const keepsAsLong = before.reservePercent === 0 || terms.reserveDays >= before.reserveDays
  return (
    isLower(before.numbersMax, terms.numbersMax) &&
    isLower(before.smsPerDayMax, terms.smsPerDayMax) &&
    isLower(before.valuePerCycleMaxMicro, terms.valuePerCycleMaxMicro) &&
    terms.payableAfterDays >= before.payableAfterDays &&
    terms.reservePercent >= before.reservePercent &&
    keepsAsLong
  )
}

export function toTerms({ valuePerCycleMaxMicro, ...terms }: TermsRow): Terms {
  return {
    ...terms,
    valuePerCycleMax: valuePerCycleMaxMicro === null ? null : formatMicro(valuePerCycleMaxMicro, 2),
  }
}
