import { expect, test } from 'vitest'
import { decodeAscii, decodeCyrillic, decodeHebrew, decodeLatin1 } from './latin1.ts'

const all = Uint8Array.from({ length: 256 }, (_, octet) => octet)

test('each Latin-1 octet is the code point of its value but for 128–159, which are Windows-1252', () => {
  // Octets 128 to 159 as Unicode's mapping file of Windows-1252 has them; 0 for the five that it leaves open.
  const windows1252 = [
    0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0, 0x17d,
    0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0,
    0x17e, 0x178,
  ]
  const expected = [...all].map((octet) => windows1252[octet - 0x80] || octet)
  const { text, flags } = decodeLatin1(all)
  expect(Array.from(text, (character) => character.charCodeAt(0))).toEqual(expected)
  expect(flags).toEqual(['windows_1252', 'c1_control'])
})

test('what was read as Windows-1252, and control codes that it lacks, are flagged, letters are not', () => {
  expect(decodeLatin1(Uint8Array.of(0x93, 0x80))).toEqual({ text: '“€', flags: ['windows_1252'] })
  expect(decodeLatin1(Uint8Array.of(0x81)).flags).toEqual(['c1_control'])
  expect(decodeLatin1(Uint8Array.of(0xe9, 0x7f, 0xa0))).toEqual({ text: 'é\u007f\u00a0', flags: [] })
})

test('ASCII with high octets is shown as Latin-1 and flagged', () => {
  expect(decodeAscii(Buffer.from('plain'))).toEqual({ text: 'plain', flags: [] })
  expect(decodeAscii(Uint8Array.of(0x63, 0xe9))).toEqual({ text: 'cé', flags: ['not_ascii'] })
})

// The tables of Node.js are the reference; both keep C1 controls.
test.each([
  ['iso-8859-5', decodeCyrillic],
  ['iso-8859-8', decodeHebrew],
] as const)('all octets read as %s says, the unassigned as U+FFFD', (label, decode) => {
  const reference = new TextDecoder(label).decode(all)
  const { text, flags } = decode(all)
  expect(text).toBe(reference)
  expect(flags).toEqual(reference.includes('\ufffd') ? ['unassigned_code'] : [])
})
