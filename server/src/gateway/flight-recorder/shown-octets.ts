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

interface FieldSpan extends OctetSpan {
  /** Undefined for a string that is longer than its field. */
  readonly value: unknown
}

/**
 * The octet range and value of each mandatory field by name, and where the last one ends. A field that cannot be read, and
 * those after it, are missing; a string that is too long ends at its NUL all the same.
 */
export function fieldSpans(
  type: PduType,
  raw: Buffer,
  from: number,
): { readonly spans: ReadonlyMap<string, FieldSpan>; readonly end: number; readonly isWhole: boolean } {
  const spans = new Map<string, FieldSpan>()
  let start = from
  for (const [name, field] of Object.entries(type.fields)) {
    const reader = new Reader(raw, start, raw.length)
    let value: unknown = field.read(reader)
    let end = reader.at
    if (reader.failure !== 0) {
      const nul = field.shape.kind === 'c-octet' ? raw.indexOf(0, start) : -1
      if (nul < 0) return { spans, end: start, isWhole: false }
      value = undefined
      end = nul + 1
    }
    spans.set(name, { start, end, value })
    start = end
  }
  return { spans, end: start, isWhole: true }
}
