// The session cookie's name and attributes. Source: OWASP ASVS 5.0, 3.3.1 to 3.3.4.
import type { Config } from './config.ts'

/** The absolute life of a session: after it the cookie is worthless anyway. */
export const sessionLifeSeconds = 12 * 60 * 60

export interface LoginCookie {
  readonly name: string
  /** The value for Set-Cookie. */
  write(value: string): string
  /** The value for Set-Cookie that makes the browser forget it. */
  forget(): string
  /** The session id in a Cookie header, if there is one. */
  read(header: string | undefined): string | undefined
}

/**
 * With https the name begins with `__Host-`, by which browsers see to it that the cookie is Secure, for this host alone
 * and for every path. Over plain http (loopback) they would refuse that name.
 */
export function loginCookie(publicUrl: Config['publicUrl']): LoginCookie {
  const isHttps = publicUrl?.protocol === 'https:'
  const name = isHttps ? '__Host-sid' : 'sid'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`
  return {
    name,
    write: (value) => `${name}=${value}; ${attributes}; Max-Age=${sessionLifeSeconds}`,
    forget: () => `${name}=; ${attributes}; Max-Age=0`,
    read(header) {
      const pairs = (header ?? '').split(';').map((pair) => pair.trim())
      const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
      // Session ids are URL-safe characters; anything else was not ours.
      return value !== undefined && /^[\w-]{16,128}$/.test(value) ? value : undefined
    },
  }
}
