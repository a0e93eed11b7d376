import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/environment/database.ts'
import { row, rows } from '../../platform/db.ts'
import { KnownOrigins } from './known-origins.ts'
import { forgetOrigins } from './known-origins-store.ts'

const { db } = await openTestDatabase()
let made = 0

async function account(): Promise<{ userId: number; systemId: string }> {
  const systemId = `known${(made += 1)}`
  const added = await row<{ id: number }>(
    db,
    sql`insert into users (username, email, first_name, last_name, password_hash, role)
        values (${systemId}, 's@example.org', 'S', 'S', 'x', 'user') returning id`,
  )
  const userId = added?.id ?? 0
  await sql`insert into smpp_credentials (user_id, system_id, encrypted_password) values (${userId}, ${systemId}, '')`.execute(
    db,
  )
  return { userId, systemId }
}

const node = () => new KnownOrigins(db, silentLog, Date.now, 200)

test('a node knows after its start what other nodes and it itself have learnt before', async () => {
  const { userId, systemId } = await account()
  const first = node()
  await first.start()
  expect(first.has(systemId, '192.0.2.1')).toBe(false)
  first.add(userId, systemId, '192.0.2.1')
  expect(first.has(systemId, '192.0.2.1')).toBe(true)
  await first.stop()
  const second = node()
  await second.start()
  expect(second.has(systemId, '192.0.2.1')).toBe(true)
  expect(second.has(systemId, '192.0.2.2')).toBe(false)
  expect(second.has('another', '192.0.2.1')).toBe(false)
  await second.stop()
})

test('a running node learns the origins of another one', async () => {
  const [one, other] = [node(), node()]
  await Promise.all([one.start(), other.start()])
  const { userId, systemId } = await account()
  one.add(userId, systemId, '192.0.2.1')
  await expect.poll(() => other.has(systemId, '192.0.2.1')).toBe(true)
  await Promise.all([one.stop(), other.stop()])
})

test('a deleted account does not prevent the others from being written', async () => {
  const gone = await account()
  const { userId, systemId } = await account()
  const origins = node()
  await origins.start()
  origins.add(gone.userId, gone.systemId, '192.0.2.1')
  origins.add(userId, systemId, '192.0.2.1')
  await sql`delete from users where id = ${gone.userId}`.execute(db)
  await origins.stop()
  expect(
    await rows(db, sql`select address from known_bind_origins where user_id in (${gone.userId}, ${userId})`),
  ).toEqual([{ address: '192.0.2.1' }])
})

test('the newest hundred addresses of an account are kept, and none for more than 90 days', async () => {
  const { userId } = await account()
  const old = await account()
  await sql`insert into known_bind_origins (user_id, address, last_bound_at)
    select ${userId}::int, '198.51.100.' || at, clock_timestamp() - make_interval(mins => at)
    from generate_series(1, 130) at`.execute(db)
  await sql`insert into known_bind_origins values
    (${old.userId}, '192.0.2.1', clock_timestamp() - interval '91 days'),
    (${old.userId}, '192.0.2.2', clock_timestamp() - interval '89 days')`.execute(db)
  await forgetOrigins(db)
  const left = await rows<{ address: string }>(
    db,
    sql`select address from known_bind_origins where user_id = ${userId} order by last_bound_at`,
  )
  expect(left.map(({ address }) => address).slice(0, 2)).toEqual(['198.51.100.100', '198.51.100.99'])
  expect(left).toHaveLength(100)
  expect(await rows(db, sql`select address from known_bind_origins where user_id = ${old.userId}`)).toEqual([
    { address: '192.0.2.2' },
  ])
})
