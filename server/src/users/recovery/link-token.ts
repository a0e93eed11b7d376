// The secret of a link: 256 random bits, in the part of the address that no browser sends.
import { createHash, randomBytes } from 'node:crypto'

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The address to open, below the console's own. Behind the # it reaches no server, no log and no Referer. */
export function pathOf(token: string): string {
  return `/auth#reset=${token}`
}
