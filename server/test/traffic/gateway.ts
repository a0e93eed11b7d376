// Gateways on a real database with real sockets: accounts, a few numbers, ingest, and peers that bind.
import { createTableReader } from '../../src/files/tables/table-reader.ts'
import { sql } from 'kysely'
import { afterAll } from 'vitest'
import type { BindMode, SessionSettings } from '@tollgate/smpp/session/session-types.ts'
import { Peer } from '@tollgate/smpp/testing/peer.ts'
import { openTestApi } from '../http/api.ts'
import { createTestAudit, createTestUsers } from '../people/audit.ts'
import {
  createDeliveries,
  createGateway,
  FlightRecorder,
  type Gateway,
  type GatewayDeps,
} from '../../src/gateway/index.ts'
import { createIntegrity, type Integrity } from '../../src/integrity/index.ts'
import { createLedger, type Ledger } from '../../src/ledger/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { rows, type Db } from '../../src/platform/db.ts'
import { createSecrets } from '../../src/platform/security/secrets.ts'
import { loadPricing } from '../../src/rates/index.ts'
import { createIngest, type Ingest } from '../../src/ingest/index.ts'
import type { Users } from '../../src/users/index.ts'
import { createSettings } from '../../src/settings/settings.ts'
import { idFrom, openTestDatabase, silentLog } from '../environment/database.ts'
import { Overload } from '../../src/platform/load/overload.ts'

export const password = 'secret08'

export interface TestAccount {
  readonly userId: number
  readonly systemId: string
}

export type GatewayEnvironment = Awaited<ReturnType<typeof openTestGateway>>

export interface TestNode {
  readonly gateway: Gateway
  readonly ingest: Ingest
  /** Where its repeated messages are held. */
  readonly holds: Integrity
  readonly port: number
  /** Connects and binds, or throws. */
  bound(account: TestAccount, mode?: BindMode, localAddress?: string): Promise<Peer>
  /** Connects, tries to bind, and gives the status of the answer with the peer. */
  tryBind(systemId: string, options?: TryBind): Promise<{ status: number; peer: Peer }>
}

interface TryBind {
  readonly password?: string
  readonly mode?: BindMode
  readonly interfaceVersion?: number
  readonly localAddress?: string
}

interface AccountRow {
  readonly status: string
  readonly smppAccess: boolean
  readonly maxConnections: number
  readonly throughput: number
  readonly allowedCidrs: string[]
  readonly tlsOnly: boolean
  readonly window: number
}

/** What encrypts the bench's passwords and texts. */
export const secrets = createSecrets('key material for tests')
let made = 0

/** Opens the environment; all of it ends after the test file. */
export async function openTestGateway(
  options: {
    settings?: Partial<SessionSettings>
    tls?: NonNullable<GatewayDeps['listen']>['tls']
    proxies?: readonly string[]
  } = {},
) {
  const database = await openTestDatabase({ maxConnections: 10 })
  const { db } = database
  const audit = createTestAudit({ db, clock: systemClock })
  const users = createTestUsers({ db, clock: systemClock, audit, secrets })
  const startNode = (settings?: Partial<SessionSettings>) =>
    newNode(db, { accounts: users, audit, tls: options.tls, proxies: options.proxies ?? [], settings })
  return {
    ...database,
    users,
    /** The node under test. */
    node: await startNode(options.settings),
    /** Another node on the same database. */
    anotherNode: startNode,
    account: (over: Partial<AccountRow> = {}) => addAccount(db, over),
    /** A number of ours that nobody holds, or that this account has always held. */
    number: (status = 'active', holder?: TestAccount) => addNumber(db, status, holder),
    recordsTo: (digits: string) =>
      rows<{ id: string; flags: number; sender: string; created_at: Date }>(
        db,
        sql`select r.id, r.flags, r.sender, r.created_at from records r join numbers n on n.id = r.number_id
            where n.number = ${digits} order by r.id`,
      ),
  }
}

/** The routes of the bench's node, and an admin who has signed in just now. */
export async function openAdminApi(environment: GatewayEnvironment) {
  const api = await openTestApi(environment.node.gateway.routes)
  const admin = await environment.account()
  const { userId, systemId: username } = admin
  const cookie = api.signIn({ userId, username, role: 'admin', authenticatedAt: new Date() })
  return { api, admin, cookie }
}

interface NodeParts {
  readonly accounts: Users
  readonly audit: GatewayDeps['audit']
  readonly tls: NonNullable<GatewayDeps['listen']>['tls']
  readonly proxies: readonly string[]
  readonly settings: Partial<SessionSettings> | undefined
}

