// A database in which one sender stands in every table that has senders, and others that only look alike.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { openTestApi } from '../../../test/http/api.ts'
import { createTestAudit } from '../../../test/people/audit.ts'
import { afterUse, fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../../ingest/testing/traffic.ts'
import type { Db } from '../../platform/db.ts'
import { createSubscribers } from '../index.ts'

export const subscriber = '4915112345678'
/** A prefix, what goes on after it, what ends with it, and somebody else. */
export const others = ['491511234567', '49151123456789', '14915112345678', '447700900318']
/** People who act: clients are 1 and 2. */
export const people = { support: 10, ada: 11, bea: 12 }

/** A business with messages of the subscriber and of others, and an API with the slice's routes. */
export async function openSubscribers() {
  const { db } = await openTestDatabase()
  const clock = fixedClock(new Date())
  const audit = createTestAudit({ db, clock })
  const numbers = await makeBusiness(db, { clients: 2, numbers: 4 })
  for (const [username, id] of Object.entries(people))
    await sql`insert into users (id, username, email, first_name, last_name, password_hash, role) overriding system value
      values (${id}, ${username}, 'a@example.org', 'A', 'A', 'x', ${username === 'support' ? 'support' : 'admin'})`.execute(
      db,
    )
  const ingest = await makeIngest(db)
  afterUse(() => ingest.stop())
  const gatewayId = await ingest.gatewayId('smpp', 'acme', 1)
  const slice = createSubscribers({
    db,
    clock,
    secrets: testSecrets,
    audit,
    overload: { shouldWait: () => false },
  })
  const api = await openTestApi(slice.routes, undefined, clock)
  const cookies = Object.fromEntries(
    Object.entries(people).map(([username, userId]) => [
      username,
      api.signIn({ userId, username, role: username === 'support' ? 'support' : 'admin' }),
    ]),
  )
  /** Stores a message of each sender to each of the first two numbers. */
  async function send(...senders: string[]): Promise<void> {
    const answers = new Answers()
    for (const sender of senders)
      for (const number of numbers.slice(0, 2))
        ingest.accept(
          messageTo(number, answers, {
            displayedSourceAddress: sender,
            gatewayId,
            body: Buffer.from(`from ${sender}`),
          }),
        )
    await answers.until(senders.length * 2)
  }
  /** Stores the first segment of a long message to the first number. */
  async function sendSegment(sender: string): Promise<void> {
    const answers = new Answers()
    const body = Buffer.concat([Buffer.from('050003070201', 'hex'), Buffer.from('one')])
    ingest.accept(
      messageTo(numbers[0] ?? '', answers, {
        displayedSourceAddress: sender,
        gatewayId,
        body,
        esmClass: 0x40,
      }),
    )
    await answers.until(1)
  }
  const call = (who: keyof typeof people, path: string, body: unknown) =>
    api.call('POST', `/api/subscribers/${path}`, { body, cookie: cookies[who] })
  return { db, clock, audit, numbers, ingest, slice, api, cookies, send, sendSegment, call }
}

/** Puts the sender into each table beside the records. */
export async function placeEverywhere(db: Db, sender: string): Promise<void> {
  const add = async (text: string) => void (await sql`${sql.raw(text)}`.execute(db))
  await sql`insert into refused_messages select now(), 1, '447700000009', ${sender}, 'unknown', 11, 2, now()`.execute(
    db,
  )
  await sql`insert into sender_days select 1, current_date, 1, ${sender}, 3, 150000, repeat('0', 144)::bit(144), now(), now()`.execute(
    db,
  )
  await sql`with made as (
      insert into integrity_cases (rule, version_id, client_id, subject, day, level, from_day, facts, words, sender_count,
        message_count, amount_micro, first_at, created_at)
      values ('paced', 1, 1, ${`s${sender}`.slice(0, 4)} || nextval('holds_id_seq'), current_date, 'flag', current_date, '{}', '[]', 1, 1, 1, now(), now())
      returning id
    ) insert into integrity_members select id, ${sender} from made`.execute(db)
  await sql`insert into listed_senders (sender, is_block, reason, listed_by, listed_at)
    values (${sender}, false, 'Reported', 10, now())`.execute(db)
  await sql`with made as (
      insert into carrier_disputes (carrier, file_name, made_by, made_at, matched_until, matched_at)
      values ('Example Telecom', '', 10, now(), now(), now()) returning id
    ), line as (
      insert into carrier_dispute_lines (dispute_id, line, number, sender, from_at, until_at)
      select id, 2, '447700000001', ${sender}, now() - interval '1 day', now() from made returning dispute_id
    ) select dispute_id from line`.execute(db)
  await sql`insert into disputed_records (record_id, record_created_at, dispute_id, line, client_id, number_id, sender,
      cycle_id, settlement, amount_micro)
    select nextval('holds_id_seq') + 1000000000, now(), dispute_id, line, 1, 1, sender, 1, 1, 50000
    from carrier_dispute_lines where sender = ${sender}`.execute(db)
  await sql`with made as (
      insert into back_tests (version_id, from_day, until_day, made_by, made_at, done_at)
      values (1, current_date, current_date, 10, now(), now()) returning id
    ) insert into back_test_senders select id, 1, 'paced', ${sender}, current_date, current_date from made`.execute(
    db,
  )
  await sql`insert into long_messages (number_id, gateway_id, client_id, sender, reference, total, record_ids, created_ats,
      last_at, due_at, ended_at)
    values (1, 1, 1, ${sender}, 7, 2, '{1,2}', array[now(), now()], now(), now(), now())`.execute(db)
  await add(`insert into smpp_connections (id, name, host, port, use_tls, bind_type, system_id, encrypted_password, system_type,
      interface_version, source_ton, source_npi, dest_ton, dest_npi, throughput, answer_id_form, receipt_id_form)
    overriding system value values (1, 'West', 'smsc.example.com', 2775, false, 'transceiver', 'x', '', '', '3.4', 1, 1, 1,
      1, 0, 'text', 'text') on conflict do nothing`)
  await sql`insert into connection_sends (connection_id, sender, recipient, status, created_by)
    values (1, 'Tollgate', ${sender}, 'sent', 'ada')`.execute(db)
  await sql`insert into flight_pdus (link, session, at, direction, command, status, sequence, octets, fields)
    values ('bind-1', 's', now(), 'in', 'submit_sm', 0, 1, 60, jsonb_build_object('source_addr', ${sender}::text))`.execute(
    db,
  )
}

/** A row of a provider that names the sender and became no record. */
export async function placeDeadLetter(db: Db, sender: string): Promise<void> {
  const key = randomUUID()
  await sql`insert into providers (id, name, api_url, auth_type, poll_interval_ms, lookback_ms, gap_alarm_ms, mapping, is_enabled)
    overriding system value values (1, 'East', 'https://east.example.com', 'bearer', 5000, 0, 0, '{}', false)
    on conflict do nothing`.execute(db)
  const row = testSecrets.encrypt(
    JSON.stringify({ from: `+${sender}`, to: '447700000009', text: 'hello' }),
    `provider_dead_letters.encrypted_row:1:${key.replaceAll('-', '')}`,
  )
  await sql`insert into provider_dead_letters (provider_id, key, reason, explanation, external_id, number, row_timestamp,
      encrypted_row)
    values (1, ${key}::uuid, 'unknown_number', '', '1', '447700000009', '', ${row})`.execute(db)
}
