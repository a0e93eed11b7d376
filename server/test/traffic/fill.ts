// Fills a database with realistic history by COPY: people, ranges, numbers, batches, records and their counters.
import { once } from 'node:events'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { foldStatement } from '../../src/ingest/fold-store.ts'
import { bufferSums } from './counters.ts'
import { seededRandom } from '../../src/programs/demo/seeded-random.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'

export interface FillOptions {
  readonly records: number
  /** The records are spread over so many days before `now`. */
  readonly days: number
  readonly now: Date
  readonly clients?: number
  readonly ranges?: number
  readonly numbers?: number
  /** How unevenly numbers are distributed: with 2 few clients have most of them, with 6 most clients have one. */
  readonly skew?: number
  /** One number in so many settles by payout; defaults to none. */
  readonly ownPriceEvery?: number
  /** The status of one record in two hundred; defaults to pending, which a gateway completes when nobody takes them. */
  readonly open?: 'pending' | 'in_progress'
  /** Records per batch. Busy gateways write hundreds, quiet ones single records. */
  readonly batchRecords?: number
  readonly onProgress?: (records: number) => void
}

const dayMs = 86_400_000
const weekMs = 7 * dayMs
const chunkRows = 20_000
// Rebuilding these once is several times faster than growing them row by row.
const indexes = [
  'create index records_client_idx on records (client_id, created_at, id)',
  'create index records_open_idx on records (status, created_at, id) where status <> 2',
  'create index records_client_open_idx on records (client_id, status, created_at, id) where status <> 2',
] as const

interface Catalog {
  /** Id, holder, range and settlement of each number. */
  readonly numbers: readonly { id: number; client: number; range: number; settlement: number }[]
  readonly gateways: readonly number[]
  readonly cycle: number
}

/** Loads `options.records` records and everything that they refer to into an empty, migrated database. */
export async function fillRecords(pool: pg.Pool, options: FillOptions): Promise<void> {
  const catalog = await fillCatalog(pool, options)
  await makeWeeks(pool, options)
  for (const statement of indexes) await pool.query(`drop index ${statement.split(' ')[2]}`)
  await copyRecords(pool, options, catalog)
  const client = await pool.connect()
  try {
    // Sorting tens of millions of keys takes longer than any statement of the gateway may.
    await client.query(`set statement_timeout = 0; set maintenance_work_mem = '256MB'; set work_mem = '64MB'`)
    for (const statement of indexes) await client.query(statement)
    await foldDays(client, options)
    for (const statement of followed) await client.query(statement)
    // No receipts are due for records that no peer sent.
    await client.query(
      `update follower_positions set position = pg_snapshot_xmax(pg_current_snapshot())::text where follower = 'receipts'`,
    )
    await client.query('vacuum analyze')
  } finally {
    client.release(true)
  }
}

/** Counts the records day by day, as traffic does: the counters of a day are stored together. */
async function foldDays(client: pg.PoolClient, { days, now }: FillOptions): Promise<void> {
  const last = Math.floor(now.getTime() / dayMs) * dayMs
  for (let at = last - (days + 1) * dayMs; at <= last; at += dayMs) {
    const [from, to] = [new Date(at).toISOString(), new Date(at + dayMs).toISOString()]
    await client.query(
      bufferSums(`(
        select date_trunc('hour', created_at, 'UTC') as created_at, client_id, range_id, gateway_id, settlement, status,
          cycle_id, count(*) as record_count, sum(bill_micro) as bill_micro, sum(amount_micro) as amount_micro
        from records where created_at >= '${from}' and created_at < '${to}' group by 1, 2, 3, 4, 5, 6, 7
      ) sums`),
    )
    await client.query(foldStatement)
  }
}

async function fillCatalog(pool: pg.Pool, options: FillOptions): Promise<Catalog> {
  const { clients = 200, ranges = 40, numbers = 10_000, skew = 2, ownPriceEvery = 0, days, now } = options
  const since = new Date(now.getTime() - (days + 30) * dayMs)
  await pool.query(
    `insert into users (username, email, first_name, last_name, password_hash, role)
     select 'client' || i, 'client' || i || '@example.com', 'Client', 'No. ' || i, '-', 'user'
     from generate_series(1, $1) i`,
    [clients],
  )
  await pool.query(
    `insert into ranges (range_number, start_number, end_number, description, tariff_micro)
     select '09' || lpad(i::text, 2, '0'), '4490' || lpad(i::text, 2, '0') || '00000',
       '4490' || lpad(i::text, 2, '0') || '99999', 'Range ' || i, 100000 + i * 5000
     from generate_series(1, $1) i`,
    [ranges],
  )
  // Each client has a number. The other numbers of a client are in about two ranges, and few clients have most of them.
  await pool.query(
    `insert into numbers (number, description, country, country_code, holder_id, held_from)
     select '4490' || lpad((1 + i % $2)::text, 2, '0') || lpad((i / $2)::text, 5, '0'), 'Line ' || i,
       'United Kingdom', '+44', u.id, $4
     from generate_series(0, $1 - 1) i
     join users u on u.username = 'client' || (1 + case when i < $3 then i else ((i % $2) * $3 / $2
       + floor(2.0 * $3 / $2 * power(((i * 7919) % 10007) / 10007.0, $5)))::int % $3 end)`,
    [numbers, ranges, clients, since, skew],
  )
  await pool.query(
    'insert into number_holders (number_id, user_id, held_from) select id, holder_id, held_from from numbers',
  )
  // The last two gateways have one record in a hundred and one in ten thousand.
  await pool.query(
    `insert into gateways (source, name) select least(i, 2), 'gateway' || i from generate_series(0, 5) i`,
  )
  const cycle = await pool.query<{ id: number }>(
    `insert into cycles (starts_at, ends_at) values (date_trunc('week', $1::timestamptz),
       date_trunc('week', $1::timestamptz) + interval '7 days') returning id`,
    [now],
  )
  const found = await pool.query<Catalog['numbers'][number]>(
    `select n.id, n.holder_id as client, r.id as range, case when n.id % nullif($1, 0) = 0 then 2 else 1 end as settlement
     from numbers n join ranges r on n.number between r.start_number and r.end_number order by n.id`,
    [ownPriceEvery],
  )
  const gateways = await pool.query<{ id: number }>('select id from gateways order by id')
  return { numbers: found.rows, gateways: gateways.rows.map(({ id }) => id), cycle: cycle.rows[0]?.id ?? 0 }
}

