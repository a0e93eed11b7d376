// TRON addresses. They are compared by their bytes, because their text (Base58Check) is case-sensitive.
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'

const base58check = createBase58check(sha256)

/** The 20 account bytes as hex; undefined when prefix (0x41), length or checksum is wrong. */
export function addressBytes(text: string): string | undefined {
  try {
    const bytes = base58check.decode(text)
    return bytes.length === 21 && bytes[0] === 0x41
      ? Buffer.from(bytes.subarray(1)).toString('hex')
      : undefined
  } catch {
    // A wrong character or checksum: the address was mistyped.
    return undefined
  }
}

/** Writes 20 account bytes as a Base58Check address. */
export function toAddress(accountHex: string): string {
  return base58check.encode(Buffer.from(`41${accountHex}`, 'hex'))
}
