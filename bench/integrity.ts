// What the rules hold of pumped and of clean messages: six weeks are loaded day by day as counts of senders and judged as
// the job judges them. `npm run bench -- --only integrity`.
import { once } from 'node:events'
import { from as copyFrom } from 'pg-copy-streams'
import { lastFrozenDay, runBackTests } from '@tollgate/server/integrity/back-test/run-back-tests.ts'
import { standardThresholds } from '@tollgate/server/integrity/rules/thresholds.ts'
import { judgeDueDays } from '@tollgate/server/integrity/judge/due-days.ts'
import type { Database } from '@tollgate/server/platform/db.ts'
import { attacks, lookAlikes } from './integrity-attacks.ts'
import {
  makeTraffic,
  standardTraffic,
  type SenderDay,
  type Traffic,
  type TrafficParameters,
} from './integrity-traffic.ts'
import { onNewServer } from './on-server.ts'

const dayMs = 86_400_000
const backTestDays = 28
/** Asked of a back-test. */
const backTestSecondsMax = 120

interface Sum {
  total: number
  held: number
}

interface Outcome {
  readonly parameters: TrafficParameters
  readonly messages: number
  readonly labels: ReadonlyMap<string, Sum & { readonly isPumped: boolean }>
  /** Clean value by client. */
  readonly clients: ReadonlyMap<number, Sum>
  readonly judgeMs: number
  readonly pieces: number
  readonly backTestMs: number
}

/** Measures the standard world of so many seeds, and the first one with attacks half as strong. */
export async function measureIntegrity(seedCount: number): Promise<string> {
  const outcomes: Outcome[] = []
  const seeds = Array.from({ length: seedCount }, (_, place) => ({ seed: place + 1 }))
  for (const changes of [...seeds, { seed: 1, strength: 0.5 }])
    outcomes.push(await measureWorld({ ...standardTraffic, ...changes }))
  const text = report(outcomes)
  const longestMs = Math.max(...outcomes.map(({ backTestMs }) => backTestMs))
  if (longestMs > backTestSecondsMax * 1_000)
    throw new Error(`${text}\n\nA back-test took longer than ${backTestSecondsMax} s`)
  return text
}

function measureWorld(parameters: TrafficParameters): Promise<Outcome> {
  const traffic = makeTraffic(parameters, [...attacks, ...lookAlikes])
  return onNewServer('off', async ({ database }) => {
    await loadPeople(database, traffic, parameters)
    const start = Date.parse(parameters.firstDay)
    let judgeMs = 0
    let pieces = 0
    for (let day = 0; day < parameters.historyDays + parameters.measuredDays; day += 1) {
      await loadDay(
        database,
        traffic.rows.filter((row) => row.day === day),
        { traffic, start },
      )
      const startedAtMs = performance.now()
      const now = new Date(start + (day + 1) * dayMs + 600_000)
      const options = {
        db: database.db,
        now,
        version: { id: 1, thresholds: standardThresholds },
        modes: { of: () => 'dry_run' as const },
        goesOn: () => true,
      }
      for (let done = 1; done > 0; pieces += done) done = await judgeDueDays(options)
      judgeMs += performance.now() - startedAtMs
    }
    const held = await heldKeys(database, start)
    const end = new Date(start + (parameters.historyDays + parameters.measuredDays) * dayMs + 600_000)
    const backTestMs = await backTest(database, end)
    return { parameters, judgeMs, pieces, backTestMs, ...sums(traffic.rows, held, parameters) }
  })
}

/** Tries the thresholds as installed on the last days that are frozen; gives how long that takes. */
async function backTest({ db, pool }: Database, now: Date): Promise<number> {
  await pool.query(
    `insert into back_tests (version_id, from_day, until_day, made_by, made_at)
     select 1, $1::date - $2::int + 1, $1::date, min(id), $3::timestamptz from users`,
    [lastFrozenDay(now), backTestDays, now],
  )
  const startedAtMs = performance.now()
  await runBackTests({ db, now, goesOn: () => true })
  return performance.now() - startedAtMs
}

async function loadPeople(
  { pool }: Database,
  traffic: Traffic,
  { firstDay }: TrafficParameters,
): Promise<void> {
  for (const { id, numbers, since } of traffic.clients) {
    await pool.query(
      `insert into users (id, username, email, first_name, last_name, password_hash, role) overriding system value
       values ($1, $2, $2 || '@example.org', 'C', 'C', 'x', 'user')`,
      [id, `client${id}`],
    )
    for (const number of numbers) {
      await pool.query('insert into numbers (id, number) overriding system value values ($1, $2)', [
        number.id,
        traffic.numberOf(number.id),
      ])
      // Whoever is there from the first day has been a client for long.
      await pool.query(
        `insert into number_holders (number_id, user_id, held_from) values ($1, $2, $3::timestamptz + make_interval(days => $4))`,
        [number.id, id, firstDay, since === 0 ? -90 : since],
      )
    }
  }
}

