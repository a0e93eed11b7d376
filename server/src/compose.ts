// Builds every slice and passes each what it needs. The only file that knows them all.
import { hostname } from 'node:os'
import { createAudit, type Audit } from './audit/index.ts'
import {
  createEndpoints,
  defineDeliverySwitch,
  deliverMessages,
  deliverySteps,
  oneEvent,
  type Endpoints,
  expireDeliveries,
} from './endpoints/index.ts'
import { createCdr } from './cdr/index.ts'
import { refuseOwnAccount } from './billing/index.ts'
import { readRangeEarnings } from './books/index.ts'
import { composeLinks } from './compose-links.ts'
import { composeMoney, type Money } from './compose-money.ts'
import { bindSteps, createDeliveries, createSimulator, peerMessageIds } from './gateway/index.ts'
import { createIntegrity, holdSteps, type Integrity } from './integrity/index.ts'
import { createLedger, type Ledger } from './ledger/index.ts'
import { createMail, type Mail } from './mail/index.ts'
import { createNumbers, defineStockSettings, type RequestEvent } from './numbers/index.ts'
import { createObjects } from './objects/index.ts'
import type { Clock } from './platform/clock.ts'
import { asCalled } from './platform/process/command.ts'
import type { Config } from './platform/process/config.ts'
import { isRelease } from './platform/process/project.ts'
import { showFirstAdmin } from './platform/process/show-first-admin.ts'
import { lastBackupOf } from './storage/embedded/backup-notes.ts'
import { createEgress, type Egress } from './platform/security/egress.ts'
import type { FindActor } from './http/authorize.ts'
import type { BoundRoutes } from './http/handlers.ts'
import type { Checks } from './platform/checks.ts'
import { yieldingPace, type HeavyPace } from './platform/load/heavy-work.ts'
import { startJobs, type Jobs } from './platform/work/jobs.ts'
import type { Logger } from './platform/log.ts'
import { IdleWindows } from './platform/load/idle-windows.ts'
import { Overload } from './platform/load/overload.ts'
import { createSecrets, type Secrets } from './platform/security/secrets.ts'
import { createSigner } from './platform/security/signing.ts'
import type { Storage } from './storage/storage.ts'
import type { Tracing } from './platform/tracing/tracing.ts'
import { createTableReader, type TableReader } from './files/tables/table-reader.ts'
import { createRates, loadPricing, ownPrices, type Rates } from './rates/index.ts'
import { createIngest, type Ingest } from './ingest/index.ts'
import { retentionJobs, type LaterSteps } from './records/index.ts'
import { composeReads, type RecordReads } from './compose-reads.ts'
import { defineMessageWait } from './long-messages/index.ts'
import { createAlerts, type Alerts, type SetupState } from './alerts/index.ts'
import { alertSources } from './alert-sources.ts'
import { createSubscribers } from './subscribers/index.ts'
import { createTerms, type ClientTermsSlice } from './terms/index.ts'
import { createUsers, type Users, type UsersParts } from './users/index.ts'

export interface ComposeOptions {
  readonly config: Config
  readonly storage: Storage
  readonly log: Logger
  readonly clock: Clock
  /** Key material for platform/security/secrets.ts. */
  readonly rootKey: string
  readonly tracing?: Tracing | undefined
}

/** The slices as main runs them. */
export interface Composition {
  readonly routes: readonly BoundRoutes[]
  readonly findActor: FindActor
  /** Readiness of listeners and workers, by name. */
  readonly checks: Checks
  /** How heavy calls make room for messages. */
  readonly pace: HeavyPace
  readonly secrets: Secrets
  /** For programs that run beside the gateway. */
  readonly ingest: Ingest
  readonly billing: Money
  readonly integrity: Integrity
  /** Opens listeners and starts workers. Throws StartFailure for what the operator can mend. */
  start(): Promise<void>
  /** Stops intake first, then workers; after it nothing touches the database. Safe when start failed halfway. */
  stop(): Promise<void>
}

// Beyond this rate background work would slow ingest down.
const busyPerSecond = 5_000

/** What the slices above records know of a record's way. */
const laterSteps: LaterSteps = async (...request) => [
  ...(await deliverySteps(...request)),
  ...(await bindSteps(...request)),
  ...(await holdSteps(...request)),
]

