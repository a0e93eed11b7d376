// Codes for the day when the telephone is gone: shown once, each good once.
import { createHash, randomInt } from 'node:crypto'

/** How many an account gets. */
export const recoveryCodeCount = 10

// Crockford's base 32: no letter that is taken for another one. 16 of them carry 80 bits.
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
 * What a person typed, without spaces and dashes, and with what may be taken for another letter as the letter it is.
 * Undefined when it cannot be a recovery code.
 */
export function readRecoveryCode(text: string): string | undefined {
  const bare = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return codePattern.test(bare) ? bare : undefined
}

/**
 * What is stored of a code. It is not keyed: 80 random bits cannot be tried out, and the codes still work when the key of
 * the gateway is lost or changed, which is when the authenticator app does not.
 */
export function hashOfRecoveryCode(userId: number, code: string): Buffer {
  return createHash('sha256')
    .update(`recovery code of ${userId}: ${readRecoveryCode(code) ?? code}`)
    .digest()
}
