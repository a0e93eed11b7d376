// Recovery codes, for when the device with the second factor is lost: shown once, each valid once.
import { plainFigures } from '@tollgate/contract/plain-text.ts'
import { createHash, randomInt } from 'node:crypto'

/** How many an account gets. */
const recoveryCodeCount = 10

// Crockford's base 32 has no letters that look alike. 16 of them carry 80 bits.
const letters = '0123456789abcdefghjkmnpqrstvwxyz'
const length = 16
const codePattern = new RegExp(`^[${letters}]{${length}}$`)

/** New codes, as they are shown: `xxxx-xxxx-xxxx-xxxx`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
    return code.match(/.{4}/g)?.join('-') ?? code
  })
}

/**
 * Normalises what a person typed: no spaces and dashes, and o, i and l as the digits that they look like. Undefined when it
 * cannot be a recovery code.
 */
export function readRecoveryCode(text: string): string | undefined {
  const bare = plainFigures(text)
    .toLowerCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
  return codePattern.test(bare) ? bare : undefined
}

/**
 * The stored hash of a code. It is not keyed: 80 random bits cannot be searched, and the codes must work when SECRET_KEY
 * is lost, which disables authenticator apps.
 */
export function hashOfRecoveryCode(userId: number, code: string): Buffer {
  return createHash('sha256')
    .update(`recovery code of ${userId}: ${readRecoveryCode(code) ?? code}`)
    .digest()
}
