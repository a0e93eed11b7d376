import { expect, test } from 'vitest'
import { base32Of, codeOf, newTotpSecret, otpauthUri, stepAt, stepOfCode } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

// RFC 6238, appendix B, SHA-1: codes of 8 digits, whose last 6 are the code of 6.
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at second %i is the one of RFC 6238', (second, code) => {
  expect(codeOf(secret, stepAt(new Date(second * 1_000)))).toBe(code.slice(-6))
})

test('the code of this step and of the one before are taken, and no other', () => {
  const now = new Date('2026-03-04T12:00:10Z')
  const step = stepAt(now)
  const taken = [-2, -1, 0, 1].map((offset) => stepOfCode(secret, codeOf(secret, step + offset), now))
  expect(taken).toEqual([undefined, step - 1, step, undefined])
})

test('a code is taken in the digits of any script, with gaps and marks, and nothing else is one', () => {
  const secret = newTotpSecret()
  const now = new Date()
  const step = stepAt(now)
  const code = codeOf(secret, step)
  const inScript = (zero: number) =>
    Array.from(code, (digit) => String.fromCodePoint(zero + Number(digit))).join('')
  // Arabic, Persian, Devanagari, wide and mathematical digits.
  for (const zero of [0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce])
    expect(stepOfCode(secret, inScript(zero), now)).toBe(step)
  const halves = [code.slice(0, 3), code.slice(3)]
  for (const gap of [' ', '-', '\u00a0', '\u200b', '\u2013'])
    expect(stepOfCode(secret, halves.join(gap), now)).toBe(step)
  for (const other of ['', '٢', '①②③④⑤⑥', '²³¹²³¹', 'abcdef', `${code}1`, 'é'.repeat(6), '😀'.repeat(3)])
    expect(stepOfCode(secret, other, now)).toBeUndefined()
})

test('a code of another length is none', () => {
  const now = new Date('2026-03-04T12:00:00Z')
  const code = codeOf(secret, stepAt(now))
  for (const wrong of ['', code.slice(1), `${code}0`, 'abcdef'])
    expect(stepOfCode(secret, wrong, now)).toBeUndefined()
})

test('a new secret has 160 bits, and no two are alike', () => {
  const secrets = Array.from({ length: 50 }, () => base32Of(newTotpSecret()))
  expect(new Set(secrets).size).toBe(50)
  expect(secrets[0]).toMatch(/^[A-Z2-7]{32}$/)
})

test.each(['ada', 'ada@example.org', 'x'.repeat(64), '\u00e9'.repeat(64), '\u{1F4DE}'.repeat(60)])(
  'the address for %s fits into the QR code and is whole',
  (username) => {
    const uri = otpauthUri(secret, username)
    expect(uri.length).toBeLessThanOrEqual(106)
    const url = new URL(uri)
    expect(url.searchParams.get('secret')).toBe(base32Of(secret))
    expect(url.searchParams.get('issuer')).toBe('Tollgate')
    const label = decodeURIComponent(url.pathname).replace(/^\/+(totp\/)?/, '')
    expect(`Tollgate:${username}`.startsWith(label)).toBe(true)
    expect(label.length).toBeGreaterThan('Tollgate:'.length)
  },
)
