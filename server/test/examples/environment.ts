// A gateway in which the example of every call can be made: people, numbers, and bills and payouts of a closed cycle. The
// things that one call changes are made for that call alone.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll } from 'vitest'
import { keyScopes, roles, type Role } from '@tollgate/contract/vocabulary.ts'
import { readConfig, type Config } from '../../src/platform/process/config.ts'
import { openDatabase, rows, type Db } from '../../src/platform/db.ts'
import { setReplicaOf } from '../../src/platform/failover/read-replica.ts'
import { toAddress } from '../../src/rates/index.ts'
import type { Ingest } from '../../src/ingest/index.ts'
import { Answers, messageTo } from '../../src/ingest/testing/traffic.ts'
import { findOpenCycle } from '../../src/ledger/index.ts'
import { composeOn, serve } from '../environment/slices.ts'
import { wallet } from '../money/money-actions-environment.ts'
import { afterUse, fixedClock, openTestDatabase, type TestDatabase } from '../environment/database.ts'

// People 1 to 3 are clients, 4 and 5 support, 6 and 7 admins. From 8 on each client has a bill and a payout.
const firstClient = 8
const clientCount = 60

export type ExamplesEnvironment = Awaited<ReturnType<typeof openExamplesEnvironment>>

export async function openExamplesEnvironment() {
  const database = await openTestDatabase({ user: 'tollgate_app', maxConnections: 10 })
  const { db } = database
  const clock = fixedClock(new Date())
  await addBusiness(db)
  const replica = addReadReplica(database)
  const config: Config = {
    ...readConfig({
      EGRESS_ALLOW: '127.0.0.0/8',
      // Mails are written and never sent: no job runs.
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'Gateway <gateway@example.com>',
      PUBLIC_URL: 'http://localhost:80',
    }),
    roles: new Set(),
  }
  const slices = await composeOn(database, { config, clock })
  await slices.start()
  const baseUrl = await serve(
    slices,
    // `7,admin` is a person, `1,user,records:read` a key with its scopes.
    async (credentials) => {
      const { key = '' } = credentials
      const [userId = '', role = '', ...scopes] = key.split(',')
      if (!roles.includes(role as Role)) return slices.findActor(credentials)
      const person = { userId: Number(userId), username: `u${userId}`, role: role as Role }
      return scopes.length === 0
        ? { ...person, authenticatedAt: clock.now() }
        : { ...person, keyId: 'k', scopes: keyScopes.filter((scope) => scopes.includes(scope)) }
    },
    clock,
  )
  afterAll(() => slices.stop())
  const sent = await sendToAll(db, slices.ingest)
  const open = await findOpenCycle(db)
  clock.set(open?.endsAt ?? clock.now())
  await slices.billing.closeDueCycles()
  await slices.billing.signStatements()

  let clients = firstClient
  return {
    db,
    clock,
    baseUrl,
    slices,
    replica,
    cycleId: open?.id ?? 0,
    /** The next client whose bill and payout nobody has touched. */
    nextClient: () => clients++,
    messageIdTo: (digits: string) => [...sent].find(([, { digits: to }]) => to === digits)?.[0] ?? '',
    ...callsOf(baseUrl),
  }
}

/** Connections that write nothing stand in for the read replica. Counts the statements' connections taken from it. */
function addReadReplica({ db, address }: TestDatabase) {
  const replica = openDatabase({ address, serverSettings: { default_transaction_read_only: 1 } })
  afterUse(() => replica.close())
  let useCount = 0
  replica.pool.on('acquire', () => (useCount += 1))
  setReplicaOf(db, { db: replica.db, ageFor: async () => 0 })
  return { useCount: () => useCount }
}

function callsOf(baseUrl: string) {
  /** Calls as this person or key, with this cookie, or as nobody; again when it called too often. */
  const ask = async (who: string, method: string, path: string, body?: unknown): Promise<Response> => {
    for (;;) {
      const answer = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          ...(who === '' || who.startsWith('sid=') ? { cookie: who } : { authorization: `Bearer ${who}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (answer.status !== 429) return answer
      await answer.body?.cancel()
      await sleep(1_000 * Number(answer.headers.get('retry-after')))
    }
  }
  /** Makes a call that prepares another one; throws when it is refused. */
  async function done<T = { id: string }>(
    who: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> {
    const answer = await ask(who, method, path, body)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  return { ask, done }
}

/** Sends a message to each number; they are stored. Returns them by their ids. */
async function sendToAll(db: Db, ingest: Ingest): Promise<Answers['committedIds']> {
  const numbers = await rows<{ number: string }>(db, sql`select number from numbers order by id`)
  const answers = new Answers()
  for (const { number } of numbers) ingest.accept(messageTo(number, answers))
  await answers.until(numbers.length)
  return answers.committedIds
}

async function addBusiness(db: Db): Promise<void> {
  await sql`insert into users (username, email, first_name, last_name, password_hash, role, smpp_access)
    select 'u' || i, 'u' || i || '@example.org', 'U', 'U', 'x',
      case when i < 4 or i > 7 then 'user' when i > 5 then 'admin' else 'support' end, true
    from generate_series(1, ${firstClient + clientCount - 1}::int) i order by i`.execute(db)
  await sql`insert into settings (key, value) values ('treasury_addresses', ${wallet})`.execute(db)
  await sql`insert into gateways (source, name, user_id) values (0, 'u1', 1)`.execute(db)
  await sql`insert into ranges (range_number, start_number, end_number, tariff_micro)
    values ('R1', '447700000000', '447700999999', 1500000)`.execute(db)
  // A number on the weekly bill and one with a price of its own for each client.
  await sql`insert into numbers (number, holder_id, price_micro)
    select (447700000000 + u.id * 10 + k)::text, u.id, case k when 1 then 500000 end
    from users u, generate_series(0, 1) k where u.role = 'user'`.execute(db)
  await sql`insert into rates (scope, number_id, rate_micro, valid_from)
    select 'number', id, price_micro, '1970-01-01' from numbers where price_micro is not null`.execute(db)
  await sql`insert into number_holders (number_id, user_id, held_from)
    select id, holder_id, '2020-01-01' from numbers where holder_id is not null`.execute(db)
  await sql`insert into payment_profiles (user_id, usdt_address)
    select id, address from unnest(${clientIds}::int[], ${clientIds.map(addressOf)}::text[])
      p (id, address)`.execute(db)
}

const clientIds = [1, ...Array.from({ length: clientCount }, (_, at) => firstClient + at)]

const addressOf = (client: number): string => toAddress(client.toString(16).padStart(40, '0'))
