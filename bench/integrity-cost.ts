// What traffic integrity costs beside the traffic, and how soon it holds: `npm run bench -- --only integrity-cost`. The same
// load with nothing counted, with senders counted, and with the judge; then with 100,000 messages that are being held and
// released; then from the message that crosses a threshold to the first that is held.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { IntegrityMode } from '@tollgate/contract/vocabulary.ts'
import { newCase } from '@tollgate/server/integrity/testing/new-case.ts'
import type { UsualDay } from '@tollgate/server/integrity/rules/usual.ts'
import { sessionLockSql, sessionUnlockSql } from '@tollgate/server/platform/locks/locks.ts'
import { makeSupplier } from '@tollgate/server/test/http/operator.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { bindTransceiver, pdu, submitBody, submitSm } from '@tollgate/server/test/traffic/wire.ts'
import { load } from './children.ts'
import { recordsBehind } from './followers.ts'
import type { LoadOptions, LoadResult } from './load.ts'
import { databaseSeconds, processSeconds } from './processor-time.ts'
import { withGateway, type GatewayTestbed } from './with-gateway.ts'

const perSecond = 5_000
/** At least so many are sent to one client, and held. */
const heldMessages = 100_000
const attacks = 5
// What is asked of the engine.
const most = { microseconds: 10, ratio: 1.05, heldRatio: 1.1, holdSeconds: 60 }

interface Stand extends GatewayTestbed {
  readonly digits: readonly string[]
  readonly offer: (extra: Partial<LoadOptions>) => Promise<LoadResult>
  /** A connection that keeps the follower from counting while it has the follower's lock. */
  readonly keeper: pg.Client
}

type Contestant = 'nothing' | 'counted' | 'judged'

interface Round {
  readonly result: LoadResult
  readonly microseconds: number
}

/** Measures; throws with the figures when one is above what is asked. */
export async function measureIntegrityCost(options: { rounds: number; seconds: number }): Promise<string> {
  return withGateway(
    async (database) => {
      const digits = await seedTraffic(database.db)
      await prepare(database.pool)
      return digits
    },
    async (testbed, digits) => {
      const keeper = new pg.Client(testbed.database.pool.options)
      await keeper.connect()
      try {
        const supplier = await makeSupplier(testbed.call)
        const offer: Stand['offer'] = (extra) =>
          load({
            ...supplier,
            port: testbed.gateway.port,
            digits,
            binds: 10,
            window: 50,
            seconds: options.seconds,
            perSecond,
            senders: 100_000,
            ...extra,
          })
        return await measureAll({ ...testbed, digits, offer, keeper }, options.rounds, supplier)
      } finally {
        await keeper.end()
      }
    },
  )
}

/** Days behind every client, so that all rules judge, and blocks that are known; busy hours all day. */
async function prepare(pool: pg.Pool): Promise<void> {
  const hour = new Date().getUTCHours()
  const usual: UsualDay = {
    hours: Array.from({ length: 24 }, (_, each) => 1_000 - 10 * Math.min((each - hour + 24) % 24, 12)),
    block: 6,
    paced: 1,
    nearShare: 0.01,
    strangeShare: 0.02,
  }
  await pool.query(
    `insert into client_days (client_id, day, message_count, judged_count, usual)
     select u.id, current_date - d, 0, 0, $1 from users u, generate_series(2, 34) d where u.role = 'user'`,
    [JSON.stringify(usual)],
  )
  await pool.query(
    `insert into sender_blocks (block, first_day, last_day)
     select '4477' || lpad(i::text, 4, '0'), current_date - 60, current_date from generate_series(0, 9999) i`,
  )
  await pool.query(`insert into settings (key, value) values ('second_person_above', '900000000')
    on conflict (key) do update set value = excluded.value`)
}

async function setMode({ database }: Stand, mode: IntegrityMode): Promise<void> {
  await database.pool.query(
    `insert into settings (key, value) values ('integrity_mode', $1)
     on conflict (key) do update set value = excluded.value`,
    [mode],
  )
}

/** Waits for it. Throws when it does not come. */
async function until(what: string, isSo: () => Promise<boolean>, secondsMax = 180): Promise<void> {
  for (const endsAtMs = performance.now() + secondsMax * 1_000; !(await isSo()); await sleep(250))
    if (performance.now() > endsAtMs) throw new Error(`Not within ${secondsMax} s: ${what}`)
}

