// Which octets of a PDU are which field, in hexadecimal; those of a text or password are never written down.
import type { PduType } from '@tollgate/smpp/pdu/define.ts'
import { Reader } from '@tollgate/smpp/wire/reader.ts'

/** Stands for an octet that is hidden. */
export const hiddenOctet = '··'

// A PDU may have 70,000 octets; what stands beyond these helps nobody, and a screen reads 200 PDUs at once.
const octetsMax = 512

/** Writes octets one after the other until so many are written that a screen has enough. */
export class OctetWriter {
  readonly #raw: Buffer
  #left = octetsMax

  constructor(raw: Buffer) {
    this.#raw = raw
  }

  /** The octets from `start` to `end`, those from `hiddenFrom` on hidden; cut off at the limit. */
  hex(start: number, end: number, hiddenFrom = end): string {
    const stop = Math.min(end, start + this.#left)
    this.#left -= Math.max(0, stop - start)
    const shownTo = Math.min(stop, hiddenFrom)
    const shown = this.#raw.toString('hex', start, Math.max(start, shownTo))
    return shown + hiddenOctet.repeat(Math.max(0, stop - Math.max(start, hiddenFrom)))
  }
}

export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Where each mandatory field of the PDU stands, by its name, and where they all end. What cannot be read has no place,
 * nor has what follows it.
 */
export function placesOf(
  type: PduType,
  raw: Buffer,
  from: number,
): { readonly places: ReadonlyMap<string, Span>; readonly end: number } {
  const reader = new Reader(raw, from, raw.length)
  const places = new Map<string, Span>()
  let end = from
  for (const [name, field] of Object.entries(type.fields)) {
    const start = reader.at
    field.read(reader)
    if (reader.failure !== 0) break
    end = reader.at
    places.set(name, { start, end })
  }
  return { places, end }
}
