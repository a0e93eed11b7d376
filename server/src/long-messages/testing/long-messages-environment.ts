// What long-messages.test.ts and long-messages.long.test.ts stand on.
import { sql } from 'kysely'
import { afterAll, expect } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { row, rows } from '../../platform/db.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../../ingest/testing/traffic.ts'
import { readBodies, type IngestMessage } from '../../ingest/index.ts'
import { recordColumns, type RecordRow } from '../../ingest/log/record-row.ts'
import { decodeStored, readWhole } from '../read-whole.ts'
import { LongMessageJoiner, type LongMessageJoinerOptions } from '../long-message-joiner.ts'
import { Overload } from '../../platform/load/overload.ts'

export interface PartOf {
  readonly reference: number
  readonly total: number
}

/** The fields of a segment with an 8-bit header. */
export const part = (
  { reference, total }: PartOf,
  position: number,
  text: string,
): Partial<IngestMessage> => ({
  esmClass: 0x40,
  body: Buffer.concat([Buffer.of(5, 0, 3, reference, total, position), Buffer.from(text)]),
})

export interface MessageRow {
  readonly record_ids: (string | null)[]
  readonly isEnded: boolean
}

export async function openLongMessagesEnvironment() {
  const { db } = await openTestDatabase({ user: 'tollgate_app', maxConnections: 6 })
  const numbers = await makeBusiness(db, { clients: 2, numbers: 12 })
  const ingest = await makeIngest(db)
  afterAll(() => ingest.stop())

  /** A number that no other test has sent to. */
  const freeNumber = () => numbers.pop() ?? ''

  /** Stores messages to a number in this order; gives their record ids in the same order. */
  async function store(digits: string, messages: readonly Partial<IngestMessage>[]): Promise<number[]> {
    const ids = new Map<IngestMessage, number>()
    const answers = new (class extends Answers {
      override committed(message: IngestMessage, messageId: string, recordId: number): void {
        ids.set(message, recordId)
        super.committed(message, messageId, recordId)
      }
    })()
    const queued = messages.map((fields) => messageTo(digits, answers, fields))
    for (const message of queued) expect(ingest.accept(message)).toBe('queued')
    await answers.until(messages.length)
    return queued.map((message) => ids.get(message) ?? 0)
  }

  /** The message that a record is a part of. */
  async function wholeOf(id: number) {
    const record = await row<RecordRow>(db, sql`select ${recordColumns} from records r where id = ${id}`)
    const raw = (await readBodies(db, testSecrets, [id])).get(id)
    if (record === undefined || raw === undefined) throw new Error(`There is no record ${id}`)
    return readWhole({ db, secrets: testSecrets }, record, decodeStored(raw))
  }

  function joiner(over: Partial<LongMessageJoinerOptions> = {}): LongMessageJoiner {
    return new LongMessageJoiner({
      db,
      secrets: testSecrets,
      waitMs: async () => 600_000,
      onEnded: async () => undefined,
      overload: new Overload({ isBusy: () => false }),
      onFault: () => undefined,
      ...over,
    })
  }

  const messagesTo = (digits: string): Promise<MessageRow[]> =>
    rows(
      db,
      sql`select record_ids, ended_at is not null as "isEnded" from long_messages
        where number_id = (select id from numbers where number = ${digits}) order by id`,
    )
  return { db, freeNumber, store, joiner, messagesTo, wholeOf }
}
