import { parseMicro } from '@tollgate/contract/money.ts'

/** A tariff or price as entered, in millionths; null where it was left empty. */
export function enteredMicro(text: string): bigint | null {
  return text === '' ? null : (parseMicro(text) ?? null)
}
