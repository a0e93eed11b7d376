// The embedded database moves to a server of one's own, whose transactions are numbered otherwise: everything is there, and
// whatever follows the log goes on. A move may be killed; what is no empty database is refused.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import type { PolledEvents } from '@tollgate/contract/live-feed/live-feed.ts'
import { administer } from '../test/environment/cluster.ts'
import { afterUse, openTestDatabase, silentLog } from '../test/environment/database.ts'
import { eventually } from '../test/environment/eventually.ts'
import { freePort } from '../test/environment/free-port.ts'
import {
  builtPrograms,
  runCommand,
  signedIn,
  startProgram,
  temporaryFolder,
  type Program,
} from '../test/environment/program.ts'
import { openSmsc } from '../test/stand-ins/smsc.ts'
import { unfinishedMove } from './storage/migrate.ts'
import { openDatabase, row, rows, type Db } from './platform/db.ts'
import { openStorage } from './storage/storage.ts'
import { ownerRole } from './storage/embedded/roles.ts'

const number = '447700900123'
const patienceMs = 300_000
const postgresHost = inject('postgresHost')
const dataDir = await temporaryFolder()
const environment = { DATA_DIR: dataDir, EGRESS_ALLOW: '127.0.0.0/8', HTTP_PORT: String(await freePort()) }

/** A database of the owner in the cluster of the tests, where no superuser is at hand. */
async function newTarget(options = `owner ${ownerRole}`) {
  const name = `t_${randomBytes(8).toString('hex')}`
  await administer(postgresHost, `create database ${name} ${options}`)
  const database = openDatabase({ address: { host: postgresHost, database: name } })
  afterUse(async () => {
    await database.close()
    await administer(postgresHost, `drop database ${name} with (force)`)
  })
  const url = `postgresql://${ownerRole}@localhost/${name}?host=${encodeURIComponent(postgresHost)}`
  return { ...database, url, moveTo: () => runCommand('move-to', [url], { DATA_DIR: dataDir }) }
}

async function start(name: string, more: Readonly<Record<string, string>> = {}): Promise<Program> {
  const program = await startProgram(name, { ...environment, ...more })
  await program.ready
  return program
}

async function stop(program: Program): Promise<void> {
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
}

const smsc = await openSmsc()
const sent: string[] = []

/** Messages that come in by the upstream, which the gateway binds to. */
async function send(count: number): Promise<void> {
  await eventually(async () => expect(smsc.sessions.size).toBe(1))
  for (let made = 0; made < count; made += 1) {
    const sender = `4477008${100_000 + sent.length}`
    const message = { source_addr: sender, destination_addr: number, short_message: 'kept' }
    expect(await smsc.deliver(message)).toBe(0)
    sent.push(sender)
  }
}

// Weeks of a business with bills, payments, holds and all else, behind many transactions.
const storage = await openStorage({ dataDir, databaseUrl: undefined }, silentLog)
await storage.database.pool.query(
  'do $$ begin for each in 1 .. 100000 loop perform pg_current_xact_id(); commit; end loop; end $$',
)
await storage.close()
const before = await start('demo')
const password = /^ {2}admin +(\S+)/m.exec(before.stdout())?.[1] ?? ''
const call = await signedIn(before, 'admin', password)
await call('POST', '/api/premium-numbers', { number })
await call('POST', '/api/smpp-connections', {
  name: 'outside',
  host: '127.0.0.1',
  port: smsc.port,
  password: 'p',
})

let { cursor } = await call<PolledEvents>('GET', '/api/events/poll')
const read: string[] = []

/** Reads on in the log until all is read that was sent here; the demo's suppliers send, too. */
async function readOn(): Promise<void> {
  await eventually(async () => {
    const page = await call<PolledEvents>('GET', `/api/events/poll?limit=500&cursor=${cursor}`)
    cursor = page.cursor
    for (const event of page.events)
      if (event.type === 'record' && event.record.sender.startsWith('4477008')) read.push(event.record.sender)
    expect(read).toEqual(sent)
  })
}

await send(3)
await readOn()
const whileItRuns = await runCommand('move-to', ['postgresql://a@localhost/b'], { DATA_DIR: dataDir })
await stop(before)

