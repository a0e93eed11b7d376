// Splits a text into segments, in the alphabet that needs the fewest.

import { dataCoding } from '../values/data-coding.ts'
import { esmClass } from '../values/esm-class.ts'
import type { Alphabet, DefaultAlphabet } from './alphabet.ts'
import { defaultTables, encodeGsm7, encodeNational, fillBitCount, packGsm7 } from './gsm7.ts'
import type { NationalTables } from './national-languages.ts'
import type { SegmentPosition } from './segment-position.ts'
import { encodeUcs2, isHighSurrogate } from './ucs2.ts'
import { buildUdh, concatenationElements, languageElements } from './udh.ts'

// 23.040 §9.2.3.24: a body has 140 octets on the radio, that is 160 septets, header included.
const radioOctets = 140
const noOctets = new Uint8Array(0)

interface SplitOptions {
  /** Shared by the segments: 0–255 for udh8, else 0–65,535. Higher bits are cut off. */
  readonly reference: number
  /** Where the position is written; default udh8, which every telephone knows. */
  readonly carrier?: SegmentPosition['carrier'] | undefined
  /** The peer's alphabet of data_coding 0; default gsm7. */
  readonly alphabet?: DefaultAlphabet | undefined
  /** Whether national language tables may be used; not every telephone has them. Default false. */
  readonly isNational?: boolean | undefined
}

export interface MessageSegment {
  /** Header and text, at most 160 octets (140 unless in unpacked GSM): the short_message. */
  readonly octets: Uint8Array
  readonly dataCoding: number
  /** 0x40 when the octets begin with a header, else 0. */
  readonly esmClass: number
  /** Undefined for a text that fits one message. For carrier `sar` the caller sends it as sar_ parameters. */
  readonly position: SegmentPosition | undefined
}

/** A text in octets, and how they may be cut. */
interface EncodedText {
  readonly octets: Uint8Array
  readonly dataCoding: number
  /** In septets, one per octet, of which eight take seven octets on the radio. */
  readonly isGsm: boolean
  readonly tables: NationalTables
  /** How many octets before a cut are the first part of a character, which then moves to the next piece. */
  readonly unfinished: (octets: Uint8Array, end: number) => number
}

/**
 * Splits a text: in the alphabet of data_coding 0 when that has every character, else in UCS-2. No character is cut.
 * Returns undefined for a text of more than 255 segments (39,015 septets or 17,085 UCS-2 characters in udh8), which no
 * header can number.
 */
export function splitText(text: string, options: SplitOptions): readonly MessageSegment[] | undefined {
  const carrier = options.carrier ?? 'udh8'
  const reference = options.reference & (carrier === 'udh8' ? 0xff : 0xffff)
  const encoded = encode(text, options.alphabet ?? 'gsm7', options.isNational === true)
  const languages = languageElements(encoded.tables)
  // The length octet of a header is counted once: with the languages, or with the position.
  const languageOctets = languages.length * 3
  const single = radioOctets - (languageOctets === 0 ? 0 : languageOctets + 1)
  // With sar_ parameters the SMSC builds the header, perhaps a 16-bit one: leave room for it.
  const part = radioOctets - (carrier === 'udh8' ? 6 : 7) - languageOctets
  const room = (octetCount: number): number => roomOf(encoded, octetCount)
  const pieces = cut(encoded.octets, room(single), room(part), encoded.unfinished)
  if (pieces.length > 255) return undefined
  return pieces.map((piece, index) => {
    const position: SegmentPosition | undefined =
      pieces.length === 1 ? undefined : { carrier, reference, total: pieces.length, sequence: index + 1 }
    const elements = [...(position === undefined ? [] : concatenationElements(position)), ...languages]
    const header = elements.length === 0 ? noOctets : buildUdh(elements)
    const isPacked = encoded.isGsm && options.alphabet === 'packed7'
    const content = isPacked ? packGsm7(piece, fillBitCount(header.length)) : piece
    return {
      octets: Buffer.concat([header, content]),
      dataCoding: encoded.dataCoding,
      esmClass: header.length === 0 ? 0 : esmClass.udhIndicator,
      position,
    }
  })
}

