// What the slice needs from beneath it.
import type { WorkerStatus } from '@tollgate/contract/vocabulary.ts'
import type { Audit, AuditRecord } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { Ingest } from '../records/index.ts'

export interface ProvidersDeps {
  readonly db: Db
  /** What heavy calls work on; `db` unless given. */
  readonly heavyDb?: Db | undefined
  readonly log: Logger
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  readonly egress: Pick<Egress, 'call'>
  readonly messages: Pick<Ingest, 'storeWithin' | 'refuse' | 'gatewayId'>
  /** Names this node to people. */
  readonly node: string
  /** Whether this node polls; the others only show and order. */
  readonly polls: boolean
  /** Tells the screens of a worker's new state. */
  readonly publish: (news: WorkerNews) => void
  /** How long an answer may take; 30 s unless a test has less time. */
  readonly patienceMs?: number | undefined
}

export interface WorkerNews {
  readonly providerId: string
  readonly name: string
  readonly status: WorkerStatus
  readonly lastError: string
  /** Messages stored since the last news. */
  readonly storedCount: number
}

/** Who gives an order, for the audit. */
export type By = Pick<AuditRecord, 'actor' | 'ip'>

/** The lease of a provider's owner. */
export function leaseName(providerId: number): string {
  return `provider:${providerId}`
}

/** What a provider's key or password is sealed for. */
export function secretPlace(providerId: number): string {
  return `providers.sealed_secret:${providerId}`
}

/** What a row that waits is sealed for. */
export function letterPlace(providerId: number, key: string): string {
  return `provider_dead_letters.sealed_row:${providerId}:${key}`
}
