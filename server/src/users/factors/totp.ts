// Codes of an authenticator app. Source: RFC 6238 with SHA-1, 6 digits and 30 s, which every such app has as its default.
import { timingSafeEqual } from 'node:crypto'
import { plainFigures } from '@tollgate/contract/plain-text.ts'
import { HOTP, Secret } from 'otpauth'

const stepMs = 30_000
const digits = 6
const codePattern = /^\d{6}$/
// RFC 4226, 4: 160 bits.
const secretBytes = 20
const issuer = 'Tollgate'
// The longest text whose QR code, in the console's size, every camera can read.
const uriBytesMax = 106

/** A new secret. */
export function newTotpSecret(): Uint8Array {
  return new Secret({ size: secretBytes }).bytes
}

/** The number of the 30 s step that a time lies in, counted from 1970. RFC 6238, 4.2. */
export function stepAt(time: Date): number {
  return Math.floor(time.getTime() / stepMs)
}

/** The code of one step: 6 digits. */
export function codeOf(secret: Uint8Array, step: number): string {
  return HOTP.generate({ secret: new Secret({ buffer: bufferOf(secret) }), counter: step, digits })
}

/**
 * What was entered as a code, in the digits of any script and with any gaps; undefined for anything but six digits. RFC
 * 6238 codes are compared only in this form, in which all have one length.
 */
function readCode(entered: string): string | undefined {
  const code = plainFigures(entered).replaceAll(/[\s\p{Pd}]/gu, '')
  return codePattern.test(code) ? code : undefined
}

/**
 * The step that this code belongs to: the current one or the one before it, else undefined. ASVS 5.0, 6.5.5 gives a code
 * 30 s; the step before is accepted too, since typing a code may take longer than the rest of its step.
 */
export function stepOfCode(secret: Uint8Array, entered: string, now: Date): number | undefined {
  const code = readCode(entered)
  if (code === undefined) return undefined
  const current = stepAt(now)
  return [current, current - 1].find((step) => isEqual(codeOf(secret, step), code))
}

/** A secret in base32, as apps take it by hand. */
export function base32Of(secret: Uint8Array): string {
  return new Secret({ buffer: bufferOf(secret) }).base32
}

/**
 * `otpauth://totp/Tollgate:name?secret=…&issuer=Tollgate`, at most 106 bytes: the account's name, which is only a label, is
 * cut to fit. The defaults of all apps (SHA-1, 6 digits, 30 s) are left out.
 */
export function otpauthUri(secret: Uint8Array, username: string): string {
  const head = `otpauth://totp/${issuer}:`
  const tail = `?secret=${base32Of(secret)}&issuer=${issuer}`
  let label = ''
  for (const character of username) {
    const next = label + encodeURIComponent(character)
    if (head.length + next.length + tail.length > uriBytesMax) break
    label = next
  }
  return head + label + tail
}

function bufferOf(secret: Uint8Array): ArrayBuffer {
  return new Uint8Array(secret).buffer
}

/** Both are six digits. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
