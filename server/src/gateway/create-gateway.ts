// Puts the gateway together: listeners, admission, the binds' keeper, and the routes that show them.
import { randomUUID } from 'node:crypto'
import type { SessionSettings } from '@tollgate/smpp/session/handlers.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { BoundRoutes } from '../platform/http/handlers.ts'
import type { Checks } from '../platform/http/health.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import { Admission } from './binds/admit-bind.ts'
import { BindThrottle } from './binds/bind-throttle.ts'
import { BindKeeper } from './binds/keep-binds.ts'
import { KnownOrigins } from './binds/known-origins.ts'
import { LiveBinds } from './binds/live-binds.ts'
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
  readonly log: Logger
  readonly audit: Pick<Audit, 'record'>
  readonly accounts: SmppAccounts
  readonly messages: MessageStore
  readonly holds: HoldStore
  /** Started before this slice, and stopped after it. */
  readonly deliveries: Deliveries
  readonly secrets: Pick<Secrets, 'open'>
  readonly flight: FlightRecorder
  /** What this node is called in lists of binds. */
  readonly host: string
  readonly roles: readonly string[]
  /** Where to listen; undefined where this node does not serve SMPP. Its status then tells of the other nodes. */
  readonly listen: Pick<ListenerOptions, 'host' | 'port' | 'tls' | 'proxies'> | undefined
  /** The port that the status names where this node does not listen. */
  readonly smppPort: number
  readonly outboundLinks?: OutboundLinks
  readonly ledgerState?: LedgerState
  /** Shorter timers for tests. */
  readonly settings?: Partial<SessionSettings>
}

export interface Gateway {
  readonly routes: BoundRoutes[]
  /** For /readyz. */
  readonly checks: Checks
  /** The ports in use, once started. */
  readonly ports: { readonly plain: number; readonly tls: number | undefined } | undefined
  /** Signs the node on and opens the ports. Throws StartFailure for what the operator can mend. */
  start(): Promise<void>
  /**
   * Closes the ports, answers what is in flight, unbinds every peer and signs the node off; at most 9 s. Stop it before
   * ingest, which still has to answer.
   */
  stop(): Promise<void>
}

// main gives each part 10 s; what is left is for signing off.
const unbindMs = 8_000

/** Builds the slice. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { db, log, accounts, messages, holds, deliveries, flight, listen } = deps
  const node = { id: randomUUID(), host: deps.host, roles: deps.roles }
  const live = new LiveBinds()
  const throttle = new BindThrottle(Date.now)
  const origins = new KnownOrigins(db, log, Date.now)
  const lost = new LostAnswers({ db, secrets: deps.secrets, log })
  const admission = new Admission({
    db,
    nodeId: node.id,
    accounts,
    messages,
    deliveries,
    throttle,
    origins,
    live,
    log,
    lost,
  })
  const keeper = new BindKeeper({ db, node, live, log })
  let listeners: Listeners | undefined
  let stopHearing = (): void => undefined
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
        lookSoon: () => keeper.lookSoon(),
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
      await keeper.start()
      await origins.start()
      const handlers = peerHandlers({ db, log, admission, live, messages, holds, deliveries, lost, flight })
      const { settings } = deps
      listeners = await openListeners({
        ...listen,
        handlers,
        log,
        ...(settings === undefined ? {} : { settings }),
      })
      stopHearing = accounts.onAccountChanged(() => keeper.lookSoon())
    },
    async stop() {
      await flight.stop()
      if (listen === undefined) return
      stopHearing()
      const open = listeners
      listeners = undefined
      await open?.stop(unbindMs)
      await lost.stop()
      await origins.stop()
      await keeper.stop()
    },
  }
}
