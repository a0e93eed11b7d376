// The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038 §6.2.1), one septet per octet
// as SMPP carries it, and the packed form that some peers use (§6.1.2).

import type { DecodedText, TextFlag } from './flags.ts'

const escapeSeptet = 0x1b
const carriageReturn = 0x0d
const replacement = 0xfffd

// Sixteen characters per row. Position 0x1B is the escape itself; `decodeGsm7` handles it.
const defaultTable =
  '@£$¥èéùìòÇ\nØø\rÅå' +
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ' +
  ' !"#¤%&\'()*+,-./' +
  '0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNO' +
  'PQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmno' +
  'pqrstuvwxyzäöñüà'

/** The extension table: septet after the escape → character. */
export const extensionTable: ReadonlyMap<number, string> = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
])

const defaultCodeUnits = Uint16Array.from(defaultTable, (character) => character.charCodeAt(0))
const extensionCodeUnits = new Uint16Array(128)
// Code unit → septet; extension characters carry the escape in the high octet.
const septetsByCodeUnit = new Map<number, number>()
for (const [septet, codeUnit] of defaultCodeUnits.entries()) {
  if (septet !== escapeSeptet) septetsByCodeUnit.set(codeUnit, septet)
}
for (const [septet, character] of extensionTable) {
  extensionCodeUnits[septet] = character.charCodeAt(0)
  septetsByCodeUnit.set(character.charCodeAt(0), (escapeSeptet << 8) | septet)
}

/**
 * Text of unpacked septets, one per octet. Never throws.
 * An escape with nothing after it, or before another escape, is a space (23.038 §6.2.1.1); before a septet
 * that the extension table lacks it is passed over and the base character shown; an octet above 0x7F is U+FFFD.
 */
export function decodeGsm7(septets: Uint8Array): DecodedText {
  const flags = new Set<TextFlag>()
  const units = Buffer.allocUnsafe(septets.length * 2)
  let end = 0
  for (let at = 0; at < septets.length; at++) {
    const octet = septets[at] ?? 0
    let unit = octet > 0x7f ? replacement : (defaultCodeUnits[octet] ?? replacement)
    if (octet > 0x7f) flags.add('not_gsm7')
    if (octet === escapeSeptet) {
      const next = septets[at + 1]
      unit = next === undefined ? 0x20 : escaped(next, flags)
      if (next === undefined) flags.add('lone_escape')
      at++
    }
    end = units.writeUInt16LE(unit, end)
  }
  return { text: units.toString('utf16le', 0, end), flags: [...flags] }
}

function escaped(septet: number, flags: Set<TextFlag>): number {
  if (septet > 0x7f) {
    flags.add('not_gsm7')
    return replacement
  }
  const unit = extensionCodeUnits[septet] ?? 0
  if (unit !== 0) return unit
  if (septet === escapeSeptet) {
    // 23.038 reserves escape-escape for a further table, until then a space.
    flags.add('lone_escape')
    return 0x20
  }
  flags.add('unknown_escape')
  return defaultCodeUnits[septet] ?? replacement
}

/** The text as unpacked septets, one per octet, or undefined when the alphabet lacks one of its characters. */
export function encodeGsm7(text: string): Uint8Array | undefined {
  const septets = new Uint8Array(text.length * 2)
  let end = 0
  for (let at = 0; at < text.length; at++) {
    const septet = septetsByCodeUnit.get(text.charCodeAt(at))
    if (septet === undefined) return undefined
    if (septet > 0x7f) septets[end++] = escapeSeptet
    septets[end++] = septet & 0x7f
  }
  return septets.subarray(0, end)
}

/** Zero bits between a header of `headerOctets` octets and the first septet (23.040 §9.2.3.24). */
export function fillBitCount(headerOctets: number): number {
  return (7 - ((headerOctets * 8) % 7)) % 7
}

/**
 * Septets packed eight to seven octets (23.038 §6.1.2.1), after `fillBits` (0–6) zero bits.
 * Seven spare bits at the end become a carriage return, because zeros would read as an @.
 */
export function packGsm7(septets: Uint8Array, fillBits = 0): Uint8Array {
  const bitCount = fillBits + septets.length * 7
  const octets = new Uint8Array(Math.ceil(bitCount / 8))
  const put = (septet: number, bit: number): void => {
    const at = bit >> 3
    const shifted = (septet & 0x7f) << (bit & 7)
    octets[at] = (octets[at] ?? 0) | (shifted & 0xff)
    if (shifted > 0xff) octets[at + 1] = (octets[at + 1] ?? 0) | (shifted >> 8)
  }
  for (const [index, septet] of septets.entries()) put(septet, fillBits + index * 7)
  if (septets.length > 0 && octets.length * 8 - bitCount === 7) put(carriageReturn, bitCount)
  return octets
}

/** Unpacked septets, one per octet, and a flag when their end is ambiguous. */
interface UnpackedSeptets {
  readonly septets: Uint8Array
  readonly flags: readonly TextFlag[]
}

/**
 * Unpacks septets that begin after `fillBits` (0–6) bits. Never throws.
 * SMPP carries no septet count, so a last septet that fills the last octet exactly may be padding:
 * a carriage return there always is; zeros are read as padding and flagged, as many peers pad with them.
 * With `septetCount` nothing is ambiguous, and exactly that many are returned (fewer when there are fewer).
 */
export function unpackGsm7(octets: Uint8Array, fillBits = 0, septetCount?: number): UnpackedSeptets {
  const bitCount = Math.max(0, octets.length * 8 - fillBits)
  const available = Math.floor(bitCount / 7)
  const count = Math.min(Math.max(0, septetCount ?? available), available)
  const septets = new Uint8Array(count)
  for (let index = 0; index < count; index++) {
    const bit = fillBits + index * 7
    const at = bit >> 3
    const pair = (octets[at] ?? 0) | ((octets[at + 1] ?? 0) << 8)
    septets[index] = (pair >> (bit & 7)) & 0x7f
  }
  const mayBePadding = septetCount === undefined && count > 1 && bitCount % 7 === 0
  const last = septets[count - 1]
  if (!mayBePadding || (last !== carriageReturn && last !== 0)) return { septets, flags: [] }
  return { septets: septets.subarray(0, count - 1), flags: last === 0 ? ['packed_end_unclear'] : [] }
}
