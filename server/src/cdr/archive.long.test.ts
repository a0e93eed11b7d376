// Closed weeks leave as Parquet, are read back, may then go, and are found again by the queries of docs/cdr.md.
import { readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { exportColumns } from '@tollgate/contract/records/export-columns.ts'
import { join } from 'node:path'
import { openS3Server } from '../../test/stand-ins/s3-server.ts'
import { openSftpServer, sftpPassword } from '../../test/stand-ins/sftp-server.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { readParquet } from '../../test/files/parquet.ts'
import { storeWeek } from '../../test/traffic/weeks.ts'
import { projectRoot } from '../platform/process/project.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { closedWeeks, retentionJobs } from '../records/index.ts'
import { findRecord } from '../records/read/get-record.ts'
import { archiveAgain } from './store.ts'
import { openCdrEnvironment, s3To } from './testing/cdr-environment.ts'

const never = new AbortController().signal
// The first is closed, the second has a bill that is not paid.
const [paid, unpaid] = [new Date('2026-03-02'), new Date('2026-03-16')]

/** Two weeks of records. */
async function openWeeks() {
  const environment = await openCdrEnvironment()
  const { db } = environment
  const cycles = await rows<{ id: number }>(
    db,
    sql`insert into cycles (starts_at, ends_at, closed_at) values
      ('2026-03-02', '2026-03-09', '2026-03-09'), ('2026-03-16', '2026-03-23', '2026-03-23') returning id`,
  )
  const [first = 0, second = 0] = cycles.map(({ id }) => id)
  await sql`insert into cycle_bills (cycle_id, itemised_at, signed_at)
    values (${first}, now(), now()), (${second}, now(), now())`.execute(db)
  await sql`insert into billing_periods (cycle_id, user_id, sms_count, total_micro, bill_sent_at, payable_from)
    values (${second}, 1, 300, 300, now(), now())`.execute(db)
  await storeWeek(db, paid, first)
  // A record on the last day, so that more than one file has some.
  await sql`update records set created_at = created_at + interval '6 days', amount_micro = 1500000
    where created_at >= '2026-03-02 00:00:00.299Z'`.execute(db)
  await storeWeek(db, unpaid, second)
  await sql`insert into gateways (source, name) values (0, 'old') on conflict do nothing`.execute(db)
  return { ...environment, second }
}

const whole = { name: 'archive', every: 'archive', format: 'parquet', columns: exportColumns.join(',') }

/** As retention works each hour, with ONLINE_WEEKS at 5 and records kept for ever else. */
async function retain(db: Db): Promise<void> {
  const log = { info: () => undefined, warn: () => undefined }
  const clock = { now: () => new Date() }
  const deps = { db, clock, log, textDays: 0, recordMonths: 0, onlineWeeks: 5 }
  const jobs = retentionJobs({ ...deps, archiveAgain: (week) => archiveAgain(db, week) })
  await jobs.find(({ name }) => name === 'drop-records')?.run(never)
}

const countOf = async (db: Db, week: Date) =>
  (
    await row<{ count: number }>(
      db,
      sql`select count(*)::int as count from records
          where created_at >= ${week} and created_at < ${week}::timestamptz + interval '7 days'`,
    )
  )?.count

/** The statements of the page's recipe, in order. */
function recipe(): string[] {
  const page = readFileSync(join(projectRoot, 'docs', 'cdr.md'), 'utf8')
  const text = page.split('### Reading it')[1]?.split('```sql\n')[1]?.split('```')[0] ?? ''
  return text.split(';\n').filter((each) => each.trim() !== '')
}

async function openDuck(path: string) {
  const duck = await DuckDBInstance.create(':memory:')
  const connection = await duck.connect()
  await connection.run(`set file_search_path = '${path}'; set TimeZone = 'UTC'`)
  return {
    ask: async (text: string) => (await connection.runAndReadAll(text)).getRowObjectsJson(),
    close: () => {
      connection.closeSync()
      duck.closeSync()
    },
  }
}

const main = await openWeeks()
const open = await openWeeks()
const wrong = await openWeeks()
const back = await openWeeks()

test('a week goes when its archive is what is stored, not before; DuckDB finds it again, the gateway sends no more of it', async () => {
  const { db, folder, call, add, start, delivered, inFolder } = main
  const { id } = await add(whole)
  await retain(db)
  expect(await countOf(db, paid)).toBe(300)
  await start()
  const made = (await delivered(id, 7)).toReversed()
  expect(made.map(({ name, recordCount }) => [name, recordCount])).toEqual([
    ['archive-000001-20260302T0000Z.parquet', 299],
    ...[3, 4, 5, 6, 7].map((day) => [`archive-00000${day - 1}-2026030${day}T0000Z.parquet`, 0]),
    ['archive-000007-20260308T0000Z.parquet', 1],
  ])
  // Changed after it was archived: it is archived anew, and stays until then.
  await sql`update records set no_report = 1, updated_at = updated_at + interval '1 us'
    where created_at = '2026-03-02 00:00:00.007Z'`.execute(db)
  await retain(db)
  expect(await countOf(db, paid)).toBe(300)
  await delivered(id, 7)
  const [changed] = (await readParquet(inFolder('out')('archive-000001-20260302T0000Z.parquet'))).slice(7)
  expect(changed?.['noReport']).not.toBe('No Report')

  const [first] = await readParquet(inFolder('out')('archive-000001-20260302T0000Z.parquet'))
  const messageId = String(first?.['messageId'])
  expect((await call('POST', `/api/cdr-schedules/${id}/files/${made[0]?.id}/send`)).status).toBe(202)
  await delivered(id, 7)
  await retain(db)
  expect(await countOf(db, paid)).toBe(0)
  // The other week waits for its money.
  expect(await countOf(db, unpaid)).toBe(300)
  await expect(findRecord(db, { userId: 1, role: 'admin' }, messageId)).rejects.toThrow(
    'The records of that week are not stored any more.',
  )
  const again = await call('POST', `/api/cdr-schedules/${id}/files/${made[0]?.id}/send`)
  expect([again.status, again.body.message]).toEqual([
    409,
    'The records of this week are not stored any more: the file that was delivered is all there is.',
  ])

  const duck = await openDuck(join(folder, 'out'))
  try {
    const [one = '', sums = '', differing = '', missing = '', erase = ''] = recipe()
    expect(await duck.ask(one.replace(/'01M[0-9A-Z]+'/, `'${messageId}'`))).toMatchObject([
      { messageId, createdAt: expect.stringContaining('2026-03-02'), sender: 'sender0', smsCount: 1 },
    ])
    expect(await duck.ask(sums)).toEqual([
      expect.objectContaining({ client: 'client1', records: '300', sms: '300', usd: '1.500299' }),
    ])
    expect(await duck.ask(differing)).toEqual([])
    expect(await duck.ask(missing)).toEqual([])
    // The search path is for reading alone.
    await duck.ask(
      erase
        .replace("'4915112345678'", "'sender0'")
        .replace(") to 'archive", `) to '${join(folder, 'out')}/archive`),
    )
    expect(
      await duck.ask(
        `select sender, count(*) as n from 'archive-000001-20260302T0000Z.erased.parquet'
         where sender in ('sender0', 'sender1', 'erased-subscriber') group by all order by all`,
      ),
    ).toEqual([
      { sender: 'erased-subscriber', n: '1' },
      { sender: 'sender1', n: '1' },
    ])
  } finally {
    duck.close()
  }
})

test('a week with a held record or an open case is not closed', async () => {
  const { db, second } = open
  await sql`update billing_periods set status = 'paid', paid_at = now(), received_micro = 300 where cycle_id = ${second}`.execute(
    db,
  )
  const week = [paid, unpaid]
  const closed = () => closedWeeks(db, new Date('2026-05-01'))
  expect(await closed()).toEqual(week)
  await sql`update records set is_held = true where id = (9000 + ${second}) * 4096 + 7`.execute(db)
  expect(await closed()).toEqual([paid])
  await sql`update records set is_held = false where id = (9000 + ${second}) * 4096 + 7`.execute(db)
  await sql`insert into integrity_cases (rule, version_id, client_id, subject, day, level, state, from_day, facts, words,
      sender_count, message_count, amount_micro, first_at, created_at)
    values ('block', 1, 1, '', '2026-03-25', 'hold', 'open', '2026-03-22', '{}', '{}', 1, 1, 1, now(), now())`.execute(
    db,
  )
  expect(await closed()).toEqual([paid])
  await sql`delete from integrity_cases`.execute(db)
  expect(await closed()).toEqual(week)
})

test('what an archive must have cannot be left out, and no schedule becomes one', async () => {
  const { call } = wrong
  const to = { destination: { type: 'folder', path: 'out' } }
  const made = (fields: object) => call('POST', '/api/cdr-schedules', { ...whole, ...to, ...fields })
  for (const fields of [{ format: 'csv' }, { columns: 'messageId' }, { client: 'client1' }])
    expect((await made(fields)).body.fields).toHaveProperty('every')
  const { id, version } = (await made({})).body
  const edited = { ...whole, ...to, client: null, gateway: null, version, every: 'day' }
  expect((await call('PUT', `/api/cdr-schedules/${id}`, edited)).status).toBe(409)
})

test('an archive is delivered when what is read back is what was sent, over S3 and SFTP too', async () => {
  const { db, add, start, files, hurry, delivered } = back
  const s3 = await openS3Server()
  const { id } = await add({ ...whole, ...s3To(s3.url) })
  // The storage keeps another byte than it was sent.
  s3.onStored = (key) => {
    if (key.endsWith('.parquet') && s3.stored.length === 1)
      s3.objects.set(
        key,
        Buffer.concat([s3.objects.get(key) ?? Buffer.alloc(0), Buffer.from('.')]).subarray(1),
      )
  }
  await start()
  await eventually(async () =>
    expect((await files(id)).at(-1)?.error).toBe(
      'What was read back from the destination is not what was sent.',
    ),
  )
  await hurry()
  await delivered(id, 7)

  const sftp = await openSftpServer()
  const host = { host: '127.0.0.1', port: sftp.port, username: 'cdr', path: '/in', hostKey: sftp.hostKey }
  const over = await add({
    ...whole,
    name: 'over-sftp',
    destination: { type: 'sftp', ...host, signIn: 'password' },
    secret: sftpPassword,
  })
  await delivered(over.id, 7)
  const states = await rows(db, sql`select state from cdr_files where updated_sum is null`)
  expect(states).toEqual([])
})
