import type { CallContext } from '../platform/http/handlers.ts'
import { onceForKey } from '../platform/http/idempotency.ts'
import type { BillingParts } from './parts.ts'

/** Does `work` in one transaction, once for each Idempotency-Key of the caller. `request` is everything that the call asks for. */
export function keyed<T>(
  parts: BillingParts,
  context: Pick<CallContext, 'actor' | 'header'>,
  request: unknown,
  work: (within: BillingParts) => Promise<T>,
): Promise<T> {
  const call = { userId: context.actor.userId, key: context.header('idempotency-key'), request }
  return onceForKey(parts.db, call, (tx) => work({ ...parts, db: tx }))
}
