// data_coding 8: UCS-2 in network order (SMPP 3.4 §5.2.19). Phones send UTF-16 there, so pairs are joined.

import type { DecodedText, TextFlag } from './flags.ts'

const replacement = 0xfffd

/**
 * Text of big-endian UTF-16 octets. Never throws. A leading byte order mark is dropped and obeyed;
 * a half surrogate pair and a last odd octet become U+FFFD. Each of these is flagged.
 */
export function decodeUcs2(octets: Uint8Array): DecodedText {
  const flags: TextFlag[] = []
  const isOdd = octets.length % 2 === 1
  const units = Buffer.from(octets.subarray(0, octets.length - (isOdd ? 1 : 0)))
  let start = 0
  if (beginsWithByteOrderMark(units)) {
    flags.push('byte_order_mark')
    if (units[0] === 0xff) flags.push('little_endian')
    start = 2
  }
  if (!flags.includes('little_endian')) units.swap16()
  if (replaceLoneSurrogates(units, start)) flags.push('lone_surrogate')
  if (isOdd) flags.push('odd_length')
  return { text: units.toString('utf16le', start) + (isOdd ? '\ufffd' : ''), flags }
}

/** The text as big-endian UTF-16 octets; half a surrogate pair is sent as U+FFFD. */
export function encodeUcs2(text: string): Uint8Array {
  const units = Buffer.from(text, 'utf16le')
  replaceLoneSurrogates(units, 0)
  return units.swap16()
}

/** Whether the octets begin with U+FEFF in either order. */
export function beginsWithByteOrderMark(octets: Uint8Array): boolean {
  return (octets[0] === 0xfe && octets[1] === 0xff) || (octets[0] === 0xff && octets[1] === 0xfe)
}

/** Whether the code unit begins a surrogate pair, which must never be cut from its second half. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

// Works in place on little-endian code units; true when it found any.
function replaceLoneSurrogates(units: Buffer, start: number): boolean {
  let found = false
  for (let at = start; at + 1 < units.length; at += 2) {
    const unit = units.readUInt16LE(at)
    if (isHighSurrogate(unit) && at + 3 < units.length && isLowSurrogate(units.readUInt16LE(at + 2))) {
      at += 2
    } else if (isHighSurrogate(unit) || isLowSurrogate(unit)) {
      units.writeUInt16LE(replacement, at)
      found = true
    }
  }
  return found
}
