import type { CallContext } from '../platform/http/handlers.ts'
import { onceForKey } from '../platform/http/idempotency.ts'
import type { BillingDeps } from './deps.ts'

/**
 * Runs `work` in one transaction, once for each Idempotency-Key of the caller. `request` is everything that the call
 * asks for: a key that comes back with another request is refused.
 */
export function idempotent<T>(
  deps: BillingDeps,
  context: Pick<CallContext, 'actor' | 'header'>,
  request: unknown,
  work: (txDeps: BillingDeps) => Promise<T>,
): Promise<T> {
  const call = { userId: context.actor.userId, key: context.header('idempotency-key'), request }
  return onceForKey(deps.db, call, (tx) => work({ ...deps, db: tx }))
}
