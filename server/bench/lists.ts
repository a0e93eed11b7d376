// Measures the console's lists over HTTP with 100,000 numbers, 10,000 users and 10,000 requests stored.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute, openDatabase, type Db } from '../src/platform/db.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/migrate.ts'
import { startGateway } from './children.ts'
import { signInAsAdmin, benchPassword } from './operator.ts'

const rounds = 40

/** First pages as the console asks for them: plain, filtered, sorted, and searched as somebody types. */
const asked: readonly (readonly [name: string, path: (round: number) => string])[] = [
  ['users', () => '/api/users'],
  ['users, search', (round) => `/api/users?search=user${round}`],
  ['users, by name', () => '/api/users?sort=username&order=asc&status=active'],
  ['users, summary', () => '/api/users/summary'],
  ['rates of users', () => '/api/admin/users'],
  ['premium numbers', () => '/api/premium-numbers'],
  ['premium numbers, search', (round) => `/api/premium-numbers?search=${4400 + round}`],
  ['premium numbers, country, by rate', () => '/api/premium-numbers?country=Germany&sort=rate'],
  ['premium numbers, nothing found', (round) => `/api/premium-numbers?search=zzq${round}`],
  ['premium numbers, summary', () => '/api/premium-numbers/summary'],
  ['inventory', () => '/api/number-inventory'],
  ['inventory, available, search', (round) => `/api/number-inventory?status=available&search=${50 + round}`],
  ['inventory, summary', () => '/api/number-inventory/summary'],
  ['account numbers', () => '/api/numbers'],
  ['account numbers, search a client', (round) => `/api/numbers?search=user${round}`],
  ['account numbers, summary', () => '/api/numbers/summary'],
  ['ranges', () => '/api/ranges'],
  ['requests', () => '/api/number-requests/all'],
  ['requests, pending', () => '/api/number-requests/all?status=pending'],
  ['audit', () => '/api/audit'],
]

async function fill(db: Db): Promise<void> {
  await execute(
    db,
    `insert into users (username, email, first_name, last_name, password_hash, role, status)
       select 'user' || i, 'user' || i || '@example.org', 'First' || i, 'Last' || (i % 977), 'x', 'user',
         case when i % 20 = 0 then 'suspended' else 'active' end from generate_series(1, 10000) i;
     insert into ranges (range_number, start_number, end_number, tariff_micro)
       select 'R' || i, '44' || lpad(i::text, 3, '0') || '00000', '44' || lpad(i::text, 3, '0') || '99999', 100000
       from generate_series(0, 99) i;
     insert into numbers (number, description, country, country_code, holder_id, held_from, account_number, tariff_micro)
       select '44' || lpad((i % 100)::text, 3, '0') || lpad((i / 100)::text, 5, '0'), 'Line ' || i,
         (array['United Kingdom', 'Germany', 'France', 'Spain'])[1 + i % 4], (array['+44', '+49', '+33', '+34'])[1 + i % 4],
         case when i % 3 = 0 then null else 1 + i % 10000 end, case when i % 3 = 0 then null else now() end,
         'ACC-' || (1001 + i), 1000 * (i % 5000)
       from generate_series(0, 99999) i;
     insert into number_holders (number_id, user_id, held_from) select id, holder_id, held_from from numbers where holder_id is not null;
     insert into number_requests (user_id, business_purpose, expected_volume, status)
       select 1 + i % 10000, 'Votes', '1-50', (array['pending', 'approved', 'rejected'])[1 + i % 3] from generate_series(1, 10000) i;
     analyze;`,
  )
}

/** Measures and gives the table of the report. */
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
      const call = await signInAsAdmin(gateway.url)
      const lines: string[] = []
      for (const [name, path] of asked) {
        const times: number[] = []
        for (let round = 0; round < rounds; round += 1) {
          const begun = performance.now()
          await call('GET', path(round))
          times.push(performance.now() - begun)
          // A person may make 100 calls a second.
          await new Promise((settle) => setTimeout(settle, 12))
        }
        const sorted = times.toSorted((one, other) => one - other)
        const at = (share: number) => (sorted[Math.floor((rounds - 1) * share)] ?? 0).toFixed(1)
        lines.push(`| ${name} | ${at(0.5)} | ${at(0.95)} |`)
      }
      return ['| first page over HTTP | p50 ms | p95 ms |', '|---|---|---|', ...lines].join('\n')
    } finally {
      await gateway.stop()
    }
  } finally {
    await database.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
