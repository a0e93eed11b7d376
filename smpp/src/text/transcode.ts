// A body for a peer whose data_coding 0 is another alphabet than that of the peer it came from (SMPP 3.4 §5.2.19): the same
// octets would be another text there.

import { dataCoding } from '../values/data-coding.ts'
import { readDataCoding, type DefaultAlphabet } from './alphabet.ts'
import { decodeBody, type DecodedBody } from './decode.ts'
import type { TextFlag } from './flags.ts'
import { encodeGsm7, fillBitCount, packGsm7 } from './gsm7.ts'
import { encodeDefault } from './split.ts'
import { encodeUcs2 } from './ucs2.ts'

interface CodedBody {
  /** short_message or message_payload, header included. */
  readonly octets: Uint8Array
  readonly dataCoding: number
}

// §5.2.21: a longer text needs message_payload, which not every peer takes.
const shortMessageOctetsMax = 254

// Unusual, and still every character is known.
const exactFlags: ReadonlySet<TextFlag> = new Set([
  'windows_1252',
  'latin1_undeclared',
  'utf8_undeclared',
  'reserved_data_coding',
  'sar_incomplete',
  'sar_udh_disagree',
])

// These alphabets have a data_coding of their own: the octets stay as they came.
const namedCodings: Partial<Record<DefaultAlphabet, number>> = {
  latin1: dataCoding.latin1,
  ascii: dataCoding.ia5,
}

/**
 * The octets and data_coding by which a peer with the alphabet `to` reads the same text as one with the alphabet `from`. They
 * stay as they came where both read them alike, where a character could not be read, and where a short message would become
 * longer than 254 octets. Takes any octets and never throws.
 */
export function transcodeBody<Body extends CodedBody & { readonly esmClass: number }>(
  body: Body,
  from: DefaultAlphabet,
  to: DefaultAlphabet,
): CodedBody {
  const { octets, dataCoding: coding } = body
  if (from === to || !isDefaultText(coding, from, to)) return body
  const named = namedCodings[from]
  if (coding === dataCoding.smscDefault && named !== undefined) return { octets, dataCoding: named }
  const decoded = decodeBody({ ...body, defaultAlphabet: from })
  if (!decoded.flags.every((flag) => exactFlags.has(flag))) return body
  const header = octets.subarray(0, decoded.headerOctetCount)
  const text = encoded(decoded, to, coding, header.length)
  const whole = { octets: Buffer.concat([header, text.octets]), dataCoding: text.dataCoding }
  const isTooLong = whole.octets.length > shortMessageOctetsMax && octets.length <= shortMessageOctetsMax
  return isTooLong ? body : whole
}

/** Whether this data_coding stands for the one alphabet here and for the other one there. */
function isDefaultText(coding: number, one: DefaultAlphabet, other: DefaultAlphabet): boolean {
  const [here, there] = [readDataCoding(coding, one), readDataCoding(coding, other)]
  return here.alphabet !== there.alphabet || here.isPacked !== there.isPacked
}

function encoded(
  { text, tables }: DecodedBody,
  alphabet: DefaultAlphabet,
  coding: number,
  headerOctetCount: number,
): CodedBody {
  const isGsm = alphabet === 'gsm7' || alphabet === 'packed7'
  const octets = isGsm ? encodeGsm7(text, tables) : encodeDefault(text, alphabet)
  if (octets === undefined) return { octets: encodeUcs2(text), dataCoding: ucs2CodingOf(coding) }
  const isPacked = alphabet === 'packed7'
  return { octets: isPacked ? packGsm7(octets, fillBitCount(headerOctetCount)) : octets, dataCoding: coding }
}

/** The data_coding of UCS-2 text with the same class or waiting indication (3GPP TS 23.038 §4). */
function ucs2CodingOf(coding: number): number {
  if (coding === dataCoding.smscDefault) return dataCoding.ucs2
  const isWaiting = coding >= 0xc0 && coding < 0xe0
  return isWaiting ? 0xe0 | (coding & 0x0f) : 0x18 | (coding & 0x03)
}
