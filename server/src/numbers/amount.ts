import { parseMicro } from '@tollgate/contract/money.ts'

/** An entered tariff or price in millionths; null when the field is empty. */
export function enteredMicro(text: string): bigint | null {
  return text === '' ? null : (parseMicro(text) ?? null)
}
