// The parts of a ZIP archive. The sizes in its directory are checked before anything is unpacked, and a part that is larger
// than its stated size ends there. Small archives in the form of ZIP64 are read too, as some programs write all of theirs.
import { crc32, inflateRawSync } from 'node:zlib'
import { Fault } from './fault.mjs'

const endSignature = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const locatorSignature = 0x07064b50
const end64Signature = 0x06064b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const endBytes = 22
const locatorBytes = 20
const entryBytes = 46
const localBytes = 30
const stored = 0
const deflated = 8
// What stands where a value is in ZIP64's own field.
const elsewhere = 0xffffffff
const zip64Field = 0x0001

/**
 * @typedef {object} Part
 * @property {number} method
 * @property {number} packedBytes
 * @property {number} unpackedBytes
 * @property {number} headerAt
 * @property {number} checksum
 */

/**
 * The parts by their names in lower case. Throws Fault.
 * @param {Buffer} content
 * @param {import('./row-bounds.mjs').Bounds} bounds
 * @returns {Map<string, Part>}
 */
export function partsOf(content, bounds) {
  return readBytes(() => {
    const { count, directoryAt } = endOf(content)
    if (count > bounds.archiveEntries) throw new Fault('entries')
    const parts = new Map()
    let at = directoryAt
    let unpackedBytes = 0
    for (let index = 0; index < count; index += 1) {
      if (content.readUInt32LE(at) !== entrySignature) throw new Fault('damaged')
      const extraAt = at + entryBytes + content.readUInt16LE(at + 28)
      const end = extraAt + content.readUInt16LE(at + 30)
      const name = content.toString('utf8', at + entryBytes, extraAt)
      const part = partOf(content, at, content.subarray(extraAt, end))
      parts.set(name.replaceAll('\\', '/').toLowerCase(), part)
      unpackedBytes += part.unpackedBytes
      at = end + content.readUInt16LE(at + 32)
    }
    if (unpackedBytes > bounds.unpackedBytes) throw new Fault('unpacked')
    if (unpackedBytes > content.length * bounds.unpackedRatio) throw new Fault('ratio')
    return parts
  })
}

/**
 * Reading behind the end of the file is what a damaged one leads to.
 * @template T
 * @param {() => T} read
 * @returns {T}
 */
function readBytes(read) {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new Fault('damaged') : error
  }
}

/** @param {Buffer} content */
function endOf(content) {
  const at = content.lastIndexOf(endSignature)
  if (at < 0 || at + endBytes > content.length) throw new Fault('damaged')
  const end = { count: content.readUInt16LE(at + 10), directoryAt: content.readUInt32LE(at + 16) }
  const locatorAt = at - locatorBytes
  if (locatorAt < 0 || content.readUInt32LE(locatorAt) !== locatorSignature) return end
  const end64 = content.subarray(uint64(content, locatorAt + 8))
  if (end64.readUInt32LE(0) !== end64Signature) throw new Fault('damaged')
  return { count: uint64(end64, 32), directoryAt: uint64(end64, 48) }
}

/**
 * @param {Buffer} content
 * @param {number} at where its entry in the directory begins
 * @param {Buffer} extra
 * @returns {Part}
 */
function partOf(content, at, extra) {
  // ZIP64's field has only those values that are not in the entry, in this order.
  const values = zip64Values(extra)
  const valueOf = (/** @type {number} */ offset) => {
    const value = content.readUInt32LE(at + offset)
    return value === elsewhere ? uint64(values.splice(0, 1)[0] ?? Buffer.alloc(0), 0) : value
  }
  const unpackedBytes = valueOf(24)
  const packedBytes = valueOf(20)
  return {
    method: content.readUInt16LE(at + 10),
    checksum: content.readUInt32LE(at + 16),
    packedBytes,
    unpackedBytes,
    headerAt: valueOf(42),
  }
}

/** @param {Buffer} extra */
function zip64Values(extra) {
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === zip64Field)
      return [at + 4, at + 12, at + 20].map((from) => extra.subarray(from, end))
    at = end
  }
  return []
}

/**
 * @param {Buffer} bytes
 * @param {number} at
 */
function uint64(bytes, at) {
  return Number(bytes.readBigUInt64LE(at))
}

/**
 * The bytes of a part. Throws Fault.
 * @param {Buffer} content
 * @param {Part} part
 */
export function unpack(content, part) {
  const unpacked = inflate(
    readBytes(() => packedOf(content, part)),
    part,
  )
  if (unpacked.length !== part.unpackedBytes || crc32(unpacked) !== part.checksum) throw new Fault('damaged')
  return unpacked
}

/**
 * @param {Buffer} packed
 * @param {Part} part
 */
function inflate(packed, { method, unpackedBytes }) {
  if (method === stored) return packed
  if (method !== deflated) throw new Fault('damaged')
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, unpackedBytes) })
  } catch (error) {
    throw new Fault(
      /** @type {NodeJS.ErrnoException} */ (error).code === 'ERR_BUFFER_TOO_LARGE' ? 'ratio' : 'damaged',
    )
  }
}

/**
 * @param {Buffer} content
 * @param {Part} part
 */
function packedOf(content, { headerAt, packedBytes }) {
  if (content.readUInt32LE(headerAt) !== localSignature) throw new Fault('damaged')
  const start =
    headerAt + localBytes + content.readUInt16LE(headerAt + 26) + content.readUInt16LE(headerAt + 28)
  if (start + packedBytes > content.length) throw new Fault('damaged')
  return content.subarray(start, start + packedBytes)
}
