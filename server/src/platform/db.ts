// The way to PostgreSQL: one pool of connections and a Kysely handle on it.
import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type Insertable,
  type RawBuilder,
  type Selectable,
} from 'kysely'
import pg from 'pg'
import { PlainClient } from './database/plain-client.ts'
import type { Schema } from './database/schema.generated.ts'
import { openServers } from './failover/index.ts'

/** A handle for SQL: the whole pool, or one open transaction. Functions of a store.ts take it first. */
export type Db = Kysely<Schema>

/** A row of a table as it is read. */
export type Row<T extends keyof Schema> = Selectable<Schema[T]>

/** A row of a table as it is inserted; what has a default or may be null can be left out. */
export type NewRow<T extends keyof Schema> = Insertable<Schema[T]>

/** The row that a function of a store finds: `FoundBy<typeof findPeriod>`. */
export type FoundBy<F extends (...given: never[]) => Promise<unknown>> = NonNullable<Awaited<ReturnType<F>>>

/** What runs beneath a handle: pg's pool, or the one client of a transaction. */
export type Driver = pg.Pool | pg.PoolClient

export interface Database {
  readonly db: Db
  readonly pool: pg.Pool
  /** Waits for running statements and closes the connections. */
  close(): Promise<void>
}

export interface EmbeddedAddress {
  readonly host: string
  readonly database: string
  /** Default: the cluster's superuser. */
  readonly user?: string
}

export interface DatabaseOptions {
  /** A connection string, of one server or of several (decision 50), or the socket folder of the embedded server. */
  readonly address: string | EmbeddedAddress
  readonly maxConnections?: number
  /** How long to wait for a free connection. Beyond it the caller gets an error it can act on. */
  readonly connectTimeoutMs?: number
  /** A statement that takes longer is ended by the server; 0 for none. */
  readonly statementTimeoutMs?: number
  /** How long we wait for a result; by default without a limit. */
  readonly queryTimeoutMs?: number
  /** PostgreSQL's settings for these connections, besides those of all. */
  readonly serverSettings?: Readonly<Record<string, number>>
  /** Called with faults of idle connections, which no caller waits for: the server went away, the network broke. */
  readonly onFault?: (error: Error) => void
  /** Called with one line when another one of several servers takes the writes. */
  readonly onServerChange?: (words: string) => void
}

/**
 * For each connection to the server. A machine that vanished closes nothing: without these its sessions, and their
 * locks, would stay for hours.
 */
export const networkOptions =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2 -c tcp_user_timeout=9000'

const typeParsers = new pg.TypeOverrides()
// A date is a calendar day; pg would make it midnight in the time zone of this machine.
typeParsers.setTypeParser(pg.types.builtins.DATE, (text: string) => text)

const drivers = new WeakMap<object, Driver>()

/** Opens the pool. Does not connect yet; bigint and numeric come as strings, timestamptz as Date, date as text. */
export function openDatabase(options: DatabaseOptions): Database {
  const { address } = options
  let isClosing = false
  // The pool calls itself ended while its sockets still close; a server that stops meanwhile is no fault.
  const onFault = (error: Error) => (isClosing ? undefined : options.onFault?.(error))
  const servers =
    typeof address === 'string' ? openServers(address, (words) => options.onServerChange?.(words)) : undefined
  const pool = new pg.Pool({
    Client: servers?.Client ?? PlainClient,
    ...(typeof address === 'string'
      ? { connectionString: servers?.url ?? address }
      : { user: 'postgres', ...address }),
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    // A new connection has to load all partitions before its first page, which takes many times as long as the page.
    idleTimeoutMillis: 600_000,
    statement_timeout: options.statementTimeoutMs ?? 60_000,
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
    // A transaction that its owner forgot would hold back vacuum and everybody's locks.
    idle_in_transaction_session_timeout: 60_000,
    options: [networkOptions, ...settingOptions(options.serverSettings)].join(' '),
    keepAlive: true,
    application_name: 'tollgate',
    types: typeParsers,
  })
  // Without both listeners a server that goes away would end our process: idle clients report to the pool, and those
  // in use report to themselves.
  pool.on('error', onFault)
  pool.on('connect', (client) => client.on('error', onFault))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  drivers.set(db, pool)
  const close = async () => {
    isClosing = true
    await pool.end().finally(() => servers?.release())
  }
  return { db, pool, close }
}

