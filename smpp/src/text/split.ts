// Splits a text into segments, in the alphabet that needs the fewest.

import { dataCoding } from '../values/data-coding.ts'
import { esmClass } from '../values/esm-class.ts'
import { encodeGsm7, fillBitCount, packGsm7 } from './gsm7.ts'
import type { SegmentPosition } from './segment-position.ts'
import { encodeUcs2, isHighSurrogate } from './ucs2.ts'
import { buildUdh, concatenationElements } from './udh.ts'

// 23.040 §9.2.3.24: a body has 140 octets on the radio, that is 160 septets, header included.
const radioOctets = 140
const noOctets = new Uint8Array(0)

interface SplitOptions {
  /** Shared by the segments: 0–255 for udh8, else 0–65,535. Higher bits are cut off. */
  readonly reference: number
  /** Where the position is written; default udh8, which every telephone knows. */
  readonly carrier?: SegmentPosition['carrier'] | undefined
  /** The peer takes septets packed eight to seven octets. */
  readonly isPacked?: boolean | undefined
}

export interface MessageSegment {
  /** Header and text, at most 160 octets (140 when packed or UCS-2): the short_message. */
  readonly octets: Uint8Array
  readonly dataCoding: number
  /** 0x40 when the octets begin with a header, else 0. */
  readonly esmClass: number
  /** Undefined for a text that fits one message. For carrier `sar` the caller sends it as sar_ parameters. */
  readonly position: SegmentPosition | undefined
}

/**
 * Splits a text: GSM 7-bit when that alphabet has every character, else UCS-2. Neither an escape pair nor a surrogate
 * pair is cut. Returns undefined for a text of more than 255 segments (39,015 septets or 17,085 UCS-2 characters in
 * udh8), which no header can number.
 */
export function splitText(text: string, options: SplitOptions): readonly MessageSegment[] | undefined {
  const carrier = options.carrier ?? 'udh8'
  const reference = options.reference & (carrier === 'udh8' ? 0xff : 0xffff)
  const septets = encodeGsm7(text)
  // With sar_ parameters the SMSC builds the header, perhaps a 16-bit one: leave room for it.
  const partOctets = radioOctets - (carrier === 'udh8' ? 6 : 7)
  const pieces =
    septets === undefined
      ? cut(encodeUcs2(text), radioOctets, partOctets - (partOctets % 2), highSurrogateOctets)
      : cut(septets, septetCount(radioOctets), septetCount(partOctets), escapeSeptets)
  if (pieces.length > 255) return undefined
  return pieces.map((piece, index) => {
    const position: SegmentPosition | undefined =
      pieces.length === 1 ? undefined : { carrier, reference, total: pieces.length, sequence: index + 1 }
    const elements = position === undefined ? [] : concatenationElements(position)
    const header = elements.length === 0 ? noOctets : buildUdh(elements)
    const isPacked = septets !== undefined && options.isPacked === true
    const content = isPacked ? packGsm7(piece, fillBitCount(header.length)) : piece
    return {
      octets: Buffer.concat([header, content]),
      dataCoding: septets === undefined ? dataCoding.ucs2 : dataCoding.smscDefault,
      esmClass: header.length === 0 ? 0 : esmClass.udhIndicator,
      position,
    }
  })
}

function septetCount(octetCount: number): number {
  return Math.floor((octetCount * 8) / 7)
}

// One piece when all fits `single`, else pieces of at most `each` octets. `halfPair` returns how many octets
// before a cut are the first half of a pair, which then moves to the next piece.
function cut(
  octets: Uint8Array,
  single: number,
  each: number,
  halfPair: (octets: Uint8Array, end: number) => number,
): Uint8Array[] {
  if (octets.length <= single) return [octets]
  const pieces: Uint8Array[] = []
  for (let start = 0; start < octets.length;) {
    const limit = Math.min(start + each, octets.length)
    const end = limit === octets.length ? limit : limit - halfPair(octets, limit)
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
