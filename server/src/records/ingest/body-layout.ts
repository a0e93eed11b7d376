// The bytes of a batch's encrypted bodies: for each record in the order of the batch, addresses, coding and body as they
// were on the wire. Encrypting them together costs a hundredth of encrypting each message.
import type { IngestMessage } from './message.ts'
import type { WireWriter } from './wire.ts'

/** A message as it was on the wire. */
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

/** The associated data of the encryption: bodies of one batch cannot be decrypted as another's. */
export const encryptionContextOf = (batchId: number | bigint): string =>
  `record_batches.sealed_bodies:${batchId}`

export function beginBodies(out: WireWriter): void {
  out.length = 0
  out.reserve(1)
  out.byte(layoutVersion)
}

/** Appends one record: the sizes of both addresses, esm_class, data_coding, the body's size, then addresses and body. */
export function appendBody(out: WireWriter, message: IngestMessage): void {
  const { sourceAddress, destinationAddress } = message
  // A longer body would not fit into the size field; no protocol of ours carries one.
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
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code > 127) {
      out.length = start + out.bytes.write(text, start, 'utf8')
      return out.length - start
    }
    out.bytes[start + index] = code
  }
  out.length = start + text.length
  return text.length
}

/** The record at `index` of a batch; undefined when the layout is unknown or ends before it. */
export function readBodyAt(bodies: Buffer, index: number): RawMessage | undefined {
  return readBodiesAt(bodies, new Set([index])).get(index)
}

/** The records at these indexes of a batch, read in one pass; indexes beyond its end are left out. */
export function readBodiesAt(bodies: Buffer, indexes: ReadonlySet<number>): Map<number, RawMessage> {
  const found = new Map<number, RawMessage>()
  if (bodies[0] !== layoutVersion) return found
  let start = 1
  for (let index = 0; found.size < indexes.size; index += 1) {
    if (start + 6 > bodies.length) break
    const sourceEnd = start + 6 + bodies.readUInt8(start)
    const destinationEnd = sourceEnd + bodies.readUInt8(start + 1)
    const end = destinationEnd + bodies.readUInt16BE(start + 4)
    if (end > bodies.length) break
    if (indexes.has(index)) {
      found.set(index, {
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
