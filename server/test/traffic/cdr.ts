// CDR files on a real database: a small business, ingest, a node that delivers, and an admin who calls the API.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect } from 'vitest'
import type { CdrFile, CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { createCdr, type Cdr, type CdrDeps } from '../../src/cdr/index.ts'
import { peerMessageIds } from '../../src/gateway/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Db } from '../../src/platform/db.ts'
import { createEgress } from '../../src/platform/security/egress.ts'
import {
  Answers,
  makeBusiness,
  makeIngest,
  messageTo,
  testSecrets,
} from '../../src/ingest/testing/traffic.ts'
import type { IngestMessage } from '../../src/ingest/index.ts'
import { openTestApi, type TestAnswer } from '../http/api.ts'
import { createTestAudit } from '../people/audit.ts'
import { eventually } from '../environment/eventually.ts'
import { openTestDatabase, silentLog, untilFinal } from '../environment/database.ts'
import { makeTemporaryFolder } from '../environment/temporary-folder.ts'

const graceMs = 6_000

/** A node that looks every 100 ms at what is due. */
export function nodeOn(db: Db, over: Pick<CdrDeps, 'egress' | 'cdrDir' | 'dataDir'> & Partial<CdrDeps>): Cdr {
  return createCdr({
    db,
    // The database's own time, ahead of what was stored by more than the grace.
    clock: { now: () => new Date(Date.now() + graceMs) },
    log: silentLog,
    audit: createTestAudit({ db, clock: systemClock }),
    secrets: testSecrets,
    peerMessageIds,
    turnEveryMs: 100,
    ...over,
  })
}

export async function openTestCdr(over: Partial<CdrDeps> = {}) {
  const { db } = await openTestDatabase({ user: 'tollgate_app' })
  const numbers = await makeBusiness(db, { clients: 2, numbers: 3 })
  const { folder, remove } = await makeTemporaryFolder()
  const egress = createEgress(['127.0.0.0/8'])
  const newNode = (more: Partial<CdrDeps> = {}): Cdr =>
    nodeOn(db, { egress, cdrDir: folder, dataDir: join(folder, '.data'), ...over, ...more })
  let node = newNode()
  const ingest = await makeIngest(db, { writerCount: 1 })
  const api = await openTestApi(node.routes)
  afterAll(async () => {
    await node.stop()
    await ingest.stop()
    await egress.close()
    await remove()
  })
  const call = api.as({ userId: 1, username: 'client1', role: 'admin' })
  return {
    db,
    numbers,
    folder,
    egress,
    call,
    /** Stores so many messages, a batch each; gives their ids. */
    store: async (
      count: number,
      fields: Partial<IngestMessage> = {},
      digits = numbers[0] ?? '',
    ): Promise<string[]> => {
      const answers = new Answers()
      for (let nth = 1; nth <= count; nth += 1) {
        ingest.accept(messageTo(digits, answers, fields))
        await answers.until(nth)
      }
      await untilFinal(db)
      return [...answers.committedIds.keys()]
    },
    add: async (fields: object = {}): Promise<CdrSchedule> => {
      const { status, body } = await call('POST', '/api/cdr-schedules', {
        name: 'acme',
        every: 'day',
        format: 'csv',
        columns: 'messageId,createdAt,amountUsd',
        destination: { type: 'folder', path: 'out' },
        ...fields,
      })
      expect(body).toMatchObject({ isPaused: false })
      expect(status).toBe(201)
      return body
    },
    start: async (more: Partial<CdrDeps> = {}) => {
      node = newNode(more)
      await node.start({ delivers: true })
    },
    stop: () => node.stop(),
    ...cdrFilesOf(db, call),
  }
}

/** What becomes of the files. */
export function cdrFilesOf(db: Db, call: (method: 'GET', path: string) => Promise<TestAnswer>) {
  return {
    /** As if the hour or day of all schedules ended now: at the next whole millisecond, after all that is stored. */
    endPeriod: () =>
      sql`update cdr_schedules set period_from = least(period_from, clock_timestamp() - interval '1 second'),
        period_to = date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'`.execute(db),
    /** Nothing waits for its next attempt. */
    hurry: () => sql`update cdr_files set next_attempt_at = clock_timestamp()`.execute(db),
    files: async (id: string): Promise<CdrFile[]> =>
      (await call('GET', `/api/cdr-schedules/${id}/files`)).body,
    /** Waits until at least so many files were delivered and none waits. */
    delivered: async (id: string, count: number): Promise<CdrFile[]> => {
      let files: CdrFile[] = []
      await eventually(async () => {
        files = (await call('GET', `/api/cdr-schedules/${id}/files`)).body
        expect(files.filter(({ state }) => state === 'delivered').length).toBeGreaterThanOrEqual(count)
        expect(files.map(({ state, error }) => [state, error])).toEqual(files.map(() => ['delivered', '']))
      })
      return files
    },
  }
}

/** The cells of the first column, without the header; checks the manifest beside the file. */
export function idsIn(content: (name: string) => Buffer, name: string): string[] {
  const bytes = content(name)
  const manifest = JSON.parse(content(`${name}.json`).toString())
  const ids = bytes
    .toString()
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0] ?? '')
  expect(manifest).toMatchObject({
    file: name,
    records: ids.length,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    firstMessageId: ids[0] ?? null,
    lastMessageId: ids.at(-1) ?? null,
  })
  return ids
}
