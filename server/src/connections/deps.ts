// What the connections folder needs from other slices, and the names it uses in shared tables.
import type { SessionSettings } from '@tollgate/smpp/session/session-types.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { HoldStore, FlightRecorder } from '../gateway/index.ts'
import type { Ingest } from '../ingest/index.ts'
import type { LinkSettings } from './link-settings.ts'

export interface ConnectionsDeps {
  readonly db: Db
  readonly log: Logger
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly egress: Pick<Egress, 'resolve'>
  readonly messages: Pick<Ingest, 'accept' | 'refuse' | 'gatewayId' | 'storeWithin' | 'nowMs'>
  readonly holds: HoldStore
  /** This node's name for people and as owner of leases. */
  readonly node: string
  /** Whether this node may own links; other nodes only show them and give orders. */
  readonly holdsLinks: boolean
  /** Sends a link's new state to the screens. */
  readonly publish: (change: ConnectionStatusChange) => void
  /** The common settings of all links, read at each attempt to bind; default: the default timers. */
  readonly linkSettings?: LinkSettings
  /** The flight recorder, if any. */
  readonly flight?: Pick<FlightRecorder, 'watch' | 'unwatch' | 'watchOwnBind'>
  /** Pauses between the attempts of a message while the upstream is busy; default: `defaultSendPausesMs`. */
  readonly sendPausesMs?: readonly number[]
  /** Shorter timers for tests. */
  readonly settings?: Partial<SessionSettings>
  readonly pace?: LinkPace
}

interface LinkPace {
  /** From one look at all links to the next. */
  readonly lookEveryMs: number
  /** From one report of a link's heartbeat and figures to the next. */
  readonly reportEveryMs: number
}

export interface ConnectionStatusChange {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly lastErrorCode: number | null
  readonly lastError: string
}

/** The encryption context of a connection's password. */
export function passwordContext(connectionId: number): string {
  return `smpp_connections.encrypted_password:${connectionId}`
}

/** The name of the lease whose holder owns the link. */
export function leaseName(connectionId: number): string {
  return `connection:${connectionId}`
}