test(
  'a move that was killed goes on; then all is there, and its readers and connections go on',
  async () => {
    const target = await newTarget()
    const killed = spawn(process.execPath, [join(builtPrograms(), 'move-to.js'), target.url], {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    })
    const ended = once(killed, 'exit')
    await expect
      .poll(() => row(target.db, sql`select from users`).catch(() => undefined), {
        interval: 5,
        timeout: 60_000,
      })
      .toBeDefined()
    killed.kill('SIGKILL')
    await ended
    const early = await startProgram('main', { ...environment, DATABASE_URL: target.url })
    expect(await early.exited).toMatchObject({ code: 1 })
    expect(early.stderr()).toBe(
      'A move into this database was broken off. Run the command move-to again, or start with another database.\n',
    )

    const { code, stdout, stderr } = await target.moveTo()
    expect([code, stderr]).toEqual([0, ''])
    const recordCount = Number(/^(\d+) records/m.exec(stdout)?.[1])
    expect(stdout).toContain('A move of this database was broken off here. It goes on.')
    expect(stdout).toMatch(
      /^Moved in .* s: \d{5,} rows of \d+ tables, each read again from both and alike\.$/m,
    )
    expect(stdout).toContain('The ledger balances, and says what the records say.')
    expect(stdout).toMatch(/^The audit log is whole: \d+ entries\.$/m)
    // Checks, foreign keys and triggers are as the migrations make them.
    expect(await shapeOf(target.db)).toEqual(await shapeOf((await openTestDatabase()).db))

    const after = await start('main', { DATABASE_URL: target.url })
    // The session, the connection's password and the place in the log are those of before.
    await send(3)
    await readOn()
    expect(await row(target.db, sql`select count(*)::int as count from records`)).toEqual({
      count: recordCount + 3,
    })
    // The log is one: what came after the move stands behind everything of before, and search has come to its end.
    await expect
      .poll(() =>
        row(
          target.db,
          sql`select bool_and((b.xid, b.id) <= (p.xid, p.batch)) as is_read from record_batches b, follower_positions p where p.follower = 'numbers'`,
        ),
      )
      .toEqual({ is_read: true })
    await stop(after)
    expect(await target.moveTo()).toMatchObject({
      code: 1,
      stderr: 'The target is not empty: it has people of Tollgate. Give an empty database.\n',
    })
  },
  patienceMs,
)

test(
  'what cannot be moved, or not there, is refused with one line',
  async () => {
    const lineOf = async (moving: ReturnType<typeof runCommand>) => {
      const { code, stderr } = await moving
      expect([code, stderr.split('\n').length]).toEqual([1, 2])
      return stderr
    }
    expect(whileItRuns).toMatchObject({ code: 1, stderr: expect.stringContaining('Tollgate runs on') })

    const foreign = await newTarget()
    await foreign.pool.query('create table theirs ()')
    expect(await lineOf(foreign.moveTo())).toBe(
      'The target is not empty: it has the relation theirs. Give an empty database.\n',
    )
    const newer = await newTarget()
    await newer.pool.query(`create table schema_migrations (name text primary key, checksum text not null);
    insert into schema_migrations values ('9999_later.sql', ''); alter table schema_migrations owner to ${ownerRole}`)
    expect(await lineOf(newer.moveTo())).toContain('The database was made by a newer Tollgate')
    const other = await newTarget()
    await other.pool.query(`create table schema_migrations (name text primary key, checksum text not null);
    insert into schema_migrations values ('${unfinishedMove}', '1 2 3'); alter table schema_migrations owner to ${ownerRole}`)
    expect(await lineOf(other.moveTo())).toBe(
      'A move of another database was broken off here. Give an empty database.\n',
    )
    const closed = await newTarget('')
    expect(await lineOf(closed.moveTo())).toMatch(/^The role of the target may not make the tables: .*owner/)
    const latin = await newTarget(`owner ${ownerRole} encoding 'LATIN1' locale 'C' template template0`)
    expect(await lineOf(latin.moveTo())).toContain('The target stores texts as LATIN1.')
    const nowhere = runCommand('move-to', ['postgresql://a@127.0.0.1:1/b'], { DATA_DIR: dataDir })
    expect(await lineOf(nowhere)).toContain('The target cannot be reached')
    const nothing = runCommand('move-to', [closed.url], { DATA_DIR: await temporaryFolder() })
    expect(await lineOf(nothing)).toContain('There is no database in')
  },
  patienceMs,
)

/** Everything of the schema that a copy of rows alone might have changed. */
function shapeOf(db: Db) {
  return rows(
    db,
    sql`select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as is from pg_constraint
          where connamespace = 'public'::regnamespace and not exists (
            select from pg_class where oid = conrelid and relispartition)
        union all
        select tgrelid::regclass::text, tgname, tgenabled::text from pg_trigger where not tgisinternal
        order by 1, 2`,
  )
}
