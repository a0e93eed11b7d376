// Where a call comes from. Behind a proxy that we trust that is what it says in X-Forwarded-For; anybody else's word of it
// is ignored (fastify's trustProxy, which takes the nearest address that is none of a trusted proxy's).
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../process/config.ts'
import { plainAddress } from '../addresses/network-of.ts'

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

/** The caller's address, IPv4 as such. Some proxies add a port; what is no address at all is not believed. */
export function callerAddress(request: FastifyRequest): string {
  const said = request.ip
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(said)?.[1] ?? /^([\d.]+):\d+$/.exec(said)?.[1] ?? said
  return plainAddress(isIP(bare) === 0 ? (request.socket.remoteAddress ?? '') : bare)
}
