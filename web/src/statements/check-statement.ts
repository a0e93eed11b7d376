// Checks a statement's file in the browser: the same check as on the command line. The hash is synchronous JavaScript:
// Web Crypto's digest is asynchronous and needs HTTPS, and a chain has a million small hashes.
import { sha256 } from '@noble/hashes/sha2.js'
import {
  StatementCheck,
  type ChainHash,
  type StatementVerdict,
} from '@tollgate/contract/statements/statement-format.ts'

/** The result of the check, with the key's fingerprint to compare. */
export interface CheckedStatement extends StatementVerdict {
  /** The fingerprint of the key in the file; empty without a key. */
  readonly fingerprint: string
  readonly lineCount: number
}

const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

// Runs once for each line of the file, so it makes no arrays.
function hexOf(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += hexPairs[byte] ?? ''
  return hex
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  )
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    // Not Base64, so neither a key nor a signature. The check reports that it does not fit.
    return undefined
  }
}

const hashBytes = 32
// More than any usual line. A longer line gets a larger buffer.
const usualBytes = 4_096

class BrowserChain implements ChainHash {
  readonly #encoder = new TextEncoder()
  #buffer = new Uint8Array(usualBytes)
  #hash: Uint8Array = new Uint8Array(hashBytes)

  addText(text: string): void {
    // At most three bytes of UTF-8 for one UTF-16 unit.
    const bytesMax = hashBytes + text.length * 3
    if (bytesMax > this.#buffer.length) this.#buffer = new Uint8Array(bytesMax)
    this.#buffer.set(this.#hash)
    const { written } = this.#encoder.encodeInto(text, this.#buffer.subarray(hashBytes))
    this.#hash = sha256(this.#buffer.subarray(0, hashBytes + written))
  }

  resume(hex: string): void {
    this.#hash = bytesOfHex(hex)
  }

  get hex(): string {
    return hexOf(this.#hash)
  }
}

/** Verifies Ed25519 by Web Crypto. undefined in a browser without it, or on a page without HTTPS. */
async function isSignedBy(publicKey: string, text: string, signature: string): Promise<boolean | undefined> {
  const [keyBytes, signed] = [bytesOfBase64(publicKey), bytesOfBase64(signature)]
  if (keyBytes?.length !== 32 || signed?.length !== 64) return false
  const { subtle } = globalThis.crypto as { subtle: SubtleCrypto | undefined }
  if (subtle === undefined) return undefined
  try {
    const key = await subtle.importKey('raw', keyBytes, 'Ed25519', false, ['verify'])
    return await subtle.verify('Ed25519', key, signed, new TextEncoder().encode(text))
  } catch (error) {
    // A key of 32 bytes is refused only by a browser without the algorithm, or because it is not a point of the curve.
    return error instanceof DOMException && error.name === 'NotSupportedError' ? undefined : false
  }
}

/** The SHA-256 of a public key in groups of four digits, as the command line and the gateway write it. */
export function fingerprintOf(publicKey: string): string {
  const bytes = bytesOfBase64(publicKey)
  if (bytes === undefined) return ''
  return hexOf(sha256(bytes)).slice(0, 32).match(/.{4}/g)?.join(' ') ?? ''
}

/** Reads the file in chunks. `onProgress` gets the number of bytes that are done. */
export async function checkStatement(
  file: Blob,
  onProgress: (bytes: number) => void,
): Promise<CheckedStatement> {
  const check = new StatementCheck(new BrowserChain())
  const decoder = new TextDecoder()
  const reader = file.stream().getReader()
  let rest = ''
  let bytesDone = 0
  const take = (line: string) => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (text !== '') check.take(text)
  }
  for (;;) {
    const { done, value } = await reader.read()
    const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(take)
    if (done) break
    bytesDone += value.length
    onProgress(bytesDone)
  }
  take(rest)
  const { lineCount } = check
  const verified = await check.finish(isSignedBy)
  return { ...verified, lineCount, fingerprint: fingerprintOf(verified.end?.publicKey ?? '') }
}
