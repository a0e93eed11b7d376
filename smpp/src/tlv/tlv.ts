// Optional parameters (SMPP 3.4 §3.2.4): tag, length, value. They are read as views and typed on access.
import { commandStatus } from '../values/command-status.ts'
import { latin1 } from '../wire/octet-string.ts'
import type { Reader } from '../wire/reader.ts'
import type { Writer } from '../wire/writer.ts'
import { tags, type TlvTag, type TlvType, tlvTag } from './tags.ts'

export interface Tlv {
  readonly tag: number
  readonly value: Buffer
}

/** The TypeScript type of a tag's value: numbers, strings, and bytes for octets and unknown tags. */
type TlvValue<Type extends TlvType> = Type extends { kind: 'integer' }
  ? number
  : Type extends { kind: 'c-octet' }
    ? string
    : Type extends { kind: 'octets' }
      ? Buffer
      : true

/** The list that a PDU without optional parameters shares. */
export const noTlvs: readonly Tlv[] = Object.freeze([])

/** The value of the first TLV with this tag, typed by its definition; undefined when absent or of a wrong length. */
export function findTlv<Type extends TlvType>(
  tlvs: readonly Tlv[],
  searched: TlvTag<Type>,
): TlvValue<Type> | undefined {
  for (const tlv of tlvs)
    if (tlv.tag === searched.tag)
      return isOddTlv(tlv) ? undefined : (typed(tlv.value, searched.type) as TlvValue<Type>)
  return undefined
}

function typed(value: Buffer, type: TlvType): number | string | Buffer | true {
  switch (type.kind) {
    case 'integer':
      return value.readUIntBE(0, type.octets)
    case 'c-octet': {
      const nul = value.indexOf(0)
      return latin1(value, 0, nul < 0 ? value.length : nul)
    }
    case 'octets':
      return value
    case 'flag':
      return true
  }
}

/** Makes a TLV from a typed value. Integers are cut to their width; a text gets its NUL. */
export function makeTlv<Type extends TlvType>(definition: TlvTag<Type>, value: TlvValue<Type>): Tlv {
  const { tag } = definition
  const type: TlvType = definition.type
  if (type.kind === 'integer') {
    const bytes = Buffer.alloc(type.octets)
    bytes.writeUIntBE(Number(value) % 2 ** (8 * type.octets), 0, type.octets)
    return { tag, value: bytes }
  }
  if (typeof value === 'string') return { tag, value: Buffer.from(`${value}\0`, 'latin1') }
  return { tag, value: Buffer.isBuffer(value) ? value : Buffer.alloc(0) }
}

/** The fault of a TLV of a known tag: 0xC2 for its length, 0xC4 for its value; 0 for none or an unknown tag. */
export function tlvFault(tlv: Tlv, isStrict: boolean): number {
  const type = tlvTag(tlv.tag)?.type
  if (type === undefined) return 0
  const { length } = tlv.value
  if (type.kind === 'integer') {
    if (length !== type.octets) return commandStatus.ESME_RINVPARLEN
    if (!isStrict || type.allows === undefined || type.allows(tlv.value.readUIntBE(0, length))) return 0
    return commandStatus.ESME_RINVOPTPARAMVAL
  }
  if (type.kind === 'flag') return length === 0 ? 0 : commandStatus.ESME_RINVPARLEN
  if (length < type.octetsMin || length > type.octetsMax) return commandStatus.ESME_RINVPARLEN
  // §3.2.4: the NUL counts in the length of a C-octet TLV. Many SMSCs leave it out, so only strict requires it.
  return type.kind === 'c-octet' && isStrict && tlv.value[length - 1] !== 0
    ? commandStatus.ESME_RINVPARLEN
    : 0
}

/** Reserved by §3.2.4.1: here the tag of octets after the last TLV that make none. */
const trailingTag = 0

/** Whether a TLV cannot be used as what its tag says. Lenient reading keeps such ones, and nobody interprets them. */
export function isOddTlv(tlv: Tlv): boolean {
  return tlv.tag === trailingTag || tlvFault(tlv, false) !== 0
}

/**
 * Reads all TLVs up to the end of the PDU. Any order; of duplicates the first wins and the others are counted. A lenient
 * reader also takes a TLV whose length or value is wrong, and octets at the end that make none, as {@link isOddTlv}.
 */
export function readTlvs(reader: Reader, onDuplicate: () => void): readonly Tlv[] {
  if (reader.at === reader.end) return noTlvs
  const found: Tlv[] = []
  // Beyond this many the search for duplicates would cost more than a list deserves.
  const seen = reader.remaining > 512 ? new Set<number>() : undefined
  while (reader.at < reader.end) {
    if (reader.isLenient && isTrailing(reader, found.length)) {
      reader.isOdd = true
      found.push({ tag: trailingTag, value: reader.octets(reader.remaining, 0) })
      break
    }
    const tag = reader.integer(2, commandStatus.ESME_RINVOPTPARSTREAM)
    const length = reader.integer(2, commandStatus.ESME_RINVOPTPARSTREAM)
    const value = reader.octets(length, overrunStatus(tag, found.length))
    if (reader.failure !== 0) return noTlvs
    const tlv = { tag, value }
    const fault = tlvFault(tlv, true)
    if (fault !== 0 && !reader.isLenient) {
      reader.fail(fault, `TLV 0x${tag.toString(16).padStart(4, '0')} with ${length} octets is not valid`)
      return noTlvs
    }
    if (fault !== 0) reader.isOdd = true
    if (seen?.has(tag) ?? found.some((earlier) => earlier.tag === tag)) onDuplicate()
    else found.push(tlv)
    seen?.add(tag)
  }
  return found
}

/**
 * Whether the octets from here on make no TLV, and no part of a text either: NULs, or a TLV that the PDU is too short for.
 * When nothing was read before them, they may be a text that sm_length left out, unless they begin with a tag of SMPP.
 */
function isTrailing({ bytes, at, end }: Reader, readCount: number): boolean {
  const length = end - at
  const isWhole = length >= 4 && bytes.readUInt16BE(at + 2) <= length - 4
  if (isWhole) return false
  if (bytes.subarray(at, end).every((octet) => octet === 0)) return true
  const tag = length >= 2 ? bytes.readUInt16BE(at) : undefined
  // A text that was cut off would be stored as if it were whole.
  if (tag === tags.messagePayload.tag) return false
  return readCount > 0 || (tag !== undefined && tlvTag(tag) !== undefined)
}

// §3.2.4.1 reserves tags from 0x4000: as a first "tag" that also overruns, it is text that sm_length left out.
function overrunStatus(tag: number, readCount: number): number {
  return readCount === 0 && tag >= 0x4000
    ? commandStatus.ESME_RINVCMDLEN
    : commandStatus.ESME_RINVOPTPARSTREAM
}

/** Writes the parameters in their order (§3.2.4.1). A value over 65,535 octets is a failure of the writer. */
export function writeTlvs(writer: Writer, tlvs: readonly Tlv[]): void {
  for (const { tag, value } of tlvs) {
    writer.integer(2, tag)
    writer.integer(2, value.length)
    writer.octets(value)
  }
}