async function makeWeeks(pool: pg.Pool, { now, days }: FillOptions): Promise<void> {
  for (let at = now.getTime() - days * dayMs; at < now.getTime() + weekMs; at += weekMs)
    await pool.query('select ensure_record_week($1)', [new Date(at)])
}

async function copyRecords(pool: pg.Pool, options: FillOptions, catalog: Catalog): Promise<void> {
  const { records, days, now, batchRecords = 100, open = 'pending', onProgress = () => undefined } = options
  const random = seededRandom(records)
  const openStatus = recordStatuses.indexOf(open)
  const startMs = now.getTime() - days * dayMs
  const stepMs = (days * dayMs) / records
  const firstBatch = await pool.query<{ id: string }>(`select nextval('transaction_ids') as id`)
  let batch = Number(firstBatch.rows[0]?.id)
  for (let done = 0; done < records; done += chunkRows) {
    const rows: string[] = []
    const batches: string[] = []
    const end = Math.min(records, done + chunkRows)
    for (let start = done; start < end; start += batchRecords, batch += 1) {
      const size = Math.min(batchRecords, end - start)
      const from = new Date(startMs + start * stepMs).toISOString()
      const to = new Date(startMs + (start + size - 1) * stepMs).toISOString()
      batches.push(`${batch}\t${to}\t${size}\t${from}\t${to}\t${to}\n`)
      for (let place = 0; place < size; place += 1) {
        const at = new Date(startMs + (start + place) * stepMs).toISOString()
        rows.push(recordLine(catalog, random, openStatus, at, batch * 4096 + place))
      }
    }
    await copy(pool, `copy records (${recordColumns}) from stdin`, rows)
    await copy(
      pool,
      'copy record_batches (id, stored_at, record_count, created_from, created_to, priced_at) from stdin',
      batches,
    )
    onProgress(end)
  }
  await pool.query(`select setval('transaction_ids', $1)`, [batch + 1])
}

const recordColumns =
  'created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, range_id, gateway_id, rate_id, ' +
  'cycle_id, status, settlement, sender'

function recordLine(
  catalog: Catalog,
  random: () => number,
  openStatus: number,
  at: string,
  id: number,
): string {
  const { numbers, gateways, cycle } = catalog
  const number = numbers[Math.floor(random() * numbers.length)]
  const gateway = gateways[gatewayPlace(random())]
  const bill = 100_000 + (number?.range ?? 0) * 5_000
  const sender =
    random() < 0.05
      ? `Brand-${Math.floor(random() * 500)}`
      : `447${String(Math.floor(random() * 1e9)).padStart(9, '0')}`
  return [at, id, at, bill, 50_000, number?.id, number?.client, number?.range, gateway, 1, cycle]
    .concat(statusOf(random(), openStatus), number?.settlement ?? 1, sender)
    .join('\t')
    .concat('\n')
}

function gatewayPlace(chance: number): number {
  if (chance < 0.0001) return 5
  return chance < 0.01 ? 4 : Math.floor(chance * 4)
}

/** 2 completed, 3 failed, 4 reported, 5 no_report. */
function statusOf(chance: number, open: number): number {
  if (chance < 0.95) return 2
  if (chance < 0.97) return 3
  if (chance < 0.985) return 4
  return chance < 0.995 ? 5 : open
}

async function copy(pool: pg.Pool, statement: string, lines: readonly string[]): Promise<void> {
  const client = await pool.connect()
  try {
    const stream = client.query(copyFrom(statement))
    const finished = once(stream, 'finish')
    stream.end(lines.join(''))
    await finished
  } finally {
    client.release()
  }
}

const sums = 'count(*), sum(bill_micro), sum(amount_micro)'
const day = `(created_at at time zone 'UTC')::date`
const followed = [
  `insert into record_line_sums select cycle_id, coalesce(client_id, 0), number_id, coalesce(rate_id, 0), settlement,
     count(*), sum(amount_micro) from records group by 1, 2, 3, 4, 5`,
  `insert into record_number_days select ${day}, coalesce(client_id, 0), number_id, coalesce(range_id, 0), gateway_id,
     ${sums} from records group by 1, 2, 3, 4, 5 order by 1`,
  `insert into record_number_weeks select date_trunc('week', day)::date, client_id, number_id, range_id, sum(record_count),
     sum(bill_micro), sum(amount_micro) from record_number_days group by 1, 2, 3, 4 order by 1`,
  `update follower_positions set (xid, batch) =
     (select xid, id from record_batches order by xid desc, id desc limit 1) where follower in ('lines', 'numbers')`,
] as const
