// Limits the request bodies of callers who have not signed in, while they arrive and are parsed: by address, in all,
// and in time. Without it anybody who reaches the port could make us hold any number of half-sent bodies.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import { networkOf } from '../platform/addresses/network-of.ts'
import { FairQueue } from '../platform/load/fair-queue.ts'
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
  const bodies = new FairQueue({ runningMax: inAll, runningMaxOfKey: perAddress })
  const endings = new WeakMap<FastifyRequest, () => void>()
  return {
    admit(request, reply) {
      if (!hasBody(request)) return
      const leave = bodies.tryEnter(networkOf(callerAddress(request)))
      if (leave === undefined)
        throw new Refusal('too_many', 'Too many calls at once. Wait a second and try again.', {
          retryAfterSeconds: 1,
        })
      // A caller that does not finish its request waits for no answer: the socket is closed.
      const timer = setTimeout(() => request.raw.destroy(), timeoutMs)
      const end = () => {
        endings.delete(request)
        clearTimeout(timer)
        leave()
      }
      endings.set(request, end)
      reply.raw.once('close', end)
    },
    done: (request) => endings.get(request)?.(),
  }
}
