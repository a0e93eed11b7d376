// Copies a PDU for a recorder. The password of a bind or outbind is overwritten: no recording may contain one.
import { commandId } from '../values/command-id.ts'
import { isBind } from './permitted.ts'

/** Copies the octets from `start` to `end` of a PDU with this command_id; passwords (§5.2.2) become asterisks. */
export function copyForTap(bytes: Buffer, start: number, end: number, id: number): Buffer {
  const copy = Buffer.from(bytes.subarray(start, end))
  if (!isBind(id) && id !== commandId.outbind) return copy
  // §4.1: system_id and password are the first two strings of the body. A bind without its NULs is masked whole.
  const nameEnd = copy.indexOf(0, 16)
  const passwordStart = nameEnd < 0 ? 16 : nameEnd + 1
  const passwordEnd = copy.indexOf(0, passwordStart)
  copy.fill('*', Math.min(passwordStart, copy.length), passwordEnd < 0 ? copy.length : passwordEnd)
  return copy
}
