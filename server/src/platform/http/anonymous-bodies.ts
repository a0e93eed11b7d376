// Limits the request bodies of callers who have not signed in, while they arrive and are parsed: by address, in all,
// and in time. Without it anybody who reaches the port could make us hold any number of half-sent bodies.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import { networkOf } from '../addresses/network-of.ts'
import { callerAddress } from './caller-address.ts'
import { hasBody } from './json-body.ts'

export interface AnonymousBodyLimits {
  readonly perAddress: number
  readonly inAll: number
  /** How long one may take to arrive. */
  readonly timeoutMs: number
}

// A sign-in is a packet or two, so a slot is free again within milliseconds, and 64 are enough for an office or a proxy
// that many people share. Each body has at most 16 KB: a megabyte for an address, 16 MB in all.
const defaults: AnonymousBodyLimits = { perAddress: 64, inAll: 1_000, timeoutMs: 10_000 }

export interface AnonymousBodies {
  /** Takes a slot for the call's body, if it has one. Throws Refusal too_many when all are taken. */
  admit(request: FastifyRequest, reply: FastifyReply): void
  /** The body has been read and parsed. */
  done(request: FastifyRequest): void
}

export function anonymousBodies(limits: Partial<AnonymousBodyLimits> = {}): AnonymousBodies {
  const { perAddress, inAll, timeoutMs } = { ...defaults, ...limits }
  const counts = new Map<string, number>()
  const endings = new WeakMap<FastifyRequest, () => void>()
  let count = 0
  return {
    admit(request, reply) {
      if (!hasBody(request)) return
      const address = networkOf(callerAddress(request))
      const own = counts.get(address) ?? 0
      if (own >= perAddress || count >= inAll)
        throw new Refusal('too_many', 'Too many calls at once. Wait a second and try again.', {
          retryAfterSeconds: 1,
        })
      counts.set(address, own + 1)
      count += 1
      // A caller that does not finish its request waits for no answer: the socket is closed.
      const timer = setTimeout(() => request.raw.destroy(), timeoutMs)
      const end = () => {
        if (!endings.delete(request)) return
        clearTimeout(timer)
        count -= 1
        const left = (counts.get(address) ?? 1) - 1
        if (left === 0) counts.delete(address)
        else counts.set(address, left)
      }
      endings.set(request, end)
      reply.raw.once('close', end)
    },
    done: (request) => endings.get(request)?.(),
  }
}