function encode(text: string, alphabet: DefaultAlphabet, isNational: boolean): EncodedText {
  const isGsm = alphabet === 'gsm7' || alphabet === 'packed7'
  const national = isGsm && isNational ? encodeNational(text) : undefined
  const octets = national?.septets ?? encodeDefault(text, alphabet)
  if (octets === undefined)
    return {
      octets: encodeUcs2(text),
      dataCoding: dataCoding.ucs2,
      isGsm: false,
      tables: defaultTables,
      unfinished: highSurrogateOctets,
    }
  return {
    octets,
    dataCoding: dataCoding.smscDefault,
    isGsm,
    tables: national?.tables ?? defaultTables,
    unfinished: isGsm ? escapeSeptets : alphabet === 'utf8' ? utf8Octets : () => 0,
  }
}

/** The text in the alphabet of data_coding 0; undefined when that lacks one of its characters. */
export function encodeDefault(text: string, alphabet: DefaultAlphabet): Uint8Array | undefined {
  switch (alphabet) {
    case 'gsm7':
    case 'packed7':
      return encodeGsm7(text)
    case 'ascii':
      // oxlint-disable-next-line no-control-regex
      return /^[\u0000-\u007f]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined
    case 'latin1':
      // oxlint-disable-next-line no-control-regex
      return /^[\u0000-\u007f\u00a0-\u00ff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined
    case 'utf8':
      return Buffer.from(text, 'utf8')
  }
}

/** How many octets of a text fit into this many octets of the radio. */
function roomOf({ isGsm, dataCoding: coding }: EncodedText, octetCount: number): number {
  if (isGsm) return septetCount(octetCount)
  return coding === dataCoding.ucs2 ? octetCount - (octetCount % 2) : octetCount
}

// How many octets before a cut are the first part of a character, for the alphabets whose octets may be cut.
const cuttable: Partial<Record<Alphabet, EncodedText['unfinished']>> = {
  gsm7: escapeSeptets,
  ucs2: highSurrogateOctets,
  utf8: utf8Octets,
  ascii: () => 0,
  latin1: () => 0,
  cyrillic: () => 0,
  hebrew: () => 0,
  binary: () => 0,
}

/**
 * A body without a header in segments of one message, as it is: the same alphabet and the same octets, septets one per
 * octet. Returns undefined for an alphabet whose characters cannot be told apart, and for more than 255 segments.
 */
export function splitOctets(
  octets: Uint8Array,
  alphabet: Alphabet,
  reference: number,
): readonly Uint8Array[] | undefined {
  const unfinished = cuttable[alphabet]
  if (unfinished === undefined) return undefined
  const part = radioOctets - 6
  const pieces = cut(octets, 0, alphabet === 'gsm7' ? septetCount(part) : part, unfinished)
  if (pieces.length > 255) return undefined
  return pieces.map((piece, index) => {
    const position = { reference: reference & 0xff, total: pieces.length, sequence: index + 1 }
    return Buffer.concat([buildUdh(concatenationElements({ carrier: 'udh8', ...position })), piece])
  })
}

function septetCount(octetCount: number): number {
  return Math.floor((octetCount * 8) / 7)
}

// One piece when all fits `single`, else pieces of at most `each` octets. `unfinished` returns how many octets
// before a cut are the first part of a character, which then moves to the next piece.
function cut(
  octets: Uint8Array,
  single: number,
  each: number,
  unfinished: (octets: Uint8Array, end: number) => number,
): Uint8Array[] {
  if (octets.length <= single) return [octets]
  const pieces: Uint8Array[] = []
  for (let start = 0; start < octets.length;) {
    const limit = Math.min(start + each, octets.length)
    const end = limit === octets.length ? limit : limit - unfinished(octets, limit)
    pieces.push(octets.subarray(start, end))
    start = end
  }
  return pieces
}

// Encoded text has no escape without its character, so an escape before a cut is half a pair.
function escapeSeptets(septets: Uint8Array, end: number): number {
  return septets[end - 1] === 0x1b ? 1 : 0
}

function highSurrogateOctets(octets: Uint8Array, end: number): number {
  return isHighSurrogate((octets[end - 2] ?? 0) << 8) ? 2 : 0
}

function utf8Octets(octets: Uint8Array, end: number): number {
  let count = 0
  // Octets 0x80 to 0xBF continue a character: the piece ends before the octet that begins it.
  while (count < 4 && ((octets[end - count] ?? 0) & 0xc0) === 0x80) count += 1
  return count
}
