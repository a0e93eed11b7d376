// The whole API with two accounts that send and hold numbers, staff, and links: what one of them must never read of the rest.
import { sql } from 'kysely'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { rows, type Db } from '../../src/platform/db.ts'
import type { IngestMessage } from '../../src/ingest/index.ts'
import { Answers, makeIngest, messageTo } from '../../src/ingest/testing/traffic.ts'
import { composeOn, serve } from '../environment/slices.ts'
import { openTestDatabase, idFrom } from '../environment/database.ts'
import { addressOf } from '../money/billing.ts'
import { anEntity, ownCompany } from '../money/invoices.ts'

// Alpha and Bravo are accounts with SMPP access that hold numbers too; Charlie only holds one. The names of all but Alpha are
// what no answer to Alpha may contain.
const people = {
  ada: { id: 1, username: 'ada-admin', role: 'admin' },
  eve: { id: 2, username: 'eve-admin', role: 'admin' },
  sam: { id: 3, username: 'sam-support', role: 'support' },
  alpha: { id: 4, username: 'alpha', role: 'user' },
  bravo: { id: 5, username: 'bravo', role: 'user' },
  charlie: { id: 6, username: 'charlie', role: 'user' },
} as const satisfies Record<string, { id: number; username: string; role: Role }>
type Person = keyof typeof people

const bravoCount = 1_304

const othersCount = 731
/** Figures of the whole business and of Bravo: records, numbers, and what Bravo's bill came to. */
export const foreignFigures = [
  bravoCount,
  bravoCount - 4,
  bravoCount + 12,
  bravoCount + 7,
  othersCount + 6,
  '95.03',
]

export interface SideAnswer {
  readonly status: number
  readonly type: string
  readonly content: Buffer
}

async function openApi() {
  const database = await openTestDatabase({ user: 'tollgate_app' })
  const slices = await composeOn(database)
  // A key is a person's name and role; the person signed in just now.
  const baseUrl = await serve(slices, async ({ key = '' }) => {
    const [name = '', role] = key.split(',')
    const { id, username } = people[name as Person]
    return { userId: id, username, role: role as Role, authenticatedAt: new Date() }
  })
  return { db: database.db, address: database.address, slices, baseUrl }
}

