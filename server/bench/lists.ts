// Measures the first page of every list over HTTP, under every sort with every filter and kind of search, with
// 100,000 numbers, 10,000 users, 10,000 requests and 100,000 audit entries stored.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditSorts } from '@tollgate/contract/audit.ts'
import { inventorySorts } from '@tollgate/contract/inventory.ts'
import { requestSorts } from '@tollgate/contract/number-requests.ts'
import { accountNumberSorts, premiumNumberSorts } from '@tollgate/contract/numbers.ts'
import { rangeSorts } from '@tollgate/contract/ranges.ts'
import { userRateSorts } from '@tollgate/contract/rates.ts'
import { userSorts } from '@tollgate/contract/users.ts'
import { sql } from 'kysely'
import { execute, openDatabase, type Db } from '../src/platform/db.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/migrate.ts'
import { startGateway } from './children.ts'
import { benchPassword, makeClient, signInAs, signInAsAdmin, type Call } from './operator.ts'

/** A list as the console asks for it. Each query is one choice; an empty one leaves the filter out. */
interface List {
  readonly name: string
  readonly path: string
  readonly viewer: 'admin' | 'client'
  readonly sorts: readonly string[]
  readonly filters: readonly string[]
  readonly searches: readonly string[]
}

// What everything has, many have, few have, one has and nothing has; two letters are too few for an index.
const numberSearches = ['', '44', '4401', 'line 1', '+44 012 00 345', 'zq', 'zzqx']
const statusFilters = ['', 'status=active', 'status=suspended', 'status=inactive']

const lists: readonly List[] = [
  {
    name: 'Users Management',
    path: '/api/users',
    viewer: 'admin',
    sorts: userSorts,
    filters: ['', 'role=user', 'role=support', 'status=suspended', 'role=user&status=inactive'],
    searches: ['', 'user', 'user77', 'last976', 'user7777@example.org', 'zq', 'zzqx'],
  },
  {
    name: 'User-Specific SMS Rates',
    path: '/api/admin/users',
    viewer: 'admin',
    sorts: userRateSorts,
    filters: [''],
    searches: ['', 'user', 'user77', 'last976', 'zq', 'zzqx'],
  },
  {
    name: 'Numbers Management',
    path: '/api/premium-numbers',
    viewer: 'admin',
    sorts: premiumNumberSorts,
    filters: [...statusFilters, 'country=Germany', 'country=Atlantis', 'country=Spain&status=inactive'],
    searches: [...numberSearches, 'germany'],
  },
  {
    name: 'Number Inventory',
    path: '/api/number-inventory',
    viewer: 'admin',
    sorts: inventorySorts,
    filters: ['', 'status=available', 'status=assigned', 'status=suspended', 'country=DE', 'country=%2B49'],
    searches: [...numberSearches, 'telco 7', 'user77'],
  },
  {
    name: 'Premium Numbers, staff',
    path: '/api/numbers',
    viewer: 'admin',
    sorts: accountNumberSorts,
    filters: [...statusFilters, 'type=toll-free', 'type=standard&status=suspended'],
    searches: [...numberSearches, 'user77', 'acc-10'],
  },
  {
    name: 'Premium Numbers, a client of 20,000',
    path: '/api/numbers',
    viewer: 'client',
    sorts: accountNumberSorts,
    filters: [...statusFilters, 'type=toll-free'],
    searches: [...numberSearches, 'acc-10'],
  },
  {
    name: 'Number Ranges',
    path: '/api/ranges',
    viewer: 'client',
    sorts: rangeSorts,
    filters: statusFilters,
    searches: ['', 'r1', '4404', 'zzqx'],
  },
  {
    name: 'Number Requests, staff',
    path: '/api/number-requests/all',
    viewer: 'admin',
    sorts: requestSorts,
    filters: ['', 'status=pending', 'status=assigned'],
    searches: ['', 'votes', 'user77', '4401', 'zq', 'zzqx'],
  },
  {
    name: 'Audit Log',
    path: '/api/audit',
    viewer: 'admin',
    sorts: auditSorts,
    filters: [
      '',
      'action=user.edit',
      'action=number.delete',
      'objectType=number&objectId=77',
      'dateTo=2020-01-01',
    ],
    searches: ['', 'support', 'number.delete', '127.0.0.1', 'zq', 'zzqx'],
  },
]

