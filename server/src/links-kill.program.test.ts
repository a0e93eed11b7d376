// kill -9 of the whole program while its links bring records: what was stored is there, and nothing counts twice.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { openTestDatabase, waitersFor } from '../test/environment/database.ts'
import { onTestDatabase, signedIn, startProgram } from '../test/environment/program.ts'
import { openStandIn } from '../test/stand-ins/provider.ts'
import { openSmsc } from '../test/stand-ins/smsc.ts'
import { row, rows } from './platform/db.ts'
import { transaction } from './platform/transaction.ts'
import { recordFlags } from './ingest/index.ts'

const { db, address } = await openTestDatabase()
const admin = { username: 'admin', password: 'correct horse battery' }
const environment = await onTestDatabase(address.database, inject('postgresHost'), admin)

async function start() {
  const program = await startProgram('main', environment)
  await program.ready
  return { program, call: await signedIn(program, admin.username, admin.password) }
}

/** A number that a client earns by: what nobody earns by is marked, and there is nothing to hold. */
async function heldNumber(call: Awaited<ReturnType<typeof start>>['call'], number: string) {
  const person = { username: 'client1', password: admin.password, email: 'c@example.com' }
  const client = await call<{ id: number }>('POST', '/api/register', {
    ...person,
    firstName: 'C',
    lastName: 'C',
    role: 'user',
  })
  const { id } = await call<{ id: string }>('POST', '/api/premium-numbers', { number, rate: '1.50' })
  await call('PUT', `/api/number-inventory/${id}/assign`, { userId: client.id })
}

const recordCount = async (number: string) =>
  (
    await row<{ count: number }>(
      db,
      sql`select count(*)::int as count from records r join numbers n on n.id = r.number_id where n.number = ${number}`,
    )
  )?.count

test('a deliver_sm that was stored but not answered before a kill comes again: marked and held, all others count once', async () => {
  const number = '449098790142'
  const smsc = await openSmsc()
  const first = await start()
  await heldNumber(first.call, number)
  await first.call('POST', '/api/smpp-connections', { name: 'outside', host: '127.0.0.1', port: smsc.port })
  await expect.poll(() => smsc.sessions.size).toBe(1)
  const deliver = (sender: string) =>
    smsc.deliver({ source_addr: sender, destination_addr: number, short_message: `vote of ${sender}` })
  const sendersFrom = (firstSender: number, count: number) =>
    Array.from({ length: count }, (_, index) => String(firstSender + index))

  const answered = sendersFrom(447700900100, 60)
  for (const sender of answered) expect(await deliver(sender)).toBe(0)
  // As when the line to the gateway outside went dead: it sends, and its answers never reach it.
  smsc.stopReading()
  const unanswered = sendersFrom(447700900500, 30)
  for (const sender of unanswered) void deliver(sender)
  await expect.poll(() => recordCount(number)).toBe(90)
  first.program.kill('SIGKILL')
  await first.program.exited
  smsc.drop()

  const second = await start()
  await expect.poll(() => smsc.binds.length).toBe(2)
  await expect.poll(() => smsc.sessions.size).toBe(1)
  const fresh = sendersFrom(447700900900, 5)
  for (const sender of [...unanswered, ...fresh]) expect(await deliver(sender)).toBe(0)

  const stored = await rows<{ sender: string; free: number; held: number }>(
    db,
    sql`select sender, count(*) filter (where not r.is_held and r.flags & ${recordFlags.duplicateSuspect} = 0)::int as free,
          count(*) filter (where r.is_held and r.flags & ${recordFlags.duplicateSuspect} <> 0 and d.record_id is not null)::int as held
        from records r join numbers n on n.id = r.number_id left join duplicate_records d on d.record_id = r.id
        where n.number = ${number} group by sender order by sender`,
  )
  expect(stored).toEqual(
    [...answered, ...unanswered, ...fresh].map((sender) => ({
      sender,
      free: 1,
      held: unanswered.includes(sender) ? 1 : 0,
    })),
  )
  second.program.kill('SIGTERM')
  await second.program.exited
})

test('a kill between what a provider answered and the commit of its rows loses none of them and doubles none', async () => {
  const number = '449098790143'
  const provider = await openStandIn()
  provider.pageSize = 200
  provider.rows = Array.from({ length: 1_000 }, (_, index) => ({
    id: randomUUID(),
    timestamp: new Date(Date.now() - 60_000 + index).toISOString(),
    number,
    sender: String(447700910000 + index),
  }))
  let { program, call } = await start()
  await call('POST', '/api/premium-numbers', { number })
  const source = { name: 'Provider', apiUrl: provider.url, authType: 'bearer', apiKey: 'key' }
  const { id } = await call<{ id: string }>('POST', '/api/providers', { ...source, pollInterval: 1_000 })
  // In the first page of a walk, in the middle, and in the last.
  for (const cursor of [null, '400', '800']) {
    await transaction(db, async (tx) => {
      const fetched = new Promise<void>((resolve) => {
        provider.onRequest = async (request) => {
          if (request.cursor !== cursor) return
          provider.onRequest = () => undefined
          // Nothing more until the next kill is prepared: a restarted program goes on by itself.
          provider.always({ status: 503 })
          // The rows' keys follow the records: here these are written, those not, and none of it is committed.
          await sql`lock table provider_messages in share row exclusive mode`.execute(tx)
          resolve()
        }
      })
      provider.always(undefined)
      await call('POST', `/api/providers/${id}/start`)
      await fetched
      await expect.poll(() => waitersFor(db, 'provider_messages')).toBe(1)
      program.kill('SIGKILL')
      await program.exited
    })
    // The page before may have waited for the lock too, since the next is fetched meanwhile.
    const kept = Number(cursor ?? 0)
    await expect
      .poll(async () => [Math.max(0, kept - 200), kept].includes((await recordCount(number)) ?? -1))
      .toBe(true)
    ;({ program, call } = await start())
  }
  provider.always(undefined)
  await expect.poll(() => recordCount(number)).toBe(1_000)
  // Another look at all of it brings nothing more.
  const requestsBefore = provider.requests.length
  await provider.until(requestsBefore + 5)
  const senders = await rows<{ count: number }>(
    db,
    sql`select count(*)::int as count from records r join numbers n on n.id = r.number_id
        where n.number = ${number} group by sender`,
  )
  expect(senders).toEqual(Array.from({ length: 1_000 }, () => ({ count: 1 })))
  program.kill('SIGTERM')
  await program.exited
})
