// The Japanese and Korean character sets of SMPP 3.4 §5.2.19: JIS X 0208 (5), pictograms (9), ISO-2022-JP (10), JIS
// X 0212 (13) and KS C 5601 (14). The standard names the sets and not their octets, so a text is read in the form that its
// octets show: with escapes ISO-2022-JP, in 7 bits the two-octet codes of the set, with octets above 127 the usual 8-bit form.

import type { DecodedText } from './flags.ts'

const escape = 0x1b

/** Text of Shift-JIS octets. Never throws; what the set lacks is U+FFFD and flagged. */
export function decodeShiftJis(octets: Uint8Array): DecodedText {
  return decodeWith('shift_jis', octets)
}

/** Text of EUC-KR octets, the usual form of KS C 5601. Never throws; what the set lacks is U+FFFD and flagged. */
export function decodeKsc5601(octets: Uint8Array): DecodedText {
  return decodeWith('euc-kr', octets)
}

/** Text of ISO-2022-JP octets (RFC 1468 and 1554), or of Shift-JIS when there are octets above 127. Never throws. */
export function decodeIso2022Jp(octets: Uint8Array): DecodedText {
  return is8Bit(octets) ? decodeShiftJis(octets) : decode7Bit(octets, 'ascii')
}

/** Text of JIS X 0208: two-octet codes, ISO-2022-JP or Shift-JIS. Never throws. */
export function decodeX0208(octets: Uint8Array): DecodedText {
  return is8Bit(octets) ? decodeShiftJis(octets) : decode7Bit(octets, pairsOr(octets, 'x0208'))
}

/** Text of JIS X 0212: two-octet codes, ISO-2022-JP or EUC-JP. Never throws. */
export function decodeX0212(octets: Uint8Array): DecodedText {
  return is8Bit(octets) ? decodeWith('euc-jp', octets) : decode7Bit(octets, pairsOr(octets, 'x0212'))
}

type CodeSet = 'ascii' | 'x0208' | 'x0212' | 'katakana'

// ISO 2022 designations: what follows the escape.
const designations: readonly (readonly [string, CodeSet])[] = [
  ['(B', 'ascii'],
  ['(J', 'ascii'],
  ['(I', 'katakana'],
  ['$@', 'x0208'],
  ['$B', 'x0208'],
  ['$(D', 'x0212'],
]

function is8Bit(octets: Uint8Array): boolean {
  return octets.some((octet) => octet >= 0x80)
}

/** The set when the octets can be its two-octet codes, which begin at 0x21 and come in pairs; else ASCII. */
function pairsOr(octets: Uint8Array, set: CodeSet): CodeSet {
  return octets.length % 2 === 0 && octets.every((octet) => octet >= 0x21 && octet <= 0x7e) ? set : 'ascii'
}

/** Reads 7-bit octets that begin in a set and may change it by escapes, by way of EUC-JP, which has all of them at once. */
function decode7Bit(octets: Uint8Array, first: CodeSet): DecodedText {
  const euc: number[] = []
  let set = first
  for (let at = 0; at < octets.length;) {
    const octet = octets[at] ?? 0
    const designation = octet === escape ? designationAt(octets, at + 1) : undefined
    if (designation !== undefined) {
      set = designation.set
      at = designation.end
      continue
    }
    // Space, line ends and other controls are the same in each set.
    const isSingle = set === 'ascii' || set === 'katakana' || octet < 0x21
    if (isSingle) euc.push(...(set === 'katakana' && octet >= 0x21 ? [0x8e, octet | 0x80] : [octet]))
    else {
      const second = octets[at + 1]
      euc.push(
        ...(set === 'x0212' ? [0x8f] : []),
        octet | 0x80,
        ...(second === undefined ? [] : [second | 0x80]),
      )
    }
    at += isSingle ? 1 : 2
  }
  return decodeWith('euc-jp', Uint8Array.from(euc))
}

function designationAt(octets: Uint8Array, start: number): { set: CodeSet; end: number } | undefined {
  for (const [sign, set] of designations) {
    const isHere = Buffer.from(sign, 'latin1').equals(octets.subarray(start, start + sign.length))
    if (isHere) return { set, end: start + sign.length }
  }
  return undefined
}

function decodeWith(encoding: 'shift_jis' | 'euc-jp' | 'euc-kr', octets: Uint8Array): DecodedText {
  const text = new TextDecoder(encoding).decode(octets)
  return { text, flags: text.includes('\ufffd') ? ['unassigned_code'] : [] }
}
