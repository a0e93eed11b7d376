// What is stored under a subscriber's number, in one order for counting and for the export.
import {
  subscriberCountMax,
  type SubscriberFindings,
  type SubscriberKind,
} from '@tollgate/contract/subscribers/subscribers.ts'
import type { Audit } from '../audit/index.ts'
import { maskNumber } from '../files/formats/mask-number.ts'
import type { Caller, StreamReply } from '../http/handlers.ts'
import { ownNames, type NamedRow, type RecordKey, type WrittenSender } from '../ingest/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { lettersWith } from '../providers/index.ts'
import { readContents, recordsOfSender, viewRecord } from '../records/index.ts'
import { standsIn, writtenAs } from './written.ts'
import { longMessagesOfSender, rowsOfSender, senderKinds, type StoredLine } from './views.ts'

export interface SubscriberParts {
  readonly db: Db
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly audit: Pick<Audit, 'record'>
}

/** How much of each kind there is. */
export async function findSubscriber(parts: SubscriberParts, digits: string): Promise<SubscriberFindings> {
  const counts = new Map<SubscriberKind, number>()
  // A kind that has enough is not read on; the others are.
  for (const [kind, pages] of kindsOf(parts, writtenAs(digits), { hasTexts: false }))
    for await (const page of pages) {
      const count = (counts.get(kind) ?? 0) + page.length
      counts.set(kind, count)
      if (count > subscriberCountMax) break
    }
  // Long messages are looked for at the numbers of the records that were counted.
  const hasMoreRecords = (counts.get('record') ?? 0) > subscriberCountMax
  return {
    number: digits,
    kinds: [...counts]
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => ({
        kind,
        count: Math.min(count, subscriberCountMax),
        isAtLeast: count > subscriberCountMax || (kind === 'longMessage' && hasMoreRecords),
      })),
  }
}

/** Starts the download, once it is in the audit log. */
export async function exportSubscriber(
  parts: SubscriberParts,
  digits: string,
  { actor, ip }: Caller,
): Promise<StreamReply> {
  const masked = maskNumber(digits)
  await transaction(parts.db, (tx) =>
    parts.audit.record(tx, {
      actor,
      ip,
      action: 'subscriber.export',
      objectType: 'subscriber',
      objectId: masked,
    }),
  )
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    fileName: `subscriber-${digits.slice(-4)}-${parts.clock.now().toISOString().slice(0, 10)}.jsonl`,
    stream: linesOf(parts, digits),
  }
}

async function* linesOf(parts: SubscriberParts, digits: string): AsyncGenerator<string> {
  yield `${JSON.stringify({ kind: 'subscriber', number: digits, at: parts.clock.now().toISOString() })}\n`
  for (const [kind, pages] of kindsOf(parts, writtenAs(digits), { hasTexts: true }))
    for await (const page of pages)
      if (page.length > 0) yield page.map((found) => `${JSON.stringify({ kind, ...found })}\n`).join('')
}

type Pages = AsyncIterable<readonly StoredLine[]>

/** The kinds in their order. Records come first: they say to which numbers there may be long messages. */
function* kindsOf(
  parts: SubscriberParts,
  sender: WrittenSender,
  { hasTexts }: { readonly hasTexts: boolean },
): Generator<[SubscriberKind, Pages]> {
  const { db, secrets } = parts
  const numberIds = new Set<number>()
  yield ['record', records(parts, sender, { hasTexts, numberIds })]
  yield ['longMessage', longMessagesOfSender(db, sender.forms, [...numberIds])]
  for (const kind of senderKinds) yield [kind, rowsOfSender(db, kind, sender.forms)]
  yield ['deadLetter', letters(lettersWith(db, secrets, standsIn(sender.digits)))]
}

async function* letters(pages: ReturnType<typeof lettersWith>): AsyncGenerator<StoredLine[]> {
  for await (const page of pages)
    yield page.map(({ provider, number, createdAt, text }) => ({ provider, number, createdAt, text }))
}

async function* records(
  { db, secrets, clock }: SubscriberParts,
  sender: WrittenSender,
  { hasTexts, numberIds }: { readonly hasTexts: boolean; readonly numberIds: Set<number> },
): AsyncGenerator<StoredLine[]> {
  for await (const page of recordsOfSender(db, sender, clock.now())) {
    for (const { number_id: id } of page) numberIds.add(id)
    const contents = hasTexts ? await readContents(db, secrets, page.map(keyOf)) : new Map()
    yield page.map((row) => viewOf(row, contents.get(Number(row.id))?.text ?? null))
  }
}

const keyOf = ({ id, created_at }: NamedRow): RecordKey => ({
  recordId: Number(id),
  createdAtMs: created_at.getTime(),
})

/** A message as his own: what it earned whom is the business of others, its price is his. */
function viewOf(row: NamedRow, text: string | null): StoredLine {
  const { messageId, createdAt, phoneNumber, client, gateway, sender, status, bill, smsCount } = viewRecord(
    row,
    ownNames(row),
    { userId: 0, role: 'admin' },
  )
  return {
    messageId,
    createdAt,
    number: phoneNumber,
    sender,
    client,
    gateway,
    status,
    bill,
    smsCount,
    // The bill and the signed statement that name it.
    period: row.client_id === null ? null : `${row.cycle_id}-${row.client_id}`,
    text,
  }
}
