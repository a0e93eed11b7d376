// What the slice needs from beneath it.
import type { WorkerStatus } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { LeaseTimes } from '../platform/work/leases.ts'
import type { Ingest } from '../ingest/index.ts'
import type { PollResult } from './backoff.ts'

export interface ProvidersDeps {
  readonly db: Db
  /** The pool for heavy calls; defaults to `db`. */
  readonly heavyDb?: Db | undefined
  readonly log: Logger
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly egress: Pick<Egress, 'call'>
  readonly messages: Pick<Ingest, 'storeWithin' | 'refuse' | 'gatewayId'>
  /** The node's name in the console. */
  readonly node: string
  /** Whether this node polls; the others only serve the routes. */
  readonly polls: boolean
  /** Sends a worker's new state to the screens. */
  readonly publish: (event: WorkerEvent) => void
  /** How long a response may take; defaults to 30 s. */
  readonly pollTimeoutMs?: number | undefined
  /** Shorter waits than the standard ones, for tests. */
  readonly pace?: PollPace | undefined
}

/** How often pollers look, and how long they wait. */
export interface PollPace {
  /** From one look at all providers to the next. */
  readonly roundEveryMs: number
  readonly leaseTimes: LeaseTimes
  /** Replaces the pause until the next poll. */
  readonly pauseMs: (result: PollResult) => number
  /** From one far lookback to the next, at least. */
  readonly farEveryMinMs: number
}

export interface WorkerEvent {
  readonly providerId: string
  readonly name: string
  readonly status: WorkerStatus
  readonly lastError: string
  /** Messages stored since the last event. */
  readonly storedCount: number
}

/** The lease of the node that polls a provider. */
export function leaseName(providerId: number): string {
  return `provider:${providerId}`
}

/** The context that a provider's key or password is encrypted for. */
export function secretContext(providerId: number): string {
  return `providers.encrypted_secret:${providerId}`
}

/** The context that a dead letter's row is encrypted for. */
export function deadLetterContext(providerId: number, key: string): string {
  return `provider_dead_letters.encrypted_row:${providerId}:${key}`
}
