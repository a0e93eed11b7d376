// Addresses as peers write them. Each is normalised once; the record's sealed body keeps it as it came.
import { normaliseNumber } from '@tollgate/contract/fields.ts'

const e164 = /^[1-9]\d{4,14}$/
// Nearly every peer sends it so, and then nothing has to be made anew.
const plainDigits = /^\d+$/
// Unprintable octets in a sender would travel into screens and exports.
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f]/

/** The destination as E.164 digits without plus; undefined when it is none (0x0B). Outside contract, SMPP. */
export function destinationDigits(address: string): string | undefined {
  if (e164.test(address)) return address
  const digits = normaliseNumber(address)
  return e164.test(digits) ? digits : undefined
}

/**
 * The sender as screens show it; undefined when it cannot be shown (0x0A). A number loses its plus, 00 and spaces, a
 * name stays. Empty is allowed: SMPP 3.4 §4.4.1 has it for a peer that does not know.
 */
export function shownSender(address: string): string | undefined {
  if (plainDigits.test(address) && !address.startsWith('00')) return address
  if (control.test(address)) return undefined
  const bare = normaliseNumber(address)
  return plainDigits.test(bare) ? bare : address.trim().slice(0, 64)
}
