// The ids that peers were answered with, as exports and CDR files have them, also when the texts are deleted.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { messageIdForms } from '@tollgate/contract/vocabulary.ts'
import { openTestApi } from '../../test/http/api.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { cdrFilesOf, nodeOn } from '../../test/traffic/cdr.ts'
import { submit } from '../../test/traffic/client.ts'
import { openTestGateway, secrets } from '../../test/traffic/gateway.ts'
import { afterUse, silentLog, untilFinal } from '../../test/environment/database.ts'
import { readParquet } from '../../test/files/parquet.ts'
import { temporaryFolder } from '../../test/environment/temporary-folder.ts'
import { systemClock } from '../platform/clock.ts'
import { row } from '../platform/db.ts'
import { createEgress } from '../platform/security/egress.ts'
import { retentionJobs } from '../records/index.ts'
import { composeReads } from '../compose-reads.ts'
import { recordsPerBatchId } from '../ingest/index.ts'
import { insertAnsweredIds, pruneAnsweredIds } from './message/answered-ids.ts'
import { peerMessageIds } from './message/peer-message-ids.ts'

const environment = await openTestGateway()
const { db, node } = environment
const never = new AbortController().signal

/** Exports and CDR files of the bench's records, for an admin. */
async function openReads() {
  const folder = await temporaryFolder()
  const egress = createEgress([])
  const files = nodeOn(db, { egress, cdrDir: folder, dataDir: join(folder, '.data'), secrets })
  const reads = composeReads({
    db,
    clock: systemClock,
    secrets,
    audit: createTestAudit({ db, clock: systemClock }),
    currentActor: async (actor) => actor,
    peerMessageIds,
    onFault: (error) => expect.unreachable(error.message),
  })
  const api = await openTestApi([...files.routes, ...reads.routes])
  const { userId, systemId: username } = await environment.account()
  const cookie = api.signIn({ userId, username, role: 'admin' })
  await files.start({ delivers: true })
  afterUse(async () => {
    await files.stop()
    await egress.close()
  })
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    api.call(method, path, { cookie, ...(body !== undefined && { body }) })
  return { folder, call }
}

const { folder, call } = await openReads()
const { endPeriod, delivered } = cdrFilesOf(db, call)
const columns = 'phoneNumber,peerMessageId,peerReference'

/** A record's destination, the id that its peer was answered with, and the peer's own reference. */
type Line = readonly [string, string, string]

const inOrder = (lines: readonly Line[]) => lines.toSorted(([one], [other]) => Number(one) - Number(other))

function csvLines(text: string): readonly Line[] {
  const [header, ...lines] = text.trimEnd().split('\r\n')
  expect(header).toBe(columns)
  return inOrder(lines.map((line) => line.split(',') as unknown as Line))
}

async function parquetLines(file: Buffer): Promise<readonly Line[]> {
  const found = await readParquet(file)
  return inOrder(
    found.map(
      (each) =>
        columns.split(',').map((name) => String((each[name] ?? '') as string | number)) as unknown as Line,
    ),
  )
}

async function exported(): Promise<Record<'csv' | 'parquet', readonly Line[]>> {
  const csv = await call('GET', `/api/records/export?columns=${columns}`)
  const parquet = await call('GET', `/api/records/export/parquet?columns=${columns}`)
  return { csv: csvLines(csv.text), parquet: await parquetLines(parquet.rawPayload) }
}

async function schedule(format: 'csv' | 'parquet') {
  const destination = { type: 'folder', path: format }
  const { status, body } = await call('POST', '/api/cdr-schedules', {
    name: format,
    every: 'day',
    format,
    columns,
    destination,
  })
  expect(status).toBe(201)
  const id: string = body.id
  return {
    /** The records of all its files so far. */
    async lines(): Promise<readonly Line[]> {
      const made = await delivered(id, 1)
      const contents = made.map(({ name }) => readFileSync(join(folder, format, name)))
      const lines = await Promise.all(
        contents.map(async (each) => (format === 'csv' ? csvLines(each.toString()) : parquetLines(each))),
      )
      return inOrder(lines.flat())
    },
    async sendAgain(): Promise<void> {
      for (const file of await delivered(id, 1))
        expect((await call('POST', `/api/cdr-schedules/${id}/files/${file.id}/send`)).status).toBe(202)
    },
  }
}