/** Serves the API over the business of two accounts until the test file ends. */
export async function openTwoAccounts() {
  const { address, db, slices, baseUrl } = await openApi()
  const fetchAs = async (
    person: Person,
    role: Role,
    path: string,
    init: RequestInit = {},
  ): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${person},${role}`)
    const answer = await fetch(`${baseUrl}${path}`, { ...init, headers })
    // A person may make a hundred calls a second.
    if (answer.status !== 429) return answer
    await answer.body?.cancel()
    await new Promise((resolve) => setTimeout(resolve, 200))
    return fetchAs(person, role, path, init)
  }
  /** Changes something as this person; throws on a refusal. */
  async function act(person: Person, method: string, path: string, body: object = {}) {
    const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await fetchAs(person, people[person].role, path, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? {} : JSON.parse(text)) as { id: string } & Record<string, string>
  }
  const environment = { db, slices, act }
  await addPeople(db)
  const numbers = await addNumbers(environment)
  await addLinks(environment)
  const sent = await addTraffic(environment, numbers)
  await addSmpp(db, numbers)
  await addHolds(db)
  const own = await addBusiness(environment)
  await addMoney(environment)
  return {
    db,
    address,
    slices,
    routes: slices.routes,
    /** More messages to each of Alpha's numbers, in the open cycle; gives their ids. */
    sendMore: (count: number) => addMore(environment, numbers, count),
    numbers,
    sent,
    own,
    people,
    async get(person: Person, role: Role, path: string): Promise<SideAnswer> {
      // An event stream has no end: its first events are enough.
      const isStream = path.startsWith('/api/events?')
      const stop = new AbortController()
      const answer = await fetchAs(person, role, path, { signal: stop.signal })
      const content =
        isStream && answer.ok ? await firstEvents(answer) : Buffer.from(await answer.arrayBuffer())
      if (isStream) stop.abort()
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', content }
    },
  }
}

type TwoAccounts = Pick<Awaited<ReturnType<typeof openApi>>, 'db' | 'slices'> & {
  readonly act: (
    person: Person,
    method: string,
    path: string,
    body?: object,
  ) => Promise<{ id: string } & Record<string, string>>
}

/** Up to the first event with data; of a stream that has none, what comes within a second. */
async function firstEvents(answer: Response): Promise<Buffer> {
  const reader = answer.body?.getReader()
  const end = setTimeout(() => void reader?.cancel(), 1_000)
  let read = Buffer.alloc(0)
  while (!read.includes('\ndata: ')) {
    const { value } = (await reader?.read()) ?? {}
    if (value === undefined) break
    read = Buffer.concat([read, value])
  }
  clearTimeout(end)
  return read
}

async function addPeople(db: Db): Promise<void> {
  for (const { id, username, role } of Object.values(people)) {
    const name = username.replace(/^./, (letter) => letter.toUpperCase())
    await sql`insert into users (username, email, first_name, last_name, password_hash, role, smpp_access)
      values (${username}, ${`${username}@mail.example`},
        ${name}, 'Lastname', 'x', ${role}, ${id === 4 || id === 5})`.execute(db)
  }
}

/** By name: whose number it is. */
async function addNumbers({ act, db }: TwoAccounts) {
  await act('ada', 'POST', '/api/ranges', {
    rangeNumber: 'R-ALL',
    startNumber: '447700900000',
    endNumber: '447700909999',
    rate: '1.50',
  })
  const digits = {
    alpha: '447700900111',
    alphaPaid: '447700900112',
    bravo: '447700902221',
    bravoPaid: '447700902222',
    charlie: '447700903331',
    free: '447700904441',
  }
  const ids: Record<string, string> = {}
  for (const [name, number] of Object.entries(digits)) {
    const holder = name.replace('Paid', '')
    const made = name.endsWith('Paid')
      ? await act('ada', 'POST', '/api/number-inventory', { number, pricePerSms: '0.21' })
      : await act('ada', 'POST', '/api/premium-numbers', {
          number,
          description: `line of ${holder}`,
          rate: '1.50',
        })
    ids[name] = made.id
    if (holder !== 'free')
      await act('ada', 'PUT', `/api/number-inventory/${made.id}/assign`, {
        userId: people[holder as Person].id,
      })
  }
  // Enough others that the count of all numbers is a figure of its own.
  await sql`insert into numbers (number) select (447700950000 + i)::text
    from generate_series(1, ${othersCount}::int) i`.execute(db)
  await act('ada', 'PUT', `/api/admin/users/${people.bravo.id}/sms-rate`, { customSmsRate: '0.0731' })
  return { digits, ids }
}

async function addLinks({ act, db, slices }: TwoAccounts): Promise<void> {
  await act('sam', 'POST', '/api/smpp-connections', {
    name: 'west-upstream',
    host: 'west.upstream.example',
    systemId: 'westid',
    password: 'secret08',
  })
  await act('ada', 'POST', '/api/providers', {
    name: 'north-provider',
    apiUrl: 'https://north.provider.example/',
    apiKey: 'north-key',
  })
  for (const { id, username } of [people.alpha, people.bravo]) {
    const encrypted = slices.secrets.encrypt('secret08', `smpp_credentials.encrypted_password:${id}`)
    await sql`insert into smpp_credentials (user_id, system_id, encrypted_password)
      values (${id}, ${`${username}-esme`}, ${encrypted})`.execute(db)
  }
  await sql`insert into gateways (source, name, user_id) values (0, 'alpha-esme', 4), (0, 'bravo-esme', 5),
    (1, 'west-upstream', null), (2, 'north-provider', null)`.execute(db)
}

/** Gives the message ids: what Alpha's number received, what Alpha sent to Charlie, and what Bravo's number received. */
async function addTraffic({ db, slices }: TwoAccounts, { digits }: Awaited<ReturnType<typeof addNumbers>>) {
  const ingest = await makeIngest(db, { secrets: slices.secrets })
  const send = async (count: number, number: string, over: Partial<IngestMessage>): Promise<string[]> => {
    const answers = new Answers()
    for (let nth = 0; nth < count; nth += 1) ingest.accept(messageTo(number, answers, over))
    await answers.until(count)
    return [...answers.committedIds.keys()]
  }
  const [alpha, bravo, west, north] = [1, 2, 3, 4]
  const received = [
    ...(await send(3, digits.alpha, { gatewayId: bravo, displayedSourceAddress: '4915100000001' })),
    ...(await send(2, digits.alpha, { gatewayId: west, source: 'connection' })),
    ...(await send(2, digits.alphaPaid, { gatewayId: north, source: 'provider' })),
  ]
  const toCharlie = await send(5, digits.charlie, { gatewayId: alpha })
  const ofBravo = [
    ...(await send(bravoCount - 4, digits.bravo, {
      gatewayId: west,
      displayedSourceAddress: '4915199999999',
    })),
    ...(await send(4, digits.bravoPaid, { gatewayId: bravo, displayedSourceAddress: '4915199999999' })),
  ]
  ingest.refuse({ digits: '447700908881', gatewayId: alpha }, 'unknown')
  ingest.refuse({ digits: '447700908882', gatewayId: bravo }, 'unknown')
  await ingest.stop()
  return { received, toCharlie, ofBravo }
}

async function addMore(
  { db, slices }: TwoAccounts,
  { digits }: Awaited<ReturnType<typeof addNumbers>>,
  count: number,
): Promise<string[]> {
  const ingest = await makeIngest(db, { secrets: slices.secrets })
  const answers = new Answers()
  for (const number of [digits.alpha, digits.alphaPaid])
    for (let nth = 0; nth < count; nth += 1)
      ingest.accept(
        messageTo(number, answers, {
          gatewayId: 3,
          source: 'connection',
          displayedSourceAddress: `49151${nth}0000001`,
        }),
      )
  await answers.until(2 * count)
  await ingest.stop()
  return [...answers.committedIds.keys()]
}

async function addSmpp(db: Db, { digits }: Awaited<ReturnType<typeof addNumbers>>): Promise<void> {
  await sql`insert into nodes (id, host, roles) values ('n9', 'node-nine', '{smpp,web,worker}')`.execute(db)
  await sql`insert into binds (id, node_id, user_id, system_id, bind_type, interface_version, remote_address)
    values ('b1', 'n9', 4, 'alpha-esme', 'transceiver', '3.4', '192.0.2.4'),
      ('b2', 'n9', 5, 'bravo-esme', 'transceiver', '3.4', '192.0.2.55')`.execute(db)
  await sql`insert into refused_binds (hour, reason, system_id, address, refused_count, last_at)
    select date_trunc('hour', now(), 'UTC'), 'wrong_credentials', name, address, 3, now()
    from (values ('alpha-esme', '192.0.2.4'), ('bravo-esme', '192.0.2.55')) t (name, address)`.execute(db)
  // Receipts of what was sent, and deliveries of what was received.
  await sql`insert into bind_deliveries (user_id, kind, record_created_at, record_id, status, attempts, error)
    select g.user_id, 'receipt', r.created_at, r.id, 'pending', 2, 'No answer in time.'
    from records r join gateways g on g.id = r.gateway_id where g.user_id is not null
    union all
    select r.client_id, 'record', r.created_at, r.id, 'failed', 2, 'Refused by the peer.'
    from records r join numbers n on n.id = r.number_id where n.number = ${digits.bravo}`.execute(db)
}

/** Every record of Alpha and Bravo was held once, and released by support. */
async function addHolds(db: Db): Promise<void> {
  await sql`with held as (
      insert into holds (user_id, number_id, rule, explanation, score, amount_micro, record_count, status, decided_by,
        decided_at, decided_cycle_id, decision_reason, created_at)
      select client_id, min(number_id), 'duplicate', 'The same message came before.', 60, sum(amount_micro), count(*),
        'released', ${people.sam.id}, now(), min(cycle_id), 'what staff think of ' || client_id, now()
      from records where client_id in (4, 5) group by client_id returning id, user_id
    )
    insert into hold_records (record_id, record_created_at, hold_id, cycle_id, settlement, amount_micro, user_id,
      number_id, rate_id)
    select r.id, r.created_at, held.id, r.cycle_id, r.settlement, r.amount_micro, r.client_id, r.number_id, r.rate_id
    from records r join held on held.user_id = r.client_id`.execute(db)
  await sql`update hold_records set outcome = 'released', decided_cycle_id = cycle_id`.execute(db)
}

/** What an account keeps; gives the ids of Alpha's. */
async function addBusiness({ act, db }: TwoAccounts) {
  const own: Record<string, string> = {}
  for (const person of ['bravo', 'charlie', 'alpha'] as const) {
    const hook = await act(person, 'POST', '/api/user/endpoints', {
      name: `${person} hook`,
      endpoint: `https://${person}.hooks.example/`,
    })
    const delivery = await idFrom(db)`insert into endpoint_deliveries (endpoint_id, type, subject, data,
          status)
        values (${hook.id}::int, 'request.updated', '7', '{"id":"7"}', 'failed') returning id`
    await act(person, 'POST', '/api/number-requests', {
      businessPurpose: `purpose of ${person}`,
      expectedVolume: '1-50',
    })
    await act(person, 'POST', '/api/keys', { name: `key of ${person}`, scopes: ['records:read'] })
    await act(person, 'PUT', '/api/user/profile', {
      fullName: `Payee ${person}`,
      usdtAddress: addressOf(people[person].id),
    })
    await act('sam', 'POST', '/api/notes', {
      objectType: 'user',
      objectId: String(people[person].id),
      text: `a note of staff about ${person}`,
    })
    Object.assign(own, { endpointId: hook.id, deliveryId: delivery })
  }
  const waiting = await rows<{ id: string }>(db, sql`select id from number_requests order by id`)
  for (const { id } of waiting)
    await act('sam', 'PUT', `/api/number-requests/${id}/process`, {
      action: 'reject',
      rejectionReason: 'None is free.',
    })
  return own
}

