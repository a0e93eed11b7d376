// Builds the gateway: listeners, admission of binds, their upkeep, and the routes that show them.
import { randomUUID } from 'node:crypto'
import type { SessionSettings } from '@tollgate/smpp/session/session-types.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { BoundRoutes } from '../http/handlers.ts'
import type { Checks } from '../platform/checks.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { Admission } from './binds/admit-bind.ts'
import { BindThrottle } from './binds/bind-throttle.ts'
import { BindKeeper, type BindPace } from './binds/keep-binds.ts'
import { KnownOrigins } from './binds/known-origins.ts'
import { LiveBinds } from './binds/live-binds.ts'
import { RefusedBinds } from './binds/refused-binds.ts'
import { LostAnswers } from './lost-answers/lost-answers.ts'
import { openListeners, type ListenerOptions, type Listeners } from './listeners.ts'
import type { Deliveries } from './deliver/create-deliveries.ts'
import type { FlightRecorder } from './flight-recorder/recorder.ts'
import { bindFlightRoutes } from './flight-recorder/routes.ts'
import type { HoldStore, LedgerState, MessageStore, OutboundLinks, SmppAccounts } from './deps.ts'
import { peerHandlers } from './peer-handlers.ts'
import { bindGatewayRoutes } from './routes.ts'

export interface GatewayDeps {
  readonly db: Db
  /** The database for heavy calls; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly log: Logger
  readonly audit: Pick<Audit, 'record'>
  readonly accounts: SmppAccounts
  readonly messages: MessageStore
  readonly holds: HoldStore
  /** Started before this slice, and stopped after it. */
  readonly deliveries: Deliveries
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly flight: FlightRecorder
  /** This node's name in lists of binds. */
  readonly host: string
  readonly roles: readonly string[]
  /** Where to listen; undefined when this node does not serve SMPP. Its status then shows the other nodes. */
  readonly listen: Pick<ListenerOptions, 'host' | 'port' | 'tls' | 'proxies'> | undefined
  /** The database serves no other node, so every other node in it is dead. */
  readonly isOnlyNode?: boolean
  /** The port that the status shows when this node does not listen. */
  readonly smppPort: number
  readonly outboundLinks?: OutboundLinks
  readonly ledgerState?: LedgerState
  /** Shorter timers for tests. */
  readonly settings?: Partial<SessionSettings>
  readonly pace?: BindPace & { readonly certificateCheckMs: number }
}

export interface Gateway {
  readonly routes: BoundRoutes[]
  /** For /readyz. */
  readonly checks: Checks
  /** The ports in use, once started. */
  readonly ports: { readonly plain: number; readonly tls: number | undefined } | undefined
  /** Registers the node and opens the ports. Throws StartFailure for faults that the operator can fix. */
  start(): Promise<void>
  /**
   * Closes the ports, answers the messages in flight, unbinds every peer and removes the node; at most 9 s. Stop it before
   * ingest, which provides those answers.
   */
  stop(): Promise<void>
}

// main gives each component 10 s; the rest is for removing the node.
const unbindMs = 8_000

/** Builds the slice. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { db, log, accounts, messages, holds, deliveries, flight, listen, settings, pace } = deps
  const { isOnlyNode = false } = deps
  const node = { id: randomUUID(), host: deps.host, roles: deps.roles }
  const live = new LiveBinds()
  const throttle = new BindThrottle(Date.now)
  const origins = new KnownOrigins(db, log, Date.now)
  const refused = new RefusedBinds(db, log)
  const lost = new LostAnswers({ db, secrets: deps.secrets, log })
  const judging = { accounts, messages, deliveries, throttle, origins, live, lost, refused }
  const admission = new Admission({ db, nodeId: node.id, log, ...judging })
  const keeper = new BindKeeper({ db, node, isOnlyNode, live, log, pace })
  let listeners: Listeners | undefined
  let stopListening = (): void => undefined
  return {
    routes: [
      bindGatewayRoutes({
        ...deps,
        isListening: () => listeners !== undefined,
        listening: () =>
          listen === undefined || listeners === undefined
            ? undefined
            : { host: listen.host, port: listeners.port },
        port: () => listeners?.port ?? deps.smppPort,
        hasTls: () => listeners && listeners.tlsPort !== undefined,
        checkBindsSoon: () => keeper.checkSoon(),
      }),
      bindFlightRoutes(deps),
    ],
    checks: listen === undefined ? {} : { smpp: () => listeners !== undefined },
    get ports() {
      return listeners === undefined ? undefined : { plain: listeners.port, tls: listeners.tlsPort }
    },
    async start() {
      flight.start()
      if (listen === undefined) return
      lost.start()
      refused.start()
      await keeper.start()
      await origins.start()
      const handlers = peerHandlers({ db, log, admission, live, messages, holds, deliveries, lost, flight })
      const certificateCheckMs = pace?.certificateCheckMs
      listeners = await openListeners({ ...listen, handlers, log, certificateCheckMs, settings })
      stopListening = accounts.onAccountChanged(() => keeper.checkSoon())
    },
    async stop() {
      await flight.stop()
      if (listen === undefined) return
      stopListening()
      const open = listeners
      listeners = undefined
      await open?.stop(unbindMs)
      await lost.stop()
      await origins.stop()
      await refused.stop()
      await keeper.stop()
    },
  }
}