/** A supplier of each form and version sends a message with a reference and one without. */
async function sendInAllForms(): Promise<Line[]> {
  const answered: Line[] = []
  for (const form of messageIdForms)
    for (const interfaceVersion of [0x34, 0x33]) {
      const account = await environment.account()
      await sql`update users set smpp_message_id_form = ${form} where id = ${account.userId}`.execute(db)
      const { peer } = await node.tryBind(account.systemId, { interfaceVersion })
      const [plain, named] = [await environment.number(), await environment.number()]
      const tlvs = [makeTlv(tags.userMessageReference, 4_711 + answered.length)]
      const [id = ''] = await submit(peer, plain, ['one'])
      const [other = ''] = await submit(peer, named, ['two'], { tlvs })
      answered.push([plain, id, ''], [named, other, String(4_711 + answered.length)])
    }
  return answered
}

/** All messages of a submit_multi have the id of its one answer. */
async function sendToMany(): Promise<Line[]> {
  const account = await environment.account()
  await sql`update users set smpp_message_id_form = 'hex' where id = ${account.userId}`.execute(db)
  const peer = await node.bound(account)
  const numbers = [await environment.number(), await environment.number(), await environment.number()]
  peer.send('submit_multi', 5, {
    sourceAddr: '4915112345678',
    destinations: numbers.map((address) => ({ kind: 'address' as const, ton: 1, npi: 1, address })),
    shortMessage: Buffer.from('all'),
  })
  const { body } = await peer.next()
  const { messageId } = body as { messageId: string }
  return numbers.map((digits) => [digits, messageId, ''])
}

async function deleteTexts(): Promise<void> {
  const inAMonth = { now: () => new Date(Date.now() + 30 * 86_400_000) }
  const jobs = retentionJobs({ db, clock: inAMonth, log: silentLog, textDays: 7, recordMonths: 0 })
  await jobs.find(({ name }) => name === 'forget-texts')?.run(never)
  expect(await row(db, sql`select count(encrypted_bodies)::int as kept from record_batches`)).toEqual({
    kept: 0,
  })
}

test('exports and CDR files have the ids that the peers were answered with, in every form, also without texts', async () => {
  const [csv, parquet] = [await schedule('csv'), await schedule('parquet')]
  const answered = inOrder([...(await sendInAllForms()), ...(await sendToMany())])
  const ids = answered.map(([, id]) => id)
  // Text, and numbers with and without zeros in front, which short ones have.
  for (const form of [/^[0-9A-Z]{26}$/, /^[1-9]\d*$/, /^0[0-9A-Z]{7}$/])
    expect(ids.filter((id) => form.test(id)).length).toBeGreaterThan(1)
  await untilFinal(db)
  await endPeriod()
  expect(await exported()).toEqual({ csv: answered, parquet: answered })
  expect(await csv.lines()).toEqual(answered)
  expect(await parquet.lines()).toEqual(answered)

  await deleteTexts()
  await sql`update answered_ids set created_at = now() - interval '1 year'`.execute(db)
  expect(await pruneAnsweredIds(db, 100)).toBe(0)
  expect(await exported()).toEqual({ csv: answered, parquet: answered })
  await csv.sendAgain()
  await parquet.sendAgain()
  expect(await csv.lines()).toEqual(answered)
  expect(await parquet.lines()).toEqual(answered)
})

test('the id of a submit_multi goes with its records', async () => {
  await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    values (nextval('transaction_ids'), now(), 1, now(), now(), now())`.execute(db)
  const oldest = await row<{ batchId: string }>(db, sql`select min(id) as "batchId" from record_batches`)
  const first = Number(oldest?.batchId) * recordsPerBatchId
  await insertAnsweredIds(db, [first - 2, first - 1, first], 'GONE')
  // The nodes of the environment do it beside this.
  while ((await pruneAnsweredIds(db, 1)) > 0);
  const left = await row(
    db,
    sql`select array_agg(record_id::float8) as ids from answered_ids where answered_id = 'GONE'`,
  )
  expect(left).toEqual({ ids: [first] })
})
