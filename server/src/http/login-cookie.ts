// Names and attributes of our cookies. Source: OWASP ASVS 5.0, 3.3.1 to 3.3.4.
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../platform/addresses/network-of.ts'
import type { Config } from '../platform/process/config.ts'

/** The longest life of a session: after it the cookie is worthless. */
const sessionLifeSeconds = 12 * 60 * 60

/** How long a browser stays known after its last sign-in. */
export const deviceLifeDays = 90

/** A cookie of ours: of the session, or of the device. */
export interface LoginCookie {
  readonly name: string
  /** The value for Set-Cookie in the answer to this call. */
  write(value: string, call: CookieCall): string
  /** The value for Set-Cookie that makes the browser forget it. */
  forget(call: CookieCall): string
  /** The value in a Cookie header, if there is one. */
  read(header: string | undefined): string | undefined
}

/** How the call came: by http or https, to which host. */
type CookieCall = Pick<FastifyRequest, 'protocol' | 'hostname'>

/** The session cookie. */
export function loginCookie(publicUrl: Config['publicUrl']): LoginCookie {
  return cookieNamed('sid', sessionLifeSeconds, publicUrl)
}

/** The cookie of a known device. It signs nobody in. */
export function deviceCookie(publicUrl: Config['publicUrl']): LoginCookie {
  return cookieNamed('device', deviceLifeDays * 86_400, publicUrl)
}

/**
 * With https the name begins with `__Host-`: browsers then insist that the cookie is Secure, for this host alone
 * and for every path. Over plain http (loopback) they would refuse that name. Any other call gets a Secure cookie, which
 * browsers keep over https alone: a session must not travel in the clear.
 */
function cookieNamed(plainName: string, lifeSeconds: number, publicUrl: Config['publicUrl']): LoginCookie {
  const isHttps = publicUrl?.protocol === 'https:'
  const name = isHttps ? `__Host-${plainName}` : plainName
  const attributesFor = (call: CookieCall) =>
    `Path=/; HttpOnly; SameSite=Lax${isHttps || !isLocalHttp(call) ? '; Secure' : ''}`
  return {
    name,
    write: (value, call) => `${name}=${value}; ${attributesFor(call)}; Max-Age=${lifeSeconds}`,
    forget: (call) => `${name}=; ${attributesFor(call)}; Max-Age=0`,
    read(header) {
      const pairs = (header ?? '').split(';').map((pair) => pair.trim())
      const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
      // We set only URL-safe characters; anything else is not ours.
      return value !== undefined && /^[\w-]{16,128}$/.test(value) ? value : undefined
    },
  }
}

/** Some browsers refuse a Secure cookie even from their own machine. */
function isLocalHttp({ protocol, hostname }: CookieCall): boolean {
  return protocol === 'http' && isLoopback(hostname)
}