/** What the numbers have is drawn by lot, the same in every run: an index of one thing must not happen to order another. */
async function fill(db: Db): Promise<void> {
  await execute(
    db,
    `insert into users (username, email, first_name, last_name, password_hash, role, status)
       select 'user' || i, 'user' || i || '@example.org', 'First' || i, 'Last' || (i % 977), 'x', 'user',
         case when i % 20 = 0 then 'suspended' else 'active' end from generate_series(1, 10000) i;
     insert into ranges (range_number, start_number, end_number, tariff_micro)
       select 'R' || i, '44' || lpad(i::text, 3, '0') || '00000', '44' || lpad(i::text, 3, '0') || '99999', 100000 + i
       from generate_series(0, 99) i;
     insert into numbers (number, description, country, country_code, holder_id, held_from, account_number, tariff_micro,
         operator, price_micro, status, type, created_at)
       select '44' || lpad((i % 100)::text, 3, '0') || lpad((i / 100)::text, 5, '0'), 'Line ' || i,
         (array['United Kingdom', 'Germany', 'France', 'Spain'])[1 + a % 4], (array['+44', '+49', '+33', '+34'])[1 + a % 4],
         case when b % 3 = 0 then null else 1 + i % 10000 end, case when b % 3 = 0 then null else now() end,
         case when b % 3 = 0 then null else 'ACC-' || (1001 + i) end, case when c % 2 = 0 then 1000 * (b % 5000) end,
         'Telco ' || c % 10, case when d % 7 = 0 then 10000 * (1 + c % 300) end,
         case when d % 25 = 0 then 'suspended' when d % 500 = 1 then 'inactive' else 'active' end,
         case when c % 1000 = 2 then 'toll-free' when c % 9 = 0 then 'standard' else 'premium' end,
         now() - i * interval '1 minute'
       from generate_series(0, 99999) i,
         lateral (select abs(hashint4(i)) as a, abs(hashint4(i + 200000)) as b, abs(hashint4(i + 400000)) as c,
           abs(hashint4(i + 600000)) as d) as drawn;
     insert into number_holders (number_id, user_id, held_from) select id, holder_id, held_from from numbers where holder_id is not null;
     insert into number_requests (user_id, business_purpose, expected_volume, status, requested_number)
       select 1 + i % 10000, 'Votes ' || i, '1-50', (array['pending', 'approved', 'rejected'])[1 + i % 3],
         '44' || lpad(i::text, 8, '0') from generate_series(1, 10000) i;
     insert into audit_entries (at, actor_id, actor, ip, action, object_type, object_id, after, hash)
       select now() - (100000 - i) * interval '1 minute', 1, case when i % 3 = 0 then 'support' else 'admin' end, '127.0.0.1',
         case when i % 5000 = 0 then 'number.delete' when i % 2 = 0 then 'user.edit' else 'number.edit' end,
         case when i % 2 = 0 then 'user' else 'number' end, (i % 9000)::text, '{"status": "active"}', '\\x00'
       from generate_series(1, 100000) i;
     analyze;`,
  )
}

/** Gives a client every fifth number. */
async function giveNumbers(db: Db, clientId: number): Promise<void> {
  await sql`update numbers set holder_id = ${clientId}, held_from = now(),
      account_number = coalesce(account_number, 'ACC-' || (500000 + id)) where id % 5 = 0`.execute(db)
  await execute(db, 'vacuum analyze numbers')
}

async function time(call: Call, path: string): Promise<number> {
  const begun = performance.now()
  await call('GET', path)
  const took = performance.now() - begun
  // A person may make 100 calls a second.
  await new Promise((settle) => setTimeout(settle, 12))
  return took
}

