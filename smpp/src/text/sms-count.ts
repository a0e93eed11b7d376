// How many SMS a text fills on the radio, for a message that carries more than one holds (SMPP 3.4 §5.3.2.32).
import { hasUdh } from '../values/esm-class.ts'
import { readDataCoding, type DefaultAlphabet } from './alphabet.ts'
import { parseUdh } from './udh.ts'

// 23.040 §9.2.3.24: 140 octets in an SMS, header included.
const radioOctets = 140
// The header of a segment: its length octet and the 8-bit concatenation element.
const lengthOctets = 1
const concatenationOctets = 5
// No header in use is longer. A made-up one must not leave so little room that a text fills thousands of SMS.
const headerOctetsMax = 40

/**
 * The count of SMS that a body fills, at least 1: one, or as many segments as its text would be cut into. GSM and ASCII
 * text has 160 septets in one SMS and 153 in a segment, UCS-2 70 and 67 characters, everything else 140 and 134 octets.
 * `octets` is short_message or message_payload, header included.
 */
export function countSms(
  { dataCoding, esmClass }: { readonly dataCoding: number; readonly esmClass: number },
  octets: Uint8Array,
  defaultAlphabet?: DefaultAlphabet,
): number {
  if (octets.length <= radioOctets) return 1
  const { alphabet, isPacked } = readDataCoding(dataCoding, defaultAlphabet)
  const isSeptets = !isPacked && (alphabet === 'gsm7' || alphabet === 'ascii')
  const header = hasUdh(esmClass) ? Math.min(parseUdh(octets).octetCount, headerOctetsMax) : 0
  const room = (headerOctets: number): number => {
    const left = radioOctets - headerOctets
    if (isSeptets) return Math.floor((left * 8) / 7)
    return alphabet === 'ucs2' ? left - (left % 2) : left
  }
  const text = octets.length - header
  if (text <= room(header)) return 1
  return Math.ceil(text / room(Math.max(header, lengthOctets) + concatenationOctets))
}
