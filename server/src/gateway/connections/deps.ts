// What the links to outside gateways need from beneath them.
import type { SessionSettings } from '@tollgate/smpp/session/handlers.ts'
import type { Audit, AuditRecord } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import type { Egress } from '../../platform/egress.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { HoldStore } from '../deps.ts'
import type { Ingest } from '../../records/index.ts'
import type { FlightRecorder } from '../flight-recorder/recorder.ts'
import type { LinkSettings } from './link-settings.ts'

export interface ConnectionsDeps {
  readonly db: Db
  readonly log: Logger
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  readonly egress: Pick<Egress, 'resolve'>
  readonly messages: Pick<Ingest, 'accept' | 'refuse' | 'gatewayId' | 'storeWithin' | 'nowMs'>
  readonly holds: HoldStore
  /** Names this node to people and, for as long as it runs, among the owners of leases. */
  readonly node: string
  /** Whether this node holds links; the others only show and order. */
  readonly holdsLinks: boolean
  /** Tells the screens of a link's new state. */
  readonly publish: (news: ConnectionNews) => void
  /** What holds for all links, read at each attempt to bind; the usual timers unless given. */
  readonly linkSettings?: LinkSettings
  /** Records the links that it is switched on for; none unless given. */
  readonly flight?: Pick<FlightRecorder, 'watch' | 'unwatch'>
  /** Between the tries of a message that a gateway is too busy for; the usual ones unless given. */
  readonly sendPausesMs?: readonly number[]
  /** Shorter timers for tests. */
  readonly settings?: Partial<SessionSettings>
}

export interface ConnectionNews {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly lastErrorCode: number | null
  readonly lastError: string
}

/** Who gives an order, for the audit. */
export type By = Pick<AuditRecord, 'actor' | 'ip'>

/** What a password is sealed for. */
export function placeOf(connectionId: number): string {
  return `smpp_connections.sealed_password:${connectionId}`
}

/** The lease of a link's owner. */
export function leaseName(connectionId: number): string {
  return `connection:${connectionId}`
}