const roundsOfAll = 3
const roundsOfSlowest = 40

function at(times: readonly number[], share: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor((times.length - 1) * share)] ?? 0
}

function questionsOf({ filters, searches }: List, sort: string): string[] {
  const orders = [`sort=${sort}&order=asc`, `sort=${sort}&order=desc`]
  return orders.flatMap((order) =>
    filters.flatMap((filter) =>
      searches.map((search) =>
        [order, filter, search && `search=${encodeURIComponent(search)}`]
          .filter((part) => part !== '')
          .join('&'),
      ),
    ),
  )
}

/** One line of the table: all questions of one list in one order, and the slowest of them asked more often. */
async function measureSort(call: Call, list: List, sort: string): Promise<string> {
  const all: number[] = []
  const least = new Map<string, number>()
  for (const question of questionsOf(list, sort)) {
    const times: number[] = []
    for (let round = 0; round < roundsOfAll; round += 1)
      times.push(await time(call, `${list.path}?${question}`))
    all.push(...times)
    // The least, not the median: whatever else the machine did must not choose the question.
    least.set(question, Math.min(...times))
  }
  const [slowest = ''] = [...least]
    .toSorted(([, one], [, other]) => other - one)
    .map(([question]) => question)
  const again: number[] = []
  for (let round = 0; round < roundsOfSlowest; round += 1)
    again.push(await time(call, `${list.path}?${slowest}`))
  const figures = [at(all, 0.5), at(all, 0.95), at(again, 0), at(again, 0.5), at(again, 0.95)].map((ms) =>
    ms.toFixed(1),
  )
  const [p50, p95, ...ofSlowest] = figures
  return `| ${list.name} | ${sort} | ${least.size} | ${p50} | ${p95} | \`${decodeURIComponent(slowest)}\` | ${ofSlowest.join(' | ')} |`
}

const summaries = [
  '/api/users/summary',
  '/api/users/summary?search=user77',
  '/api/premium-numbers/summary',
  '/api/premium-numbers/summary?search=44',
  '/api/premium-numbers/summary?search=zq',
  '/api/number-inventory/summary',
  '/api/number-inventory/summary?search=user77',
  '/api/numbers/summary',
  '/api/numbers/summary?search=user77',
  '/api/ranges/summary',
  '/api/number-requests/all/summary',
  '/api/audit/actions',
]

async function measureSummary(call: Call, path: string): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < roundsOfSlowest; round += 1) times.push(await time(call, path))
  return `| \`${path}\` | ${at(times, 0).toFixed(1)} | ${at(times, 0.5).toFixed(1)} | ${at(times, 0.95).toFixed(1)} |`
}

/** Measures and gives the tables of the report. */
export async function measureLists(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  const server = await startEmbedded({ dataDir })
  const database = openDatabase({ address: { host: server.host, database: 'postgres' } })
  try {
    await migrate(database.pool)
    await fill(database.db)
    const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(server.host)}`
    const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
    try {
      const admin = await signInAsAdmin(gateway.url)
      await giveNumbers(database.db, await makeClient(admin, 'benchclient'))
      const client = await signInAs(gateway.url, 'benchclient')
      const lines: string[] = []
      for (const list of lists)
        for (const sort of list.sorts) {
          const line = await measureSort(list.viewer === 'admin' ? admin : client, list, sort)
          console.log(line)
          lines.push(line)
        }
      const totals: string[] = []
      for (const path of summaries) totals.push(await measureSummary(admin, path))
      return [
        '| first page of | sorted by | questions | p50 ms | p95 ms | the slowest of them | least ms | p50 ms | p95 ms |',
        '|---|---|---|---|---|---|---|---|---|',
        ...lines,
        '',
        '| totals | least ms | p50 ms | p95 ms |',
        '|---|---|---|---|',
        ...totals,
      ].join('\n')
    } finally {
      await gateway.stop()
    }
  } finally {
    await database.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
