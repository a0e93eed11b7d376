// How much one import may bring. Beyond it a few kilobytes could unpack to more than the machine has.
import { Refusal } from '@tollgate/contract/errors.ts'
import { importBytesMax } from '@tollgate/contract/numbers.ts'

/** OWASP ASVS 5.2.1–5.2.3. */
export const importLimits = {
  uploadBytes: importBytesMax,
  unpackedBytes: 50 * 1024 * 1024,
  unpackedRatio: 100,
  archiveEntries: 1_000,
  lines: 100_000,
  lineChars: 10_000,
  /** For reading a spreadsheet; a well-meant one of a hundred thousand lines takes about three seconds. */
  sheetTimeoutMs: 20_000,
  sheetHeapMb: 320,
} as const

/** An import that cannot be read at all. `field` is where the person put it. */
export function unreadable(message: string, fault: string): Refusal {
  return new Refusal('invalid', message, { fields: { data: fault } })
}

export function tooLarge(message: string): Refusal {
  return new Refusal('too_large', message)
}