/** Builds the slices in their order; each gets what it needs from those before it. */
async function buildSlices(surroundings: ComposeOptions) {
  const { config, storage, log, clock, rootKey, tracing } = surroundings
  const watched = { clock, log, tracing }
  const { db } = storage.database
  const both = { db, heavyDb: storage.heavy.db }
  const secrets = createSecrets(rootKey)
  const onFault = (error: unknown) => log.warn({ err: error }, 'a background task failed; it is tried again')
  const idleWindows = new IdleWindows()
  const audit = createAudit({ ...both, clock, secrets, log, pause: () => idleWindows.next() })
  const mail = config.smtp && createMail({ db, clock, log, secrets, smtp: config.smtp })
  const users = buildUsers(surroundings, { audit, mail, secrets, onFault })
  const overload = new Overload({ isBusy: () => ingest.recentPerSecond() > busyPerSecond })
  const announce: Endpoints['announce'] = (tx, events) => channels.endpoints.announce(tx, events)
  const tables = createTableReader()
  const terms = createTerms({ db, clock, settings: users.settings, refuseOwnAccount })
  const numbers = createNumbers({
    ...both,
    audit,
    tables,
    prices: ownPrices,
    creditUnowned: (of) => billing.creditUnowned(of),
    rangeEarnings: readRangeEarnings,
    refuseOwnAccount,
    terms,
    publish: (event) => notifyRequest(reads, event),
    announce: (tx, type, request) => announce(tx, oneEvent(request.userId, type, request)),
    idleWindows,
    ...defineStockSettings(users.settings),
  })
  const reads = buildReads(surroundings, { audit, mail, secrets, users, overload, onFault })
  const rates = createRates({ db, audit, settings: users.settings, refuseOwnAccount })
  const ledger = createLedger({ db, clock, cycleSeconds: config.billingCycleSeconds })
  const parts = { audit, secrets, egress: createEgress(config.egressAllow), users }
  const { hasDelivery, ...channels } = buildChannels(surroundings, parts)
  const pace = yieldingPace(idleWindows, overload)
  const cdr = createCdr({ ...both, ...config, ...parts, ...watched, peerMessageIds, pace })
  const pricing = await loadPricing(db, idleWindows)
  const ingest = createIngest({
    db,
    probeDb: storage.probe,
    hasRoom: () => storage.disk?.isRefusing !== true,
    ...watched,
    secrets,
    pricing,
    idleWindows,
    openCycle: () => ledger.ensureOpenCycle(),
    hasDelivery,
  })
  const isJudged: Integrity['isJudged'] = (from, until) => integrity.isJudged(from, until)
  const money = { ...parts, mail, tables, ledger, rates, terms, overload, announce, isJudged }
  const billing = buildBilling(surroundings, money)
  const integrity = createIntegrity({
    ...both,
    ...money,
    clock,
    approval: billing.approval,
    debts: billing.debts,
    settings: users.settings,
    mode: rates.integrityMode,
    correct: billing.correct,
    publish: (event) => notifyHold(reads, event),
  })
  const served = { ingest, reads, billing, integrity, node: nodeName }
  const links = composeLinks(surroundings, { ...parts, ...channels, ...served })
  const alert = buildAlert(surroundings, { audit, mail, reads, users, billing, ...channels })
  const simulator = createSimulator({ db, audit, messages: ingest, pricing })
  const business = { terms, alert, simulator, mail, numbers, rates, billing, integrity }
  const found = buildFinders(surroundings, { audit, secrets, overload })
  return { ...business, ...found, ...parts, ingest, reads, pace, cdr, ...channels, ...links }
}

/** What looks across all slices. */
function buildFinders(
  { storage, clock }: ComposeOptions,
  parts: Pick<ReadsParts, 'audit' | 'secrets' | 'overload'>,
) {
  const both = { db: storage.database.db, heavyDb: storage.heavy.db }
  return {
    objects: createObjects({ ...both, ...parts }),
    subscribers: createSubscribers({ ...both, ...parts, clock }),
  }
}

interface ReadsParts {
  readonly audit: Audit
  readonly mail: Mail | undefined
  readonly secrets: Secrets
  readonly users: Users
  readonly overload: Overload
  readonly onFault: (error: unknown) => void
}

function buildReads({ config, storage, clock }: ComposeOptions, parts: ReadsParts): RecordReads {
  const { users, ...rest } = parts
  return composeReads({
    ...rest,
    db: storage.database.db,
    heavyDb: storage.heavy.db,
    clock,
    currentActor: (actor) => users.currentActor(actor),
    laterSteps,
    peerMessageIds,
    messageWaitMs: defineMessageWait(users.settings),
    onMessagesEnded: deliverMessages,
    consoleUrl: config.publicUrl?.origin,
  })
}