/** Closes a cycle, and does with each account's bill what staff do. */
async function addMoney({ act, db, slices }: TwoAccounts): Promise<void> {
  await act('ada', 'PUT', '/api/billing/own-company', ownCompany)
  for (const { id, username } of [people.alpha, people.bravo])
    await act('sam', 'PUT', `/api/billing/legal-entities/${id}`, {
      ...anEntity,
      legalName: `${username} Ltd`,
    })
  await sql`update cycles set starts_at = now() - interval '7 days', ends_at = now() - interval '1 second'
    where closed_at is null`.execute(db)
  await slices.billing.closeDueCycles()
  const billOf = (person: 'alpha' | 'bravo') => `/api/billing/periods/1-${people[person].id}`
  for (const person of ['alpha', 'bravo'] as const) {
    const reason = `what staff think of ${person}`
    await act('sam', 'PUT', `${billOf(person)}/withhold`, { reason, clientReason: 'We are checking it.' })
    await act('sam', 'PUT', `${billOf(person)}/resume`, { reason })
    await act('ada', 'POST', `${billOf(person)}/credit-notes`, {
      reason,
      amount: '0.05',
      clientReason: 'As agreed.',
    })
    await act('ada', 'POST', '/api/billing/adjustments', {
      userId: people[person].id,
      amount: '0.03',
      reason: 'As agreed.',
    })
  }
  await slices.billing.signStatements()
  await slices.billing.issueInvoices()
  await act('sam', 'PUT', `${billOf('bravo')}/pay`, { transactionHash: 'b'.repeat(64) })
  // From now on each act waits for a second person.
  await sql`insert into settings (key, value) values ('second_person_above', '0')`.execute(db)
  await act('sam', 'PUT', `${billOf('alpha')}/pay`, { transactionHash: 'a'.repeat(64) })
  for (const { id } of await rows<{ id: string }>(db, sql`select id from payouts where user_id in (4, 5)`))
    await act('sam', 'PUT', `/api/payouts/${id}/process`, { reason: 'by hand' })
}
