// The parts of a ZIP archive, unpacked piece by piece. The sizes in its directory are checked before anything is
// unpacked, and a part that is larger than its stated size ends there.
import { createInflateRaw } from 'node:zlib'
import { Fault } from './fault.mjs'

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const endBytes = 22
const entryBytes = 46
const localBytes = 30
const stored = 0
const deflated = 8

/**
 * @typedef {object} Part
 * @property {number} method
 * @property {number} packedBytes
 * @property {number} unpackedBytes
 * @property {number} headerAt
 */

/**
 * The parts by their names in lower case. Throws Fault.
 * @param {Buffer} content
 * @param {import('./row-bounds.mjs').Bounds} bounds
 * @returns {Map<string, Part>}
 */
export function partsOf(content, bounds) {
  const endAt = content.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (endAt < 0 || endAt + endBytes > content.length) throw new Fault('damaged')
  if (content.readUInt32LE(endAt) !== endSignature) throw new Fault('damaged')
  const count = content.readUInt16LE(endAt + 10)
  if (count > bounds.archiveEntries) throw new Fault('entries')
  const parts = new Map()
  let at = content.readUInt32LE(endAt + 16)
  let unpackedBytes = 0
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > endAt || content.readUInt32LE(at) !== entrySignature) throw new Fault('damaged')
    const nameBytes = content.readUInt16LE(at + 28)
    const name = content.toString('utf8', at + entryBytes, at + entryBytes + nameBytes)
    const part = {
      method: content.readUInt16LE(at + 10),
      packedBytes: content.readUInt32LE(at + 20),
      unpackedBytes: content.readUInt32LE(at + 24),
      headerAt: content.readUInt32LE(at + 42),
    }
    parts.set(name.replaceAll('\\', '/').toLowerCase(), part)
    unpackedBytes += part.unpackedBytes
    at += entryBytes + nameBytes + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32)
  }
  if (unpackedBytes > bounds.unpackedBytes) throw new Fault('unpacked')
  if (unpackedBytes > content.length * bounds.unpackedRatio) throw new Fault('ratio')
  return parts
}

/**
 * The bytes of a part in pieces of 64 KB. Throws Fault.
 * @param {Buffer} content
 * @param {Part} part
 * @returns {AsyncGenerator<Buffer>}
 */
export async function* unpack(content, part) {
  const packed = packedOf(content, part)
  if (part.method === stored) {
    if (part.packedBytes !== part.unpackedBytes) throw new Fault('damaged')
    for (let at = 0; at < packed.length; at += 65_536) yield packed.subarray(at, at + 65_536)
    return
  }
  if (part.method !== deflated) throw new Fault('damaged')
  const inflate = createInflateRaw({ chunkSize: 65_536 })
  inflate.end(packed)
  let unpackedBytes = 0
  try {
    for await (const piece of inflate) {
      unpackedBytes += piece.length
      if (unpackedBytes > part.unpackedBytes) throw new Fault('ratio')
      yield piece
    }
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('damaged')
  } finally {
    inflate.destroy()
  }
  if (unpackedBytes !== part.unpackedBytes) throw new Fault('damaged')
}

/**
 * @param {Buffer} content
 * @param {Part} part
 */
function packedOf(content, { headerAt, packedBytes }) {
  if (headerAt + localBytes > content.length || content.readUInt32LE(headerAt) !== localSignature)
    throw new Fault('damaged')
  const start =
    headerAt + localBytes + content.readUInt16LE(headerAt + 26) + content.readUInt16LE(headerAt + 28)
  if (start + packedBytes > content.length) throw new Fault('damaged')
  return content.subarray(start, start + packedBytes)
}
