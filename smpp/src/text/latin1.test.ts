import { expect, test } from 'vitest'
import { decodeAscii, decodeCyrillic, decodeHebrew, decodeLatin1 } from './latin1.ts'

const all = Uint8Array.from({ length: 256 }, (_, octet) => octet)

test('each Latin-1 octet is the code point of its value', () => {
  const { text } = decodeLatin1(all)
  expect(Array.from(text, (character) => character.charCodeAt(0))).toEqual([...all])
})

test('control codes 128–159 in Latin-1 are flagged, letters are not', () => {
  expect(decodeLatin1(Uint8Array.of(0x93)).flags).toEqual(['c1_control'])
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