function settingOptions(settings: DatabaseOptions['serverSettings'] = {}): string[] {
  return Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
}

/** A handle on one client, for the time of a transaction. See transaction.ts. */
export function handleOn(client: pg.PoolClient): Db {
  const connection = { query: client.query.bind(client), release: () => undefined }
  // Kysely asks for a pool; this one has a single connection that it may not close.
  const pool = { connect: async () => connection, end: async () => undefined }
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
  drivers.set(db, client)
  return db
}

/** pg's own object beneath a handle, for COPY, cursors and LISTEN. */
export function driverOf(db: Db): Driver {
  const driver = drivers.get(db)
  if (driver === undefined) throw new Error('This handle was not opened by platform/db.ts')
  return driver
}

/** A connection beside the pool of a handle, to the same database, with settings of its own. Not connected yet. */
export function newClientBeside(db: Db, settings: pg.ClientConfig): pg.Client {
  const driver = driverOf(db)
  if (!(driver instanceof pg.Pool)) throw new Error('A connection of its own needs the handle of a pool')
  const { Client, ...address } = driver.options
  const OwnClient = (Client ?? pg.Client) as typeof pg.Client
  return new OwnClient({ ...address, ...settings })
}

/** The rows of a query: ``await rows<UserRow>(db, sql`select … where id = ${id}`)``. */
export async function rows<R>(db: Db, query: RawBuilder<unknown>): Promise<R[]> {
  return (await query.execute(db)).rows as R[]
}

/** The first row of a query, if there is one. */
export async function row<R>(db: Db, query: RawBuilder<unknown>): Promise<R | undefined> {
  return (await rows<R>(db, query))[0]
}

/** The row of a query that always has one, such as a sum. */
export async function onlyRow<R>(db: Db, query: RawBuilder<unknown>): Promise<R> {
  const found = await row<R>(db, query)
  if (found === undefined) throw new Error('A query that always has a row gave none')
  return found
}

/** How many rows a writing statement touched, raw or built. */
export async function changed(db: Db, query: { compile(db: Db): CompiledQuery }): Promise<number> {
  return Number((await db.executeQuery(query.compile(db))).numAffectedRows ?? 0n)
}

/**
 * Runs a statement that the server keeps parsed under `name` on each connection: a third cheaper for what runs
 * thousands of times. One name must always have the same text.
 */
export async function prepared<R extends pg.QueryResultRow>(
  db: Db,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return (await driverOf(db).query<R>({ name, text, values: [...values] })).rows
}

// A form has some twenty to fifty kilobytes on each connection; statements beyond so many are planned each time.
const formsMax = 100
const forms = new Map<string, string>()

/** {@link rows} through {@link prepared}, for a query that is put together in few forms and comes often. */
export function preparedRows<R extends pg.QueryResultRow>(db: Db, query: RawBuilder<unknown>): Promise<R[]> {
  const { sql: text, parameters } = query.compile(db)
  let name = forms.get(text)
  if (name === undefined && forms.size < formsMax) forms.set(text, (name = `form-${forms.size}`))
  if (name !== undefined) return prepared<R>(db, name, text, parameters)
  return driverOf(db)
    .query<R>(text, [...parameters])
    .then((found) => found.rows)
}

/** Runs plain SQL text without parameters, several statements included. */
export async function execute(db: Db, text: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(text))
}

/** PostgreSQL's code of a fault (SQLSTATE), or undefined when it is not the database's. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The name of the constraint that refused a row, such as `users_username_key`. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined
}