/** Waits until the fold and the followers have done what they postponed. The one that joins segments passes batches at once. */
async function caughtUp({ database }: Stand, isCounted = true): Promise<void> {
  const without = ['long_messages', ...(isCounted ? [] : ['senders'])]
  await until('the followers catch up', async () => {
    const { rows } = await database.pool.query('select from record_counter_buffers limit 1')
    return rows.length === 0 && (await recordsBehind(database, { without })) < 256
  })
}

/** One load, and the processor time of gateway and database from its begin until all that follows is done. */
async function round(stand: Stand, contestant: Contestant, idlePerSecond: number): Promise<Round> {
  const { gateway, database, keeper, postmasterPid } = stand
  const isCounted = contestant !== 'nothing'
  await setMode(stand, contestant === 'judged' ? 'dry_run' : 'off')
  await caughtUp(stand)
  await database.pool.query('update client_days set judged_count = message_count')
  if (!isCounted) await keeper.query(sessionLockSql('senderDays'))
  const seconds = () => processSeconds(gateway.pid) + databaseSeconds(postmasterPid)
  const [before, startedAtMs] = [seconds(), performance.now()]
  const result = await stand.offer({})
  await caughtUp(stand, isCounted)
  const elapsed = (performance.now() - startedAtMs) / 1_000
  const used = seconds() - before - idlePerSecond * elapsed
  if (!isCounted) await keeper.query(sessionUnlockSql('senderDays'))
  return { result, microseconds: (used * 1_000_000) / result.answered }
}