interface AlertParts {
  readonly audit: Audit
  readonly mail: Mail | undefined
  readonly reads: Pick<RecordReads, 'publish'>
  readonly endpoints: Endpoints
  readonly users: Users
  readonly billing: Pick<Money, 'alerts'>
}

function buildAlert({ config, storage, log, clock }: ComposeOptions, parts: AlertParts): Alerts {
  const { audit, mail, reads, endpoints, billing } = parts
  return createAlerts({
    db: storage.database.db,
    clock,
    audit,
    mail,
    log,
    setup: setupOf(config, parts.users),
    sources: alertSources(storage.database.db, billing, storage),
    announceTo: (tx, event) => endpoints.announceTo(tx, event),
    consoleUrl: config.publicUrl?.origin,
    onNotification: () =>
      void reads.publish({ kind: 'notification', payload: {}, audience: { permission: 'alerts' } }),
  })
}

function setupOf(config: Config, users: Pick<Users, 'smppAddress'>): SetupState {
  return {
    hasChainNode: config.tron !== undefined,
    smppHost: async () => (await users.smppAddress()).host,
    hasSmppTls: config.smppTls !== undefined,
    backupCommand: asCalled('npm run backup', isRelease),
    lastBackupAt: async () => (config.databaseUrl === undefined ? lastBackupOf(config.dataDir) : undefined),
  }
}

/** Users, with the addresses of the console (PUBLIC_URL) and of the SMPP listener. */
function buildUsers(
  { config, storage, clock }: ComposeOptions,
  parts: Pick<UsersParts, 'audit' | 'mail' | 'secrets' | 'onFault'>,
): Users {
  return createUsers({
    ...parts,
    db: storage.database.db,
    heavyDb: storage.heavy.db,
    clock,
    publicUrl: config.publicUrl,
    consoleUrl: consoleUrlOf(config),
    // What peers are told unless a setting says otherwise: the name of the console where it has one.
    smppAddress: () => ({ host: config.publicUrl?.hostname ?? config.host, port: config.smppPort }),
  })
}

/** The address of the console by the settings, never by a caller's headers. */
function consoleUrlOf({ publicUrl, host, httpPort }: Config): string | undefined {
  if (publicUrl !== undefined) return publicUrl.origin
  const isKnown = httpPort !== 0 && host !== '0.0.0.0' && host !== '::'
  return isKnown ? `http://${host.includes(':') ? `[${host}]` : host}:${httpPort}` : undefined
}

/** Notifies the client who made a number request, and the staff who decide on requests. */
function notifyRequest(reads: Pick<RecordReads, 'publish'>, event: RequestEvent): void {
  const audience = { userId: event.userId, permission: 'numbersManagement' } as const
  void reads.publish({ kind: 'request', payload: event, audience })
}

/** Updates the screens of whoever reviews holds, and of the client. */
function notifyHold(
  reads: Pick<RecordReads, 'publish'>,
  { userId, ...payload }: { readonly userId: number; readonly holdId: string; readonly status: string },
): void {
  void reads.publish({ kind: 'hold', payload, audience: { userId, permission: 'holdReview' } })
}

/** The two channels by which a client gets its records: HTTP and its SMPP binds. Each needs to know the other's state. */
function buildChannels({ storage, log, tracing }: ComposeOptions, parts: ChannelParts) {
  const { users, ...rest } = parts
  const both = { db: storage.database.db, heavyDb: storage.heavy.db }
  const isDelivering = defineDeliverySwitch(users.settings)
  const endpoints = createEndpoints({
    ...rest,
    ...both,
    log,
    tracing,
    isDelivering,
    hasOtherChannel: (clientId) => deliveries.hasReceiver(clientId),
  })
  const deliveries = createDeliveries({
    ...rest,
    db: both.db,
    log,
    settings: users.settings,
    hasEndpoint: (clientId) => endpoints.hasEndpoint(clientId),
    onExpired: expireDeliveries,
  })
  const hasDelivery = (clientId: number) =>
    endpoints.hasEndpoint(clientId) || deliveries.hasReceiver(clientId)
  return { endpoints, deliveries, isDelivering, hasDelivery }
}

