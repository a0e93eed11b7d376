// Measures what a message costs at three rates: bytes of each table, of the log, and processor time.
import type { Database } from '@tollgate/server/platform/db.ts'
import { makeSupplier } from '@tollgate/server/test/http/operator.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { load } from './children.ts'
import { untilFollowersRest } from './followers.ts'
import { databaseSeconds, processSeconds } from './processor-time.ts'
import { machine } from './report.ts'
import { parts, sizesPage, type Part, type RateSizes, type Sizes } from './sizes-page.ts'
import { withGateway, type GatewayTestbed } from './with-gateway.ts'
import { writeLogThrough } from './write-log-through.ts'

// Messages that open the counters of the hour and of each client, so that their first growth is not counted.
const warmPerSecond = 500
const warmSeconds = 4
// As many senders as a busy gateway meets; few of them would make the search index smaller than it is.
const senders = 200_000

const rates = [
  { name: 'slow', rate: '100 a second', perSecond: 100 },
  { name: 'medium', rate: '1,000 a second', perSecond: 1_000 },
  { name: 'peak', rate: 'as fast as it takes them', perSecond: 0 },
] as const

/** Loads a gateway of its own with each rate for so many seconds; gives the page. */
export async function measureSizes(seconds: number): Promise<string> {
  const found = new Map<string, Measured>()
  for (const { name, rate, perSecond } of rates)
    found.set(
      name,
      await onFreshGateway((stand, digits) => measureRate(stand, digits, rate, perSecond, seconds)),
    )
  const [slow, medium, peak] = rates.map(({ name }) => found.get(name))
  if (slow === undefined || medium === undefined || peak === undefined)
    throw new Error('A rate was not measured')
  const sizes: Sizes = { conditions: conditions(seconds), slow, medium, peak, rebuilt: peak.rebuilt }
  return sizesPage(sizes)
}

const conditions = (seconds: number) =>
  `${machine()} Each rate on a new database: ${seconds} s over 10 binds, texts of 84 characters, 200,000 senders, each to one number, 5,000 numbers of 200 clients, until the followers of the log have read all. Growth of all tables and indexes from before to after, by the messages that were answered.`

interface Measured extends RateSizes {
  readonly rebuilt: Sizes['rebuilt']
}

function onFreshGateway<T>(measure: (stand: GatewayTestbed, digits: string[]) => Promise<T>): Promise<T> {
  return withGateway(async (database) => {
    const digits = await seedTraffic(database.db)
    await writeLogThrough(database)
    return digits
  }, measure)
}

async function measureRate(
  { gateway, database, postmasterPid, call }: GatewayTestbed,
  digits: string[],
  rate: string,
  perSecond: number,
  seconds: number,
): Promise<Measured> {
  const traffic = {
    ...(await makeSupplier(call)),
    port: gateway.port,
    digits,
    binds: 10,
    window: 50,
    senders,
  }
  await load({ ...traffic, seconds: warmSeconds, perSecond: warmPerSecond })
  await untilFollowersRest(database)
  const before = await look(database)
  const used = [processSeconds(gateway.pid), databaseSeconds(postmasterPid)] as const
  const sent = await load({ ...traffic, seconds, perSecond })
  if (sent.refused > 0) throw new Error(`${sent.refused} messages were refused`)
  await untilFollowersRest(database)
  const [gatewaySeconds, serverSeconds] = [processSeconds(gateway.pid), databaseSeconds(postmasterPid)]
  const after = await look(database)
  const a = (value: number) => value / sent.answered
  return {
    rate,
    messages: sent.answered,
    perSecond: sent.perSecond,
    bytes: Object.fromEntries(
      parts.map((part) => [part, a(after.bytes[part] - before.bytes[part])]),
    ) as Record<Part, number>,
    walBytes: a(after.wal - before.wal),
    gatewayUs: a((gatewaySeconds - used[0]) * 1e6),
    databaseUs: a((serverSeconds - used[1]) * 1e6),
    rebuilt: await rebuild(database),
  }
}

interface Looked {
  readonly bytes: Readonly<Record<Part, number>>
  readonly wal: number
}

/** The bytes of each part now, and how much log was ever written. */
async function look({ pool }: Database): Promise<Looked> {
  const { rows } = await pool.query<{ name: string; owner: string; bytes: string }>(sizesText)
  const bytes = Object.fromEntries(parts.map((part) => [part, 0])) as Record<Part, number>
  for (const { name, owner, bytes: size } of rows) bytes[partOf(name, owner)] += Number(size)
  const wal = await pool.query<{ bytes: string }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes")
  return { bytes, wal: Number(wal.rows[0]?.bytes) }
}

// Weeks count as their table, an index of a week as that of the table, and toast as its table.
const sizesText = `
  select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name,
    coalesce(pg_partition_root(coalesce(t.oid, c.oid)), t.oid, c.oid)::regclass::text as owner, sum(pg_relation_size(c.oid)) as bytes
  from pg_class c
  left join pg_index i on i.indexrelid = c.oid
  left join pg_class o on o.reltoastrelid = coalesce(i.indrelid, c.oid)
  left join pg_class t on t.oid = coalesce(o.oid, i.indrelid)
  where c.relkind in ('r', 'i', 't', 'm') and c.relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace)
  group by 1, 2`

function partOf(name: string, owner: string): Part {
  if (owner === 'records') {
    if (name === 'records_pkey') return 'records: key'
    return name === 'records_client_idx' ? 'records: by client' : 'records'
  }
  if (owner === 'record_batches') return name.startsWith('pg_toast') ? 'texts' : 'batches'
  if (/^record_(blocks|block_groups|postings)$/.test(owner)) return 'search'
  if (owner === 'sender_days') return 'sender days'
  return owner === 'ledger_batches' ? 'ledger' : 'counters and the rest'
}

/** Builds the two large indexes of records anew, as of a week that is over; gives their bytes a message. */
async function rebuild({ pool }: Database): Promise<Sizes['rebuilt']> {
  const { rows } = await pool.query<{ name: string; root: string }>(
    `select c.oid::regclass::text as name, pg_partition_root(c.oid)::regclass::text as root from pg_class c
     where c.relkind = 'i' and pg_partition_root(c.oid)::regclass::text in ('records_pkey', 'records_client_idx')`,
  )
  const stored = await pool.query<{ count: string }>('select count(*) as count from records')
  const bytes = { records_pkey: 0, records_client_idx: 0 } as Record<string, number>
  for (const { name, root } of rows) {
    await pool.query(`reindex index ${name}`)
    const size = await pool.query<{ bytes: string }>('select pg_relation_size($1::regclass) as bytes', [name])
    bytes[root] = (bytes[root] ?? 0) + Number(size.rows[0]?.bytes)
  }
  const count = Number(stored.rows[0]?.count)
  return { key: (bytes['records_pkey'] ?? 0) / count, byClient: (bytes['records_client_idx'] ?? 0) / count }
}
