// Keeps other sites from writing with a signed-in person's cookie (CSRF). The API has no token: the cookie is
// SameSite=Lax, bodies are JSON, and a browser says on each writing call where it comes from.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Config } from '../platform/process/config.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a writing call from a foreign or a null Origin. Without the header the call is a program's, unless
 * Sec-Fetch-Site says otherwise: browsers send Origin with every writing call. Source: OWASP ASVS 5.0, 3.5.1 to 3.5.3.
 */
export function refuseForeignOrigin(request: FastifyRequest, publicUrl: Config['publicUrl']): void {
  if (safeMethods.has(request.method)) return
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const isForeign =
    origin === undefined
      ? site !== undefined && site !== 'same-origin' && site !== 'none'
      : !isOwnOrigin(origin, request, publicUrl)
  if (isForeign) throw new Refusal('foreign_origin', 'This call came from another site and was refused.')
}

function isOwnOrigin(origin: string, request: FastifyRequest, publicUrl: Config['publicUrl']): boolean {
  if (origin === publicUrl?.origin) return true
  // With an https PUBLIC_URL that is the only origin; otherwise the origin is the host that the call was sent to.
  if (publicUrl?.protocol === 'https:' || !URL.canParse(origin)) return false
  // By a trusted proxy's headers, or by the call itself. Both are parsed, so that a default port makes no difference.
  const own = `${request.protocol}://${request.host}`
  return /^https?:/.test(own) && URL.canParse(own) && new URL(origin).origin === new URL(own).origin
}