interface ChannelParts {
  readonly audit: Audit
  readonly secrets: Secrets
  readonly egress: Egress
  readonly users: Users
}

interface BillingSurroundings {
  readonly audit: Audit
  readonly mail: Mail | undefined
  readonly tables: TableReader
  readonly ledger: Ledger
  readonly users: Users
  readonly rates: Rates
  readonly terms: ClientTermsSlice
  readonly egress: Egress
  readonly overload: Overload
  readonly announce: Endpoints['announce']
  readonly isJudged: Integrity['isJudged']
}

function buildBilling(
  { config, storage, clock, rootKey }: ComposeOptions,
  parts: BillingSurroundings,
): Money {
  const { users, rates, ...rest } = parts
  return composeMoney({
    db: storage.database.db,
    heavyDb: storage.heavy.db,
    clock,
    ...rest,
    settings: users.settings,
    treasuryAddresses: rates.treasuryAddresses,
    signer: createSigner(rootKey, 'statements'),
    tron: config.tron,
    consoleUrl: config.publicUrl?.origin,
  })
}

function routesOf(slices: Awaited<ReturnType<typeof buildSlices>>): BoundRoutes[] {
  return [
    slices.audit,
    slices.users,
    slices.terms,
    slices.numbers,
    slices.rates,
    slices.billing,
    slices.integrity,
    slices.reads,
    slices.endpoints,
    slices.cdr,
    slices.providers,
    slices.connections,
    slices.gateway,
    slices.interconnection,
    slices.smppTraffic,
    slices.simulator,
    slices.alert,
    slices.objects,
    slices.subscribers,
  ].flatMap((slice) => slice.routes)
}

const nodeName = `${hostname()}:${process.pid}`

export async function compose(surroundings: ComposeOptions): Promise<Composition> {
  const { config, storage, log, clock, tracing } = surroundings
  const slices = await buildSlices(surroundings)
  const { users, ingest, reads, endpoints, providers, connections, gateway } = slices
  let jobs: Jobs | undefined
  return {
    routes: routesOf(slices),
    findActor: (credentials) => users.findActor(credentials),
    checks: { ...ingest.checks, ...gateway.checks },
    pace: slices.pace,
    secrets: slices.secrets,
    ingest,
    billing: slices.billing,
    integrity: slices.integrity,
    async start() {
      await users.start()
      const advice = config.roles.has('web') ? await users.registrationAdvice(config.host) : undefined
      if (advice !== undefined) log.warn({}, advice)
      // Both before ingest, which needs them.
      await endpoints.start({ delivers: config.roles.has('worker') })
      await slices.cdr.start({ delivers: config.roles.has('worker') })
      await slices.deliveries.start({ delivers: config.roles.has('smpp') })
      await ingest.start()
      await reads.start({ follows: config.roles.has('worker') })
      // Last: everything that a bind needs is ready.
      await gateway.start()
      // After the ports: a start that fails at one of them must not swallow the password, which is shown once.
      const admin = await users.ensureFirstAdmin(config.admin)
      if (admin?.weakness !== undefined) log.warn({}, admin.weakness)
      if (admin?.generatedPassword !== undefined)
        showFirstAdmin({ ...admin, password: admin.generatedPassword }, config.logFormat, log)
      // After the first admin, with whom the audit log begins: its head is signed at once.
      if (config.roles.has('worker'))
        jobs = startJobs({
          db: storage.database.db,
          jobs: [
            ...slices.audit.jobs({ announce: users.announceAuditHead }),
            ...users.jobs,
            ...slices.numbers.jobs,
            ...slices.rates.jobs,
            ...slices.billing.jobs,
            ...(slices.mail?.jobs ?? []),
            ...endpoints.jobs,
            ...slices.cdr.jobs,
            ...slices.alert.jobs,
            ...reads.jobs,
            ...slices.integrity.jobs,
            ...slices.subscribers.jobs,
            ...slices.objects.jobs,
            ...retentionJobs({ ...config, ...slices.cdr, db: storage.database.db, clock, log }),
          ],
          node: nodeName,
          log,
          tracing,
        })
      await connections.start()
      await providers.start()
    },
    async stop() {
      await Promise.all([gateway.stop(), connections.stop(), providers.stop()])
      await Promise.all([endpoints.stop(), slices.cdr.stop(), slices.deliveries.stop()])
      await slices.egress.close()
      await jobs?.stop()
      await ingest.stop()
      await reads.stop()
      await users.stop()
    },
  }
}
