// The bytes inside a batch's sealed bodies: for each record in the order of the batch, addresses, coding and body as
// they were on the wire. One seal for a batch costs a hundredth of one for each message.
import type { IngestMessage } from './message.ts'
import type { WireWriter } from './wire.ts'

/** A message as it came. */
export interface RawMessage {
  readonly sourceAddress: string
  readonly destinationAddress: string
  readonly esmClass: number
  readonly dataCoding: number
  readonly body: Uint8Array
}

const layoutVersion = 1
const bodySizeMax = 65_535
// Three bytes each at most, so that the size fits into one.
const addressCharactersMax = 85

/** What a batch's bodies are sealed for: they do not open as another batch's. */
export const placeOfBodies = (batchId: number | bigint): string => `record_batches.sealed_bodies:${batchId}`

export function beginBodies(out: WireWriter): void {
  out.length = 0
  out.reserve(1)
  out.byte(layoutVersion)
}

/** Appends one record's part: two sizes of addresses, esm_class, data_coding, the body's size, then the three. */
export function appendBody(out: WireWriter, message: IngestMessage): void {
  const { sourceAddress, destinationAddress } = message
  // A longer one would shift every body behind it; no protocol of ours carries one.
  const body = message.body.length > bodySizeMax ? message.body.subarray(0, bodySizeMax) : message.body
  out.reserve(6 + (sourceAddress.length + destinationAddress.length) * 3 + body.length)
  const start = out.length
  out.length += 6
  const sourceSize = address(out, sourceAddress)
  const destinationSize = address(out, destinationAddress)
  const { bytes } = out
  bytes[start] = sourceSize
  bytes[start + 1] = destinationSize
  bytes[start + 2] = message.esmClass
  bytes[start + 3] = message.dataCoding
  bytes[start + 4] = body.length >>> 8
  bytes[start + 5] = body.length
  out.raw(body)
}

function address(out: WireWriter, whole: string): number {
  const start = out.length
  const text = whole.length > addressCharactersMax ? whole.slice(0, addressCharactersMax) : whole
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place)
    if (code > 127) {
      out.length = start + out.bytes.write(text, start, 'utf8')
      return out.length - start
    }
    out.bytes[start + place] = code
  }
  out.length = start + text.length
  return text.length
}

/** The record at `place` of a batch; undefined when the layout is unknown or ends before it. */
export function readBodyAt(bodies: Buffer, place: number): RawMessage | undefined {
  return readBodiesAt(bodies, new Set([place])).get(place)
}

/** The records at these places of a batch, in one walk; those beyond its end are left out. */
export function readBodiesAt(bodies: Buffer, places: ReadonlySet<number>): Map<number, RawMessage> {
  const found = new Map<number, RawMessage>()
  if (bodies[0] !== layoutVersion) return found
  let start = 1
  for (let place = 0; found.size < places.size; place += 1) {
    if (start + 6 > bodies.length) break
    const sourceEnd = start + 6 + bodies.readUInt8(start)
    const destinationEnd = sourceEnd + bodies.readUInt8(start + 1)
    const end = destinationEnd + bodies.readUInt16BE(start + 4)
    if (end > bodies.length) break
    if (places.has(place)) {
      found.set(place, {
        sourceAddress: bodies.toString('utf8', start + 6, sourceEnd),
        destinationAddress: bodies.toString('utf8', sourceEnd, destinationEnd),
        esmClass: bodies.readUInt8(start + 2),
        dataCoding: bodies.readUInt8(start + 3),
        body: bodies.subarray(destinationEnd, end),
      })
    }
    start = end
  }
  return found
}