async function idleSeconds({ gateway, postmasterPid }: Stand): Promise<number> {
  const used = () => processSeconds(gateway.pid) + databaseSeconds(postmasterPid)
  const before = used()
  await sleep(10_000)
  return (used() - before) / 10
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

interface Found {
  readonly lines: string[]
  readonly missed: string[]
}

async function measureAll(
  stand: Stand,
  rounds: number,
  supplier: { systemId: string; password: string },
): Promise<string> {
  await stand.offer({ seconds: 1 })
  await setMode(stand, 'off')
  await caughtUp(stand)
  const found: Found = { lines: [], missed: [] }
  await besideTraffic(stand, rounds, found)
  await whileHeld(stand, rounds, found)
  await firstHolds(stand, supplier, found)
  const text = found.lines.join('\n')
  if (found.missed.length > 0) throw new Error(`${text}\n\nAbove what is asked: ${found.missed.join('; ')}`)
  return text
}

function check({ missed }: Found, what: string, value: number, max: number): void {
  if (!(value <= max)) missed.push(`${what} ${value.toFixed(2)}, asked at most ${max}`)
}

async function besideTraffic(stand: Stand, rounds: number, found: Found): Promise<void> {
  const idle = await idleSeconds(stand)
  const contestants: Contestant[] = ['nothing', 'counted', 'judged']
  const all = { nothing: [] as Round[], counted: [] as Round[], judged: [] as Round[] }
  for (let nth = 0; nth < rounds; nth += 1)
    for (const each of nth % 2 === 0 ? contestants : contestants.toReversed())
      all[each].push(await round(stand, each, idle))
  const times = (each: Contestant) => all[each].map(({ result }) => result.p99Ms)
  const cost = (each: Contestant) => median(all[each].map(({ microseconds }) => microseconds))
  const engine = median(
    all.judged.map(({ microseconds }, nth) => microseconds - (all.nothing[nth]?.microseconds ?? 0)),
  )
  const ratio = median(times('judged').map((ms, nth) => ms / (times('nothing')[nth] ?? ms)))
  const names = { nothing: 'no sender counted', counted: 'senders counted', judged: 'counted and judged' }
  found.lines.push(
    `| ${perSecond.toLocaleString('en-GB')} messages a second, 200 clients | p50 | p99 | processor time a message |`,
    '|---|---|---|---|',
    ...contestants.map(
      (each) =>
        `| ${names[each]} | ${median(all[each].map(({ result }) => result.p50Ms))} ms | ${median(times(each))} ms | ${cost(each).toFixed(1)} µs |`,
    ),
    '',
    `In pairs, the middle of ${rounds} rounds: the engine takes ${engine.toFixed(1)} µs a message (asked: ${most.microseconds}); p99 is ${ratio.toFixed(2)} times that without (asked: ${most.ratio}).`,
  )
  check(found, 'processor time of the engine in µs', engine, most.microseconds)
  check(found, 'p99 with the engine, times', ratio, most.ratio)
}

/** Messages of one client that are held, and released, while others come in. */
async function whileHeld(stand: Stand, rounds: number, found: Found): Promise<void> {
  const { database, digits, call } = stand
  const ratios: number[] = []
  const parts: number[] = []
  for (let nth = 0; nth < rounds; nth += 1) {
    const number = digits[nth * 100] ?? ''
    await setMode(stand, 'off')
    await stand.offer({ digits: [number], perSecond: 2 * perSecond, seconds: heldMessages / (2 * perSecond) })
    await caughtUp(stand)
    await database.pool.query('analyze records')
    const { rows } = await database.pool.query<{ holder_id: number }>(
      'select holder_id from numbers where number = $1',
      [number],
    )
    const quiet = await stand.offer({})
    const before = await database.pool.query('select from hold_records')
    const holding = stand.offer({})
    await sleep(1_500)
    const { id } = await newCase(
      { db: database.db, clock: { now: () => new Date() } },
      { client: rows[0]?.holder_id ?? 0, senders: 2 * heldMessages },
    )
    const held = await holding
    const during = await database.pool.query('select from hold_records')
    parts.push((during.rowCount ?? 0) - (before.rowCount ?? 0))
    await until('all are held', async () => {
      const { rows: left } = await database.pool.query(
        'select from integrity_cases where id = $1 and apply_from is not null',
        [id],
      )
      return left.length === 0
    })
    const releasing = stand.offer({})
    await sleep(1_500)
    await call('PUT', `/api/integrity/cases/${id}/decide`, { action: 'release', reason: 'measured' })
    const released = await releasing
    await until('all are released', async () => {
      const { rows: left } = await database.pool.query('select from holds where is_moving')
      return left.length === 0
    })
    ratios.push(held.p99Ms / quiet.p99Ms, released.p99Ms / quiet.p99Ms)
  }
  const ratio = median(ratios)
  found.lines.push(
    '',
    `While more than ${heldMessages.toLocaleString('en-GB')} messages of a client are held, then released, p99 of the others is ${ratio.toFixed(2)} times that without (asked: ${most.heldRatio}; ${Math.min(...parts).toLocaleString('en-GB')} were held while the load ran).`,
  )
  check(found, 'p99 while messages are held, times', ratio, most.heldRatio)
}

/** From the sixth message of one sender to six clients, at the full load, until one of them is held. */
async function firstHolds(
  stand: Stand,
  supplier: { systemId: string; password: string },
  found: Found,
): Promise<void> {
  const { database, gateway } = stand
  await setMode(stand, 'enforce')
  const { rows } = await database.pool.query<{ number: string }>(
    'select min(number) as number from numbers group by holder_id order by holder_id limit 6',
  )
  const loading = stand.offer({ seconds: 60 })
  await sleep(5_000)
  const socket = await bindTransceiver({ ...supplier, port: gateway.port })
  const seconds: number[] = []
  for (let nth = 0; nth < attacks; nth += 1) {
    const sender = `4470000000${10 + nth}`
    for (const [place, { number }] of rows.entries())
      socket.write(pdu(submitSm, 100 + nth * 10 + place, submitBody(number, sender)))
    const startedAtMs = performance.now()
    await until('the first message is held', async () => {
      const held = await database.pool.query(
        `select from hold_records p join records r on r.id = p.record_id and r.created_at = p.record_created_at
         where r.sender = $1 limit 1`,
        [sender],
      )
      return held.rows.length > 0
    })
    seconds.push((performance.now() - startedAtMs) / 1_000)
  }
  socket.destroy()
  const { p99Ms } = await loading
  const longest = Math.max(...seconds)
  found.lines.push(
    '',
    `In enforce, with ${perSecond.toLocaleString('en-GB')} others a second, the first message was held ${median(seconds).toFixed(1)} s after the one that crossed a threshold, ${longest.toFixed(1)} s at most (asked: ${most.holdSeconds}); p99 of the others was ${p99Ms} ms.`,
  )
  check(found, 'seconds to the first hold', longest, most.holdSeconds)
}
