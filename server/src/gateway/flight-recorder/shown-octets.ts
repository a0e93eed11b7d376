// Finds the octets of each field of a PDU and writes them in hexadecimal. Those of a text or password are never written.
import type { PduType } from '@tollgate/smpp/pdu/define.ts'
import { Reader } from '@tollgate/smpp/wire/reader.ts'

/** Stands for an octet that is hidden. */
const hiddenOctet = '··'

// A PDU may have 70,000 octets, and a screen shows 200 PDUs at once, so only the first ones are shown.
const octetsMax = 512

/** Writes octets in hexadecimal until the limit of one PDU is reached. */
export class OctetWriter {
  readonly #raw: Buffer
  #left = octetsMax

  constructor(raw: Buffer) {
    this.#raw = raw
  }

  /** The octets from `start` to `end`, hidden from `hiddenFrom` on; truncated at the limit. */
  hex(start: number, end: number, hiddenFrom = end): string {
    const stop = Math.min(end, start + this.#left)
    this.#left -= Math.max(0, stop - start)
    const shownTo = Math.min(stop, hiddenFrom)
    const shown = this.#raw.toString('hex', start, Math.max(start, shownTo))
    return shown + hiddenOctet.repeat(Math.max(0, stop - Math.max(start, hiddenFrom)))
  }
}

export interface OctetSpan {
  readonly start: number
  readonly end: number
}

/**
 * The octet range of each mandatory field by name, and where the last one ends. A field that cannot be read, and those
 * after it, have no range.
 */
export function fieldSpans(
  type: PduType,
  raw: Buffer,
  from: number,
): { readonly spans: ReadonlyMap<string, OctetSpan>; readonly end: number } {
  const reader = new Reader(raw, from, raw.length)
  const spans = new Map<string, OctetSpan>()
  let end = from
  for (const [name, field] of Object.entries(type.fields)) {
    const start = reader.at
    field.read(reader)
    if (reader.failure !== 0) break
    end = reader.at
    spans.set(name, { start, end })
  }
  return { spans, end }
}