async function newNode(db: Db, { accounts, audit, tls, proxies, settings }: NodeParts): Promise<TestNode> {
  const ledger = createLedger({ db, clock: systemClock, cycleSeconds: 604_800 })
  const deliveries = createDeliveries({
    db,
    log: silentLog,
    secrets,
    settings: createSettings({ audit, clock: systemClock }),
    sweepEveryMs: 500,
    ...(settings?.sendWindowMax === undefined ? {} : { windowMax: settings.sendWindowMax }),
  })
  await deliveries.start({ delivers: true })
  const ingest = createIngest({
    db,
    clock: systemClock,
    log: silentLog,
    secrets,
    pricing: await loadPricing(db),
    openCycle: () => ledger.ensureOpenCycle(),
    hasDelivery: (clientId) => deliveries.hasReceiver(clientId),
    writerCount: 1,
  })
  await ingest.start()
  const holds = holdsOn(db, audit, ledger)
  const gateway = createGateway({
    db,
    log: silentLog,
    audit,
    accounts,
    messages: ingest,
    holds,
    deliveries,
    secrets,
    flight: new FlightRecorder(db, silentLog, `node${made}`, 200),
    host: `node${(made += 1)}`,
    roles: ['smpp'],
    listen: { host: '127.0.0.1', port: 0, tls, proxies },
    smppPort: 2775,
    pace: { checkEveryMs: 500, unbindMs: 500, certificateCheckMs: 200 },
    ...(settings === undefined ? {} : { settings }),
  })
  await gateway.start()
  const peers: Peer[] = []
  afterAll(async () => {
    // A peer that is still bound would keep the stop waiting for its answer to the unbind.
    for (const peer of peers) peer.destroy()
    await gateway.stop()
    await deliveries.stop()
    await ingest.stop()
  })
  const port = gateway.ports?.plain ?? 0
  const tryBind: TestNode['tryBind'] = async (systemId, options = {}) => {
    const attempted = await attempt(port, systemId, options)
    peers.push(attempted.peer)
    return attempted
  }
  return {
    gateway,
    ingest,
    holds,
    port,
    tryBind,
    async bound({ systemId }, mode = 'transceiver', localAddress) {
      const { status, peer } = await tryBind(systemId, {
        mode,
        ...(localAddress === undefined ? {} : { localAddress }),
      })
      if (status !== 0) throw new Error(`the bind was refused with ${status}`)
      return peer
    },
  }
}

function holdsOn(db: Db, audit: GatewayDeps['audit'], ledger: Ledger): Integrity {
  return createIntegrity({
    db,
    clock: systemClock,
    audit,
    tables: createTableReader(),
    ledger,
    approval: { needsSecondPerson: async () => false, refuseOwnAccount: async () => undefined },
    settings: createSettings({ audit, clock: systemClock }),
    debts: { dueOf: async () => 0n, takeOff: async () => undefined, finish: async () => undefined },
    mode: { get: async () => 'off' },
    overload: new Overload({ isBusy: () => false }),
    correct: async () => '',
    publish: () => undefined,
  })
}

async function attempt(
  port: number,
  systemId: string,
  options: TryBind,
): Promise<{ status: number; peer: Peer }> {
  const peer = await Peer.connect(port, options.localAddress)
  peer.send(`bind_${options.mode ?? 'transceiver'}`, 1, {
    systemId,
    password: options.password ?? password,
    interfaceVersion: options.interfaceVersion ?? 0x34,
  })
  const { status } = await peer.next()
  return { status, peer }
}

async function addAccount(db: Db, over: Partial<AccountRow>): Promise<TestAccount> {
  const systemId = `esme${(made += 1)}`
  const { status = 'active', smppAccess = true, maxConnections = 5, throughput = 0, allowedCidrs = [] } = over
  const { tlsOnly = false, window = 50 } = over
  const id = await idFrom(db)`insert into users (username, email, first_name, last_name, password_hash,
        role, status, smpp_access, max_connections, throughput, allowed_cidrs, smpp_tls_only, smpp_window)
      values (${systemId}, 's@example.org', 'S', 'S', 'x', 'user', ${status}, ${smppAccess}, ${maxConnections},
      ${throughput}, ${allowedCidrs}::text[], ${tlsOnly}, ${window}) returning id`
  const userId = Number(id)
  const encrypted = secrets.encrypt(password, `smpp_credentials.encrypted_password:${userId}`)
  await sql`insert into smpp_credentials (user_id, system_id, encrypted_password)
    values (${userId}, ${systemId}, ${encrypted})`.execute(db)
  return { userId, systemId }
}

async function addNumber(db: Db, status: string, holder: TestAccount | undefined): Promise<string> {
  const digits = String(447_700_900_000 + (made += 1))
  await sql`with version as (update catalog set version = version + 1 returning version),
      added as (
        insert into numbers (number, status, catalog_version, holder_id)
        select ${digits}, ${status}, version, ${holder?.userId ?? null}::int from version returning id, holder_id
      )
    insert into number_holders (number_id, user_id, held_from)
    select id, holder_id, '2020-01-01Z' from added where holder_id is not null`.execute(db)
  return digits
}
