// Endpoints on a real database: a small business, ingest, a node that delivers, and an admin who calls the API.
import { sql } from 'kysely'
import { afterAll, expect } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { row, type Db } from '../../src/platform/db.ts'
import { createEgress, type OutgoingCall } from '../../src/platform/security/egress.ts'
import { createEndpoints, type Endpoints, type EndpointsDeps } from '../../src/endpoints/index.ts'
import {
  Answers,
  makeBusiness,
  makeIngest,
  messageTo,
  testSecrets,
} from '../../src/ingest/testing/traffic.ts'
import { parseMessageId, recordFlags, type Ingest, type IngestMessage } from '../../src/ingest/index.ts'
import type { Actor } from '../../src/http/handlers.ts'
import { openTestApi } from '../http/api.ts'
import { createTestAudit } from '../people/audit.ts'
import { eventually } from '../environment/eventually.ts'
import { openTestDatabase, silentLog, untilFinal } from '../environment/database.ts'

/** The fields of an ordinary PDU. */
const plainPdu = {
  sourceAddrTon: 1,
  sourceAddrNpi: 1,
  destAddrTon: 1,
  destAddrNpi: 1,
  serviceType: '',
  tlvs: [],
}

/** The codes of a record's status. */
export const recordStatus = { pending: 0, inProgress: 1, completed: 2, failed: 3, reported: 4 } as const

let reference = 0

/** Opens a node that delivers; all of it ends after the test file. */
export async function openTestEndpoints(over: Partial<EndpointsDeps> = {}) {
  const { db } = await openTestDatabase({ user: 'tollgate_app' })
  // client1 holds the second number, client2 the first; the third is nobody's.
  const numbers = await makeBusiness(db, { clients: 2, numbers: 3 })
  const { egress, timeOutAfter } = openImpatientEgress()
  const newNode = (): Endpoints =>
    createEndpoints({
      db,
      audit: createTestAudit({ db, clock: systemClock }),
      secrets: testSecrets,
      egress,
      log: silentLog,
      ...over,
    })
  let node = newNode()
  await node.start({ delivers: true })
  const ingest = await makeIngest(db, { hasDelivery: (id) => node.hasEndpoint(id), writerCount: 1 })
  const api = await openTestApi(node.routes)
  afterAll(async () => {
    await node.stop()
    await ingest.stop()
  })

  const call = api.as({ userId: 1, username: 'client1', role: 'admin' })
  const list = async () => (await call('GET', '/api/endpoints')).body
  /** Deletes all endpoints, and waits until ingest knows it: until then it stores messages as ones that wait for an endpoint. */
  const removeAll = async () => {
    for (const { id } of await list()) await call('DELETE', `/api/endpoints/${id}`)
    await eventually(async () => expect([1, 2].filter((client) => node.hasEndpoint(client))).toEqual([]))
  }
  return {
    db,
    numbers,
    call,
    callAs: (actor: Actor) => api.as(actor),
    /** Stops the node; {@link startNext} starts another one. */
    stopNode: () => node.stop(),
    startNext: async () => {
      node = newNode()
      await node.start({ delivers: true })
    },
    /** Adds an endpoint and waits until ingest knows it. */
    add: async (url: string, fields: { userId?: number | null; [field: string]: unknown } = {}) => {
      const { status, body } = await call('POST', '/api/endpoints', { name: 'CRM', endpoint: url, ...fields })
      expect(status).toBe(201)
      await eventually(async () => expect(node.hasEndpoint(fields.userId ?? 1)).toBe(true))
      return body
    },
    ...sendersTo(ingest, numbers),
    recordOf: async (messageId: string) => {
      const recordId = parseMessageId(messageId)?.recordId
      return row<{ status: number; client_report: number }>(
        db,
        sql`select status, client_report from records where id = ${recordId}`,
      )
    },
    show: async (id: string) => (await list()).find((each: { id: string }) => each.id === id),
    deliveries: async (id: string) => (await call('GET', `/api/endpoints/${id}/deliveries`)).body,
    /** Gives requests to this address another time-out than the ten seconds of all others. */
    timeOutAfter,
    /** Ends the pause before the next attempt of what failed. */
    hurry: (id: string) =>
      sql`update endpoint_deliveries set next_attempt_at = clock_timestamp()
        where endpoint_id = ${id}::int and status = 'pending' and attempts > 0`.execute(db),
    /** Deletes all endpoints, and waits until nothing more happens to what was sent: a new one receives none of it. */
    clear: () => removeAll().then(() => awaitQuiet(db)),
    removeAll,
  }
}

/** How tests have ingest store messages. */
const sendersTo = (ingest: Ingest, numbers: readonly string[]) => ({
  /** Has ingest store a message that carries times; returns its id. */
  timedSms: (times: IngestMessage['times']) =>
    store(ingest, messageTo(numbers[1] ?? '', new Answers(), { times })),
  /** Has ingest store the segments of a long message but those that are undefined; returns their ids. */
  longSms: (texts: readonly (string | undefined)[], digits = numbers[1] ?? '') =>
    storeLong(ingest, digits, texts),
  /** Has ingest store a message, which came in a PDU if `sent` is given; returns its id. */
  sms: (digits = numbers[1] ?? '', text?: string, sent?: Partial<IngestMessage['sent']>) =>
    store(ingest, messageTo(digits, new Answers(), { ...bodyOf(text), ...pduOf(sent) })),
})

/** Waits until no record waits for its delivery now, and everything that was written is below the log's horizon. */
async function awaitQuiet(db: Db): Promise<void> {
  const { pending, inProgress } = recordStatus
  // Those with times of their own may wait for hours.
  const isOver = sql`select not exists (select from records
    where status in (${pending}, ${inProgress}) and flags & ${recordFlags.hasTimes} = 0) as is_over`
  await eventually(async () => expect(await row(db, isOver)).toEqual({ is_over: true }))
  await untilFinal(db)
}

/** An egress guard that may give requests to an address a time-out of its own. */
function openImpatientEgress() {
  const egress = createEgress(['127.0.0.0/8'])
  const timeoutsMs = new Map<string, number>()
  afterAll(() => egress.close())
  return {
    egress: {
      call: (request: OutgoingCall) =>
        egress.call({ ...request, timeoutMs: timeoutsMs.get(request.url) ?? request.timeoutMs }),
    },
    timeOutAfter: (url: string, ms: number) => void timeoutsMs.set(url, ms),
  }
}

const bodyOf = (text: string | undefined) => (text === undefined ? {} : { body: Buffer.from(text, 'latin1') })
const pduOf = (sent: Partial<IngestMessage['sent']>) =>
  sent === undefined ? {} : { sent: { ...plainPdu, ...sent } }

async function store(ingest: Pick<Ingest, 'accept'>, message: IngestMessage): Promise<string> {
  const answers = new Answers()
  ingest.accept({ ...message, completion: answers })
  await answers.until(1)
  return [...answers.committedIds.keys()][0] ?? ''
}

async function storeLong(
  ingest: Pick<Ingest, 'accept'>,
  digits: string,
  texts: readonly (string | undefined)[],
): Promise<string[]> {
  reference += 1
  const ids: string[] = []
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue
    const header = Buffer.of(5, 0, 3, reference, texts.length, index + 1)
    const body = Buffer.concat([header, Buffer.from(text, 'latin1')])
    ids.push(await store(ingest, messageTo(digits, new Answers(), { esmClass: 0x40, body, ...pduOf({}) })))
  }
  return ids
}