async function loadDay(
  { pool }: Database,
  rows: readonly SenderDay[],
  { start }: { readonly traffic: Traffic; readonly start: number },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('create temp table if not exists loaded (like sender_days); truncate loaded')
    const stream = client.query(copyFrom('copy loaded from stdin'))
    const finished = once(stream, 'finish')
    stream.end(rows.map((row) => lineOf(row, start)).join(''))
    await finished
    await client.query(`
      insert into sender_days select client_id, day, number_id, sender, sum(message_count), sum(amount_micro),
        bit_or(slots), min(first_at), max(last_at) from loaded group by 1, 2, 3, 4;
      insert into client_days (client_id, day, message_count)
        select client_id, day, sum(message_count) from loaded group by 1, 2;
      insert into sender_blocks as kept select left(sender, -4), min(day), max(day) from loaded group by 1
        on conflict (block) do update set last_day = excluded.last_day;
      analyze sender_days, client_days, sender_blocks`)
  } finally {
    client.release()
  }
}

function lineOf(row: SenderDay, start: number): string {
  const at = (ms: number) => new Date(start + row.day * dayMs + ms).toISOString()
  const slots = Array.from({ length: 144 }, (_, slot) => (row.slots.has(slot) ? '1' : '0')).join('')
  const { client, number, sender, count, amountMicro } = row
  return `${[client, at(0).slice(0, 10), number, sender, count, amountMicro, slots, at(row.firstMs), at(row.lastMs)].join('\t')}\n`
}

/** The senders' days that holds reach, as `client day sender`. */
async function heldKeys({ pool }: Database, start: number): Promise<Set<string>> {
  const { rows } = await pool.query<{ client_id: number; day: Date; sender: string; at: string }>(
    `select distinct d.client_id, d.day::text as at, d.sender from integrity_cases c
     join integrity_members m on m.case_id = c.id
     join sender_days d on d.client_id = c.client_id and d.sender = m.sender and d.day between c.from_day and c.day
     where c.level = 'hold'`,
  )
  return new Set(
    rows.map(
      ({ client_id: client, at, sender }) => `${client} ${(Date.parse(at) - start) / dayMs} ${sender}`,
    ),
  )
}

function sums(
  rows: readonly SenderDay[],
  held: ReadonlySet<string>,
  { historyDays }: TrafficParameters,
): Pick<Outcome, 'messages' | 'labels' | 'clients'> {
  const labels = new Map<string, Sum & { isPumped: boolean }>()
  const clients = new Map<number, Sum>()
  let messages = 0
  for (const { client, day, sender, label, isPumped, amountMicro, count } of rows) {
    if (day < historyDays) continue
    messages += count
    const heldMicro = held.has(`${client} ${day} ${sender}`) ? amountMicro : 0
    const ofLabel = labels.get(label) ?? { total: 0, held: 0, isPumped }
    labels.set(label, ofLabel)
    const found: Sum[] = [ofLabel]
    if (!isPumped) {
      const ofClient = clients.get(client) ?? { total: 0, held: 0 }
      clients.set(client, ofClient)
      found.push(ofClient)
    }
    for (const sum of found) {
      sum.total += amountMicro
      sum.held += heldMicro
    }
  }
  return { messages, labels, clients }
}

const percent = ({ total, held }: Sum): string => `${((100 * held) / Math.max(1, total)).toFixed(2)} %`

function together(sums: readonly Sum[]): Sum {
  return sums.reduce((all, { total, held }) => ({ total: all.total + total, held: all.held + held }), {
    total: 0,
    held: 0,
  })
}

function report(outcomes: readonly Outcome[]): string {
  const head = outcomes.map(({ parameters: { seed, strength } }) =>
    strength === 1 ? `seed ${seed}` : `seed ${seed}, half as strong`,
  )
  const row = (name: string, of: (outcome: Outcome) => string) =>
    `| ${name} | ${outcomes.map(of).join(' | ')} |`
  const kinds = [...(outcomes[0]?.labels ?? [])]
  const ofLabel = (label: string) =>
    row(label || 'everyday messages', ({ labels }) => percent(labels.get(label) ?? { total: 0, held: 0 }))
  const allOf = (isPumped: boolean) => (outcome: Outcome) =>
    percent(together([...outcome.labels.values()].filter((each) => each.isPumped === isPumped)))
  const worst = ({ clients }: Outcome) =>
    percent(
      [...clients.values()].reduce((one, other) =>
        one.held * other.total >= other.held * one.total ? one : other,
      ),
    )
  return [
    `| value held | ${head.join(' | ')} |`,
    `|---|${outcomes.map(() => '---|').join('')}`,
    row('**all that is pumped**', allOf(true)),
    ...kinds.filter(([, { isPumped }]) => isPumped).map(([label]) => ofLabel(label)),
    row('**all that is clean**', allOf(false)),
    ...kinds.filter(([, { isPumped }]) => !isPumped).map(([label]) => ofLabel(label)),
    row('the client with most of its clean value held', worst),
    row('messages of the fortnight', ({ messages }) => messages.toLocaleString('en')),
    row('a judgement, on average', ({ judgeMs, pieces }) => `${(judgeMs / pieces).toFixed(0)} ms`),
    row(`a back-test of ${backTestDays} days`, ({ backTestMs }) => `${(backTestMs / 1_000).toFixed(1)} s`),
  ].join('\n')
}
