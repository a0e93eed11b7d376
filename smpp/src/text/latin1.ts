// The one-octet character sets of SMPP 3.4 §5.2.19: ASCII (1), Latin-1 (3) with Windows-1252, Cyrillic (6), Hebrew (7).
// In each of them the octets 0–127 are ASCII.

import type { DecodedText, TextFlag } from './flags.ts'

/**
 * Text of ISO-8859-1 octets. Octets 128–159, which ISO-8859-1 gives to control codes that no message has, are read as
 * Windows-1252 and flagged; the five that Windows-1252 leaves open stay control codes. Never throws.
 */
export function decodeLatin1(octets: Uint8Array): DecodedText {
  const text = latin1Text(octets)
  if (!c1Control.test(text)) return { text, flags: [] }
  const read = text.replace(c1Controls, (control) => windows1252[control.charCodeAt(0) - 0x80] ?? control)
  return { text: read, flags: [...(read === text ? [] : ['windows_1252' as const]), ...c1Flags(read)] }
}

/** Text of ASCII octets. Octets above 127 are shown as Latin-1, the usual meaning, and flagged. Never throws. */
export function decodeAscii(octets: Uint8Array): DecodedText {
  const isAscii = octets.every((octet) => octet < 0x80)
  const { text, flags } = decodeLatin1(octets)
  return { text, flags: isAscii ? [] : ['not_ascii', ...flags] }
}

// oxlint-disable-next-line no-control-regex
const c1Control = /[\u0080-\u009f]/
const c1Controls = new RegExp(c1Control, 'g')
// 128 to 159 of Windows-1252.
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f' + '\u0090‘’“”•–—˜™š›œ\u009džŸ'

function c1Flags(text: string): TextFlag[] {
  return c1Control.test(text) ? ['c1_control'] : []
}

/** Text of ISO-8859-5 (Latin and Cyrillic) octets; every octet is assigned. Never throws. */
export function decodeCyrillic(octets: Uint8Array): DecodedText {
  return decodeUpperHalf(octets, (octet) => {
    if (octet === 0xf0) return 0x2116
    if (octet === 0xfd) return 0xa7
    return octet <= 0xa0 || octet === 0xad ? octet : octet + 0x360
  })
}

/** Text of ISO-8859-8 (Latin and Hebrew) octets in the order they came. Unassigned ones are U+FFFD. Never throws. */
export function decodeHebrew(octets: Uint8Array): DecodedText {
  return decodeUpperHalf(octets, (octet) => {
    if (octet >= 0xe0 && octet <= 0xfa) return octet + 0x4f0
    const special = hebrewSpecials.get(octet)
    if (special !== undefined) return special
    return octet <= 0xbe && octet !== 0xa1 ? octet : undefined
  })
}

const hebrewSpecials: ReadonlyMap<number, number> = new Map([
  [0xaa, 0xd7],
  [0xba, 0xf7],
  [0xdf, 0x2017],
  [0xfd, 0x200e],
  [0xfe, 0x200f],
])

function latin1Text(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1')
}

function decodeUpperHalf(octets: Uint8Array, codeOf: (octet: number) => number | undefined): DecodedText {
  const units = Buffer.allocUnsafe(octets.length * 2)
  let hasUnassigned = false
  for (const [at, octet] of octets.entries()) {
    const code = octet < 0x80 ? octet : codeOf(octet)
    hasUnassigned ||= code === undefined
    units.writeUInt16LE(code ?? 0xfffd, at * 2)
  }
  return { text: units.toString('utf16le'), flags: hasUnassigned ? ['unassigned_code'] : [] }
}
