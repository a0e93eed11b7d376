// Where a call comes from. A trusted proxy says so in X-Forwarded-For; the header of anybody else
// is ignored (fastify's trustProxy takes the nearest address that is not a trusted proxy's).
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../platform/process/config.ts'
import { plainAddress } from '../platform/addresses/network-of.ts'

/**
 * Whose X-Forwarded-For, -Proto and -Host count. Without TRUSTED_PROXIES, with an https address a proxy on this machine
 * must be ending TLS; otherwise nobody's.
 */
export function trustedProxies(
  config: Pick<Config, 'publicUrl'> & Partial<Pick<Config, 'trustedProxies'>>,
): string[] | 'loopback' | false {
  if (config.trustedProxies?.length === 0) return false
  if (config.trustedProxies !== undefined) return [...config.trustedProxies]
  return config.publicUrl?.protocol === 'https:' ? 'loopback' : false
}

/** The caller's address; an IPv4 address is written as IPv4. Some proxies add a port; what is no address is ignored. */
export function callerAddress(request: FastifyRequest): string {
  const address = request.ip
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
  return plainAddress(isIP(bare) === 0 ? (request.socket.remoteAddress ?? '') : bare)
}
