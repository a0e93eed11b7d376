// One record with its history: when and where it came in, who held the number, what priced it, when it was committed, and
// what happened to it since.
import { sql } from 'kysely'
import { flagMeanings } from '@tollgate/smpp/text/flags.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { RecordDetail, timelineStepSchema } from '@tollgate/contract/records/records.ts'
import {
  englishOf,
  inEnglish,
  quote,
  sentence,
  sentencesOf,
  type Sentence,
} from '@tollgate/contract/sentences.ts'
import { clientReports, settlements } from '@tollgate/contract/vocabulary.ts'
import type { z } from 'zod'
import { row, type Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import {
  readBodies,
  recordFlags,
  type RawMessage,
  parseMessageId,
  wordAt,
  readNames,
  recordColumns,
  type RecordRow,
} from '../../ingest/index.ts'
import { decodeStored, findLongMessage, viewLongMessage } from '../../long-messages/index.ts'
import { clientsWithoutReceiver } from './no-receiver.ts'
import { hasWeeks } from '../retention/drop-records.ts'
import { viewRecord } from './record-view.ts'
import { viewSent } from './sent-view.ts'
import { ownerScope, seesMasked, type Viewer } from './viewer.ts'

type StepReply = z.infer<typeof timelineStepSchema>

/** What happened to a record, with its title and what there is to say about it. */
export interface TimelineStep extends Pick<StepReply, 'at' | 'step' | 'status'> {
  readonly title: Sentence
  readonly detail: Sentence | readonly Sentence[]
}

/** A record's key, for the slices that add steps to its timeline. */
interface TimelineKey {
  readonly id: number
  readonly createdAt: Date
}

/** Gives what happened to a record after its commit (deliveries, receipts, holds), in any order. */
export type LaterSteps = (db: Db, record: TimelineKey, viewer: Viewer) => Promise<readonly TimelineStep[]>

/** How often a delivery was tried, and why it did not succeed. */
export function triesWords(count: number, error?: string): readonly Sentence[] {
  if (error === undefined) return [count === 1 ? sentence('1 try.') : sentence('{count} tries.', { count })]
  const why = { text: error }
  return [
    count === 1
      ? sentence('1 try: {error}', { error: why })
      : sentence('{count} tries: {error}', { count, error: why }),
  ]
}

export interface MessageReadingDeps {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
  /** Joins the segments that are stored by now. */
  readonly joinSegments: () => Promise<void>
}

interface DetailRow extends RecordRow {
  readonly settlement: number
  readonly rate_micro: string | null
  readonly rate_scope: 'number' | 'user' | 'global' | null
  readonly rate_from: Date | null
  readonly cycle_from: Date
  readonly cycle_to: Date
  readonly held_from: Date | null
}

interface BatchRow {
  readonly id: string
  readonly size: number
  readonly priced_at: Date
  readonly stored_at: Date
}

/** Throws Refusal not_found for an unknown id and for somebody else's record. */
export async function getRecord(
  { db, secrets, joinSegments }: MessageReadingDeps,
  viewer: Viewer,
  messageId: string,
  later: LaterSteps,
): Promise<RecordDetail> {
  const found = await findRecord(db, viewer, messageId)
  const names = await readNames(db, [found])
  const view = viewRecord(found, names, viewer)
  const key = { id: Number(found.id), createdAt: found.created_at }
  const kept = await readKept(db, secrets, key.id)
  const raw = seesMasked(viewer) ? undefined : kept
  const unusual = [...flagWords(found.flags), ...(kept === undefined ? [] : textFlagWords(kept))]
  if (view.part !== null) await joinSegments()
  const message = await findLongMessage(db, found)
  const batch = await findBatch(db, key.id)
  const after = await later(db, key, viewer)
  const steps = [
    ...ownSteps(found, batch, view, viewer, unusual),
    ...after,
    ...(after.some(({ step }) => handedOn.has(step)) ? [] : await unreachedSteps(db, found, batch)),
  ]
  return {
    ...view,
    numberId: String(found.number_id),
    clientId: found.client_id,
    rate: {
      usd: formatMicro(BigInt(found.rate_micro ?? 0)),
      from: found.rate_scope ?? 'none',
    },
    settlesIn: {
      periodStart: found.cycle_from.toISOString(),
      periodEnd: found.cycle_to.toISOString(),
      settlement: wordAt(settlements, found.settlement),
    },
    flags: unusual,
    sent: (raw && viewSent(raw)) ?? null,
    longMessage: (message && viewLongMessage(message)) ?? null,
    timeline: steps.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(toReply),
  }
}

/** The message itself; undefined also when its key is lost, which must not hide the record. */
async function readKept(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  id: number,
): Promise<RawMessage | undefined> {
  const found = await readBodies(db, secrets, [id], () => undefined)
  return found.get(id)
}

/** The record of a message id, if the viewer may see it; found in one partition by its key. */
export async function findRecord(db: Db, viewer: Viewer, messageId: string): Promise<DetailRow> {
  const key = parseMessageId(messageId)
  const owner = ownerScope(viewer)
  const isCredited = key && owner !== undefined && (await isCreditedTo(db, owner, key.recordId))
  const found =
    key === undefined
      ? undefined
      : await row<DetailRow>(
          db,
          sql`select ${recordColumns}, t.rate_micro, t.scope as rate_scope,
                t.valid_from as rate_from, c.starts_at as cycle_from, c.ends_at as cycle_to, h.held_from
              from records r
              join cycles c on c.id = r.cycle_id
              left join rates t on t.id = r.rate_id
              left join number_holders h on h.number_id = r.number_id and h.user_id = r.client_id
                and h.held_from <= r.created_at and (h.held_to is null or h.held_to > r.created_at)
              where r.created_at = ${new Date(key.createdAtMs)} and r.id = ${key.recordId}
                and ${owner === undefined || isCredited === true ? sql`true` : sql`r.client_id = ${owner}`}`,
        )
  if (found !== undefined) return found
  const at = key === undefined ? undefined : new Date(key.createdAtMs)
  throw new Refusal(
    'not_found',
    at === undefined || (await hasWeeks(db, at, at))
      ? 'There is no such record.'
      : 'The records of that week are not stored any more. The statement of the period has its messages, and so has the archive if weeks are archived.',
  )
}

/** Whether a correction credits the record to this client. */
async function isCreditedTo(db: Db, userId: number, recordId: number): Promise<boolean> {
  const found = await row<{ found: boolean }>(
    db,
    sql`select exists (
          select from adjustment_records c join adjustments a on a.id = c.adjustment_id
          where c.record_id = ${recordId} and a.user_id = ${userId} and a.status = 'posted'
        ) as found`,
  )
  return found?.found === true
}

/** The batch that a record was stored in; undefined when it was removed before the record. */
function findBatch(db: Db, recordId: number): Promise<BatchRow | undefined> {
  const batchId = Math.floor(recordId / 4096)
  return row<BatchRow>(
    db,
    sql`select id, record_count as size, priced_at, stored_at from record_batches where id = ${batchId}`,
  )
}

/** The bits of {@link recordFlags} in words. */
function flagWords(flags: number): string[] {
  return [
    ...((flags & recordFlags.duplicateSuspect) === 0
      ? []
      : ['The same message came again while the first one was still unanswered.']),
    ...((flags & recordFlags.late) === 0 ? [] : ['It came after its own period had closed.']),
    ...((flags & recordFlags.test) === 0 ? [] : ['A test: it counts as no SMS.']),
    ...((flags & recordFlags.odd) === 0
      ? []
      : ['Its PDU broke rules of SMPP; what could be understood was taken, and all of it is kept.']),
  ]
}

/** What the octets of its text show by themselves, as its text's own view says. */
function textFlagWords(raw: RawMessage): string[] {
  return decodeStored(raw).flags.map((flag) => flagMeanings[flag])
}

const handedOn: ReadonlySet<string> = new Set(['handed_on', 'taken', 'refused'])

/** Says why a record stays pending that nothing was handed on of. */
async function unreachedSteps(
  db: Db,
  { client_id: clientId, client_report: report, created_at: at }: DetailRow,
  batch: BatchRow | undefined,
): Promise<TimelineStep[]> {
  if (clientId === null || wordAt(clientReports, report) !== 'pending') return []
  if ((await clientsWithoutReceiver(db, clientId)).length === 0) return []
  return [
    {
      at: (batch?.stored_at ?? at).toISOString(),
      step: 'handed_on',
      title: sentence('No receiver'),
      detail: sentence('The client has neither a bind nor a webhook.'),
      status: 'warn',
    },
  ]
}

type RecordParts = Pick<
  RecordDetail,
  'phoneNumber' | 'client' | 'range' | 'gateway' | 'source' | 'bill' | 'amountUsd'
>

function toReply({ title, detail, ...step }: TimelineStep): StepReply {
  return { ...step, title: inEnglish(title), detail: englishOf(detail), detailWords: sentencesOf(detail) }
}

function ownSteps(
  found: DetailRow,
  batch: BatchRow | undefined,
  view: RecordParts,
  viewer: Viewer,
  unusual: readonly string[],
): TimelineStep[] {
  const received = found.created_at.toISOString()
  const priced = (batch?.priced_at ?? found.created_at).toISOString()
  const stored = (batch?.stored_at ?? found.created_at).toISOString()
  return [
    {
      at: received,
      step: 'received',
      title: view.source === 'provider' ? sentence('Sent, by the provider’s clock') : sentence('Received'),
      detail: sourceWords(view.source, view.gateway),
      status: 'ok',
    },
    {
      at: priced,
      step: 'decoded',
      title: sentence('Decoded'),
      detail: unusual.length === 0 ? sentence('Nothing unusual') : unusual.map(quote),
      status: unusual.length === 0 ? 'ok' : 'warn',
    },
    matchedStep(found, view, priced),
    pricedStep(found, view, priced),
    {
      at: stored,
      step: 'committed',
      title: sentence('Committed, then acknowledged'),
      detail:
        viewer.role === 'user' || seesMasked(viewer) || batch === undefined
          ? sentence('Stored with its price before the answer left')
          : batchWords(batch),
      status: 'ok',
    },
  ]
}

function sourceWords(source: RecordParts['source'], name: string): Sentence {
  if (source === 'smpp') return sentence('submit_sm from bind {name}', { name })
  if (source === 'connection') return sentence('deliver_sm over connection {name}', { name })
  if (source === 'provider') return sentence('Record of provider {name}', { name })
  return sentence('Test message from {name}', { name })
}

function batchWords({ id, size }: BatchRow): Sentence {
  return size === 1
    ? sentence('Batch {id}, 1 record in one transaction', { id: String(id) })
    : sentence('Batch {id}, {count} records in one transaction', { id: String(id), count: size })
}

/** dd/mm/yyyy in UTC, as the console writes days. */
function dayOf(at: Date): string {
  const [year, month, day] = at.toISOString().slice(0, 10).split('-')
  return `${day}/${month}/${year}`
}

function matchedStep(found: DetailRow, view: RecordParts, at: string): TimelineStep {
  const { range, client } = view
  const holder =
    found.client_id === null
      ? sentence('Held by nobody.')
      : found.held_from === null
        ? sentence('Held by {client}.', { client })
        : sentence('Held by {client} since {day}.', { client, day: dayOf(found.held_from) })
  return {
    at,
    step: 'number_matched',
    title: sentence('Number matched'),
    detail: range === '' ? holder : [sentence('Range {range}.', { range }), holder],
    status: found.client_id === null ? 'info' : 'ok',
  }
}

function priceWords(scope: 'number' | 'user' | 'global', rate: string, day: string | undefined): Sentence {
  if (day === undefined) {
    if (scope === 'number') return sentence('{rate} USD, the number’s own price.', { rate })
    if (scope === 'user') return sentence('{rate} USD, the client’s rate.', { rate })
    return sentence('{rate} USD, the global rate.', { rate })
  }
  if (scope === 'number') return sentence('{rate} USD, the number’s own price since {day}.', { rate, day })
  if (scope === 'user') return sentence('{rate} USD, the client’s rate since {day}.', { rate, day })
  return sentence('{rate} USD, the global rate since {day}.', { rate, day })
}

/** How many SMS it counts as, where that is not 1. */
function countWords({ sms_count: count, flags }: DetailRow): readonly Sentence[] {
  if (count === 1) return []
  if (count > 1) return [sentence('Counts as {count} SMS.', { count })]
  return (flags & recordFlags.test) === 0
    ? [sentence('An acknowledgement counts as no SMS.')]
    : [sentence('A test counts as no SMS.')]
}

function pricedStep(found: DetailRow, view: RecordParts, at: string): TimelineStep {
  const step = { at, step: 'priced', title: sentence('Priced') } as const
  const tariff = `₪${formatMicro(parseMicro(view.bill) ?? 0n, 2)}`
  if (found.rate_scope === null || found.rate_micro === null)
    return {
      ...step,
      detail: [...countWords(found), sentence('{tariff} tariff. It earns nobody anything.', { tariff })],
      status: 'info',
    }
  const rate = formatMicro(BigInt(found.rate_micro), 3)
  // The first rate has always been in force, so its date would say nothing.
  const start = found.rate_from !== null && found.rate_from.getTime() > 0 ? found.rate_from : undefined
  return {
    ...step,
    detail: [
      ...countWords(found),
      sentence('{tariff} tariff.', { tariff }),
      priceWords(found.rate_scope, rate, start && dayOf(start)),
    ],
    status: 'ok',
  }
}
