// What integration tests stand on: a database of their own in the shared cluster, and a clock that obeys.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, inject, onTestFinished } from 'vitest'
import type { Clock } from '../../src/platform/clock.ts'
import {
  openDatabase,
  row,
  rows,
  type Database,
  type DatabaseOptions,
  type Db,
  type EmbeddedAddress,
} from '../../src/platform/db.ts'
import { createLogger, type Logger } from '../../src/platform/log.ts'
import { administer, copyTemplate } from './cluster.ts'
import { eventually } from './eventually.ts'

/** The address of a database, for tests that open (or break) connections themselves. */
export interface TestDatabase extends Database {
  readonly address: EmbeddedAddress
}

/** Runs `close` after the test that calls this, or after the test file when it is called at the top of a file. */
export function afterUse(close: () => Promise<unknown>): void {
  try {
    onTestFinished(async () => void (await close()))
  } catch {
    // No test is running.
    afterAll(close)
  }
}

/**
 * A fresh copy of the migrated template, dropped after the test or the test file that calls this:
 * `const { db } = await openTestDatabase()`. The role is the cluster's superuser unless `user` names another.
 * `template` is the database to copy instead, which nobody may be connected to.
 */
export async function openTestDatabase({
  user,
  template,
  ...options
}: Omit<DatabaseOptions, 'address'> & {
  readonly user?: string
  readonly template?: string
} = {}): Promise<TestDatabase> {
  const host = inject('postgresHost')
  const name = `t_${randomBytes(8).toString('hex')}`
  await copyTemplate(host, name, template)
  const address = { host, database: name, ...(user !== undefined && { user }) }
  const database = openDatabase({ address, ...options })
  afterUse(async () => {
    await database.close()
    await administer(host, `drop database ${name} with (force)`)
  })
  return { ...database, address }
}

/** How many transactions of this database wait for a lock: for any, or for this table. Others share the cluster. */
export async function waitersFor(db: Db, table?: string): Promise<number> {
  const found = await rows(
    db,
    sql`select from pg_locks l join pg_database d on d.oid = l.database left join pg_class c on c.oid = l.relation
      where d.datname = current_database() and not l.granted and (${table ?? null}::text is null or c.relname = ${table ?? null})`,
  )
  return found.length
}

/**
 * Waits until followers of the log see all that is written, and a new one begins behind it. So no transaction of before may
 * run, not even in another database: the horizon, which leaves those out, may fall back while one of them ends.
 */
export async function untilFinal(db: Db): Promise<void> {
  const now = await row<{ xid: string }>(db, sql`select pg_current_xact_id()::text as xid`)
  const isFinal = sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${now?.xid}::xid8 as is_final`
  await eventually(async () => expect(await row(db, isFinal)).toEqual({ is_final: true }))
}

/** Runs a statement, and gives the `id` of its row; '' when there is none. */
export const idFrom =
  (db: Db) =>
  async (...statement: Parameters<typeof sql>): Promise<string> =>
    String((await row<{ id: string | number }>(db, sql(...statement)))?.id ?? '')

export interface FixedClock extends Clock {
  set(time: Date | string): void
  advance(ms: number): void
}

/** A clock that the test moves. Default: Wednesday 2026-03-04 12:00 UTC. */
export function fixedClock(start: Date | string = '2026-03-04T12:00:00Z'): FixedClock {
  let time = new Date(start)
  return {
    now: () => new Date(time),
    set: (next) => (time = new Date(next)),
    advance: (ms) => (time = new Date(time.getTime() + ms)),
  }
}

/** Says nothing: for what wants a logger. */
export const silentLog: Logger = createLogger('silent')
