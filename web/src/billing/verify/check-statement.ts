// Checks a statement's file in the browser: the same check as the command line's, with the browser's tools.
// Synchronous, and there without HTTPS: the browser's own digest is neither, and a chain is a million small hashes.
import { sha256 } from '@noble/hashes/sha2.js'
import { StatementCheck, type ChainHash, type StatementVerdict } from '@tollgate/contract/statement.ts'

/** What came of it, with the key's fingerprint to compare. */
export interface CheckedStatement extends StatementVerdict {
  /** Of the key in the file; empty without one. */
  readonly fingerprint: string
  readonly lineCount: number
}

const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

// Once for each line of the file, so without an array in between.
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
    // Not Base64, so no key or signature: the check says that it does not fit.
    return undefined
  }
}

const hashBytes = 32
// Longer than any line of ours; a longer one gets a buffer of its own.
const usualBytes = 4_096

class BrowserChain implements ChainHash {
  readonly #encoder = new TextEncoder()
  #buffer = new Uint8Array(usualBytes)
  #hash: Uint8Array = new Uint8Array(hashBytes)

  addText(text: string): void {
    // Three bytes of UTF-8 for one UTF-16 unit at most.
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

/** Ed25519 by Web Crypto; undefined in a browser without it, or on a page without HTTPS. */
async function isSignedBy(publicKey: string, text: string, signature: string): Promise<boolean | undefined> {
  const [keyBytes, signed] = [bytesOfBase64(publicKey), bytesOfBase64(signature)]
  if (keyBytes?.length !== 32 || signed?.length !== 64) return false
  const { subtle } = globalThis.crypto as { subtle: SubtleCrypto | undefined }
  if (subtle === undefined) return undefined
  try {
    const key = await subtle.importKey('raw', keyBytes, 'Ed25519', false, ['verify'])
    return await subtle.verify('Ed25519', key, signed, new TextEncoder().encode(text))
  } catch (error) {
    // A key of 32 bytes is refused only by a browser that does not know the algorithm, or for no point of the curve.
    return error instanceof DOMException && error.name === 'NotSupportedError' ? undefined : false
  }
}

/** A public key's SHA-256 in groups of four digits, as the command line and the gateway write it. */
export function fingerprintOf(publicKey: string): string {
  const bytes = bytesOfBase64(publicKey)
  if (bytes === undefined) return ''
  return hexOf(sha256(bytes)).slice(0, 32).match(/.{4}/g)?.join(' ') ?? ''
}

/** Reads the file piece by piece. `onProgress` is told how many bytes are done. */
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
