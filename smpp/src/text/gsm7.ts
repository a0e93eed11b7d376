// The GSM 7-bit alphabet (3GPP TS 23.038 §6.2.1) with its national language tables (annex A), one septet per octet as
// SMPP carries it, and the packed form that some peers use (§6.1.2).

import type { DecodedText, TextFlag } from './flags.ts'
import { defaultTable, extensionTable } from './gsm7-tables.ts'
import {
  lockingTable,
  nationalLanguages,
  singleShiftTable,
  type NationalTables,
} from './national-languages.ts'

const escapeSeptet = 0x1b
const carriageReturn = 0x0d
const replacement = 0xfffd

/** No national table: the default alphabet and its extension table. */
export const defaultTables: NationalTables = { locking: 0, single: 0 }

/** Code units by septet; 0 where there is none. */
interface CodeUnits {
  readonly base: Uint16Array
  readonly extension: Uint16Array
}

const defaultCodeUnits: CodeUnits = {
  base: Uint16Array.from(defaultTable, (character) => character.charCodeAt(0)),
  extension: new Uint16Array(128),
}
for (const [septet, character] of extensionTable) defaultCodeUnits.extension[septet] = character.charCodeAt(0)

// §6.2.1.2.1: a receiver that does not know a table reads the message with the default one.
function codeUnitsOf({ locking, single }: NationalTables): CodeUnits {
  return {
    base: lockingTable(locking) ?? defaultCodeUnits.base,
    extension: singleShiftTable(single) ?? defaultCodeUnits.extension,
  }
}

/**
 * Text of unpacked septets, one per octet, by the tables that the header names. Never throws.
 * An escape with nothing after it, or before another escape, is a space (23.038 §6.2.1.1); before a septet
 * that the extension table lacks it is passed over and the base character shown; an octet above 0x7F, or a septet
 * that a national table leaves empty, is U+FFFD.
 */
export function decodeGsm7(septets: Uint8Array, tables: NationalTables = defaultTables): DecodedText {
  const codeUnits = codeUnitsOf(tables)
  const flags = new Set<TextFlag>()
  const units = Buffer.allocUnsafe(septets.length * 2)
  let end = 0
  for (let at = 0; at < septets.length; at++) {
    const octet = septets[at] ?? 0
    let unit = 0
    if (octet === escapeSeptet) {
      const next = septets[at + 1]
      unit = next === undefined ? 0x20 : escaped(next, codeUnits, flags)
      if (next === undefined) flags.add('lone_escape')
      at++
    } else unit = baseUnit(octet, codeUnits, flags)
    end = units.writeUInt16LE(unit, end)
  }
  return { text: units.toString('utf16le', 0, end), flags: [...flags] }
}

function baseUnit(octet: number, { base }: CodeUnits, flags: Set<TextFlag>): number {
  const unit = base[octet] ?? 0
  if (unit !== 0) return unit
  flags.add(octet > 0x7f ? 'not_gsm7' : 'unassigned_code')
  return replacement
}

function escaped(septet: number, codeUnits: CodeUnits, flags: Set<TextFlag>): number {
  if (septet > 0x7f) {
    flags.add('not_gsm7')
    return replacement
  }
  const unit = codeUnits.extension[septet] ?? 0
  if (unit !== 0) return unit
  if (septet === escapeSeptet) {
    // 23.038 reserves escape-escape for a further table, until then a space.
    flags.add('lone_escape')
    return 0x20
  }
  flags.add('unknown_escape')
  return baseUnit(septet, codeUnits, flags)
}

// Code unit → septet; extension characters carry the escape in the high octet. By the tables' identifiers.
const septetsByTables = new Map<number, ReadonlyMap<number, number>>()

function septetsOf(tables: NationalTables): ReadonlyMap<number, number> {
  const key = tables.locking * 256 + tables.single
  const known = septetsByTables.get(key)
  if (known !== undefined) return known
  const { base, extension } = codeUnitsOf(tables)
  const septets = new Map<number, number>()
  // A character that stands twice gets its first place, and one in both tables the place without the escape.
  const add = (unit: number, septet: number): void => {
    if (unit !== 0 && !septets.has(unit)) septets.set(unit, septet)
  }
  for (const [septet, unit] of base.entries()) if (septet !== escapeSeptet) add(unit, septet)
  for (const [septet, unit] of extension.entries()) add(unit, (escapeSeptet << 8) | septet)
  septetsByTables.set(key, septets)
  return septets
}

/** The text as unpacked septets, one per octet, or undefined when the tables lack one of its characters. */
export function encodeGsm7(text: string, tables: NationalTables = defaultTables): Uint8Array | undefined {
  const septetsByCodeUnit = septetsOf(tables)
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

/**
 * The national tables that need the fewest septets for a text, header included, and its septets; undefined when no
 * table has all its characters. A text that the default alphabet has gets the default tables.
 */
export function encodeNational(
  text: string,
): { readonly tables: NationalTables; readonly septets: Uint8Array } | undefined {
  const plain = encodeGsm7(text)
  if (plain !== undefined) return { tables: defaultTables, septets: plain }
  let best: { tables: NationalTables; septets: Uint8Array } | undefined
  let bestCost = Infinity
  for (const tables of tablePairs) {
    const septets = encodeGsm7(text, tables)
    // Each table that is named takes three octets of header.
    const cost = (septets?.length ?? Infinity) + (tables.locking === 0 || tables.single === 0 ? 4 : 7)
    if (septets === undefined || cost >= bestCost) continue
    best = { tables, septets }
    bestCost = cost
  }
  return best
}

// A language's two tables, and each alone. Tables of two languages in one message are allowed, but no telephone writes it.
const tablePairs: readonly NationalTables[] = Object.values(nationalLanguages).flatMap((language) => [
  { locking: 0, single: language },
  ...(lockingTable(language) === undefined
    ? []
    : [
        { locking: language, single: 0 },
        { locking: language, single: language },
      ]),
])

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
