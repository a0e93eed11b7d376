// The token of a link: 256 random bits, in the URL's fragment, which browsers do not send.
import { createHash, randomBytes } from 'node:crypto'

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The link's path below the console's address. The fragment reaches no server, log or Referer header. */
export function pathOf(token: string): string {
  return `/auth#reset=${token}`
}
