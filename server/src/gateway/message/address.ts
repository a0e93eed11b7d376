// Addresses as peers write them. Each is normalised once; the record's encrypted body keeps the original.
import { fitsSenderName, normaliseNumber, readNumber } from '@tollgate/contract/fields.ts'

const ownDigits = /^[1-9]\d{2,14}$/
// The usual form, which needs no new string.
const plainDigits = /^\d+$/
// Control characters in a source address would reach screens and exports.
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f]/

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Whether it has no octet above 127. */
export function isAscii(address: string): boolean {
  for (let at = 0; at < address.length; at += 1) if (address.charCodeAt(at) > 0x7f) return false
  return true
}

/** A name with letters beyond ASCII comes as UTF-8 or as Latin-1; what is UTF-8 is hardly ever meant as Latin-1. */
function asUtf8(address: string): string {
  try {
    return utf8.decode(Buffer.from(address, 'latin1'))
  } catch {
    return address
  }
}

/** The destination as E.164 digits without plus, or a short code; undefined when it is neither (0x0B). */
export function destinationDigits(address: string): string | undefined {
  return ownDigits.test(address) ? address : readNumber(address)
}

/**
 * The source address as screens show it; undefined when it cannot be shown (0x0A). A number loses its plus, 00 and
 * spaces; a name stays. It may be empty: SMPP 3.4 §4.4.1 allows NULL for a peer that does not know it.
 */
export function displaySourceAddress(address: string): string | undefined {
  if (plainDigits.test(address) && !address.startsWith('00')) return address
  return displayAddress(isAscii(address) ? address : asUtf8(address))
}

function displayAddress(address: string): string | undefined {
  if (control.test(address)) return undefined
  const bare = normaliseNumber(address)
  return plainDigits.test(bare) ? bare : address.trim().slice(0, 64)
}

/**
 * The source address of a message that comes from a peer, as {@link displaySourceAddress}; undefined also for a name that
 * GSM has no room for (3GPP TS 23.040 §9.1.2.5), unless the account or connection is lenient.
 */
export function submittedSourceAddress(address: string, isStrict: boolean): string | undefined {
  const shown = displaySourceAddress(address)
  const isLongName = shown !== undefined && !plainDigits.test(shown) && !fitsSenderName(shown)
  return isStrict && isLongName ? undefined : shown
}

/** An address that cannot be read, as a table may store it: at most 20 characters of printable ASCII. */
export function printableAddress(address: string): string {
  return address.slice(0, 20).replace(/[^\x20-\x7e]/g, '?')
}
