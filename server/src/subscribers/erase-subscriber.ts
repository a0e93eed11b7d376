// Replaces a subscriber's number by a pseudonym, a slice at a time: each is a transaction with how far it came, so a crash
// or a second node does nothing twice. First the records, then several times the tables beside them: followers and other
// work may still write what they read before.
import { systemActor, type Audit } from '../audit/index.ts'
import { holdSigning } from '../billing/index.ts'
import { eraseSends } from '../connections/index.ts'
import { eraseRecordedPdus } from '../gateway/index.ts'
import {
  eraseRecords,
  eraseRefused,
  type ErasedSender,
  type NamedRow,
  type RecordKey,
} from '../ingest/index.ts'
import { eraseFromIntegrity, isSenderNeeded } from '../integrity/index.ts'
import { eraseLongMessages } from '../long-messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { eraseLetters } from '../providers/index.ts'
import { eraseLines, pageOfSender } from '../records/index.ts'
import { readFromArchive } from '../statements/index.ts'
import {
  beginRound,
  endErasure,
  lockRunning,
  saveRecords,
  saveStep,
  setWaiting,
  type ErasureState,
} from './erasure-store.ts'
import { pseudonymOf, standsIn, writtenAs } from './written.ts'

export interface EraseParts {
  readonly db: Db
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly audit: Pick<Audit, 'record'>
}

/** A round that finds nothing is the last one, but never the first. A subscriber who goes on writing makes no end of them. */
const roundsMin = 2
const roundsMax = 5

/** Works at all erasures that run, while `goesOn`; gives how many slices it did. */
export async function eraseSubscribers(parts: EraseParts, goesOn: () => boolean): Promise<number> {
  const waiting: number[] = []
  let done = 0
  while (goesOn()) {
    const slice = await transaction(parts.db, (tx) => eraseSlice(tx, parts, waiting))
    if (slice === 'none') return done
    if (slice === 'done') done += 1
    else waiting.push(slice.waits)
  }
  return done
}

type Slice = 'done' | 'none' | { readonly waits: number }

async function eraseSlice(tx: Db, parts: EraseParts, waiting: readonly number[]): Promise<Slice> {
  const state = await lockRunning(tx, waiting)
  if (state === undefined) return 'none'
  const sender = {
    ...writtenAs(state.number),
    pseudonym: pseudonymOf(state.id),
    approvedBy: state.approvedBy,
  }
  if (state.isUnsettled) return { waits: state.id }
  const cause = (await isSenderNeeded(tx, sender))
    ? 'case'
    : state.stage === 'records' && !(await holdSigning(tx))
      ? 'statements'
      : undefined
  if (cause !== undefined) {
    await setWaiting(tx, state.id, cause)
    return { waits: state.id }
  }
  await (state.stage === 'records' ? sliceOfRecords : sliceOfTables)(tx, parts, state, sender)
  return 'done'
}

const keyOf = ({ id, created_at }: NamedRow): RecordKey => ({
  recordId: Number(id),
  createdAtMs: created_at.getTime(),
})

async function sliceOfRecords(
  tx: Db,
  { clock }: EraseParts,
  { id, recordAt, recordId, approvedAt }: ErasureState,
  sender: ErasedSender,
): Promise<void> {
  const after = recordAt === null ? undefined : { createdAt: recordAt, id: Number(recordId) }
  const page = await pageOfSender(tx, sender, { after, until: approvedAt, now: clock.now() })
  const periods = page.records.length === 0 ? [] : await eraseRecords(tx, page.records.map(keyOf), sender)
  await readFromArchive(tx, periods)
  const longNumberIds = page.records.flatMap(({ segment_total: total, number_id: number }) =>
    total === null ? [] : [number],
  )
  await saveRecords(tx, id, {
    next: page.next,
    count: periods.length,
    longNumberIds: [...new Set(longNumberIds)],
  })
}

/** The tables beside the records; each gives how many rows it changed, and is tried again until it changes none. */
const tables: readonly ((
  tx: Db,
  sender: ErasedSender,
  parts: EraseParts,
  state: ErasureState,
) => Promise<number>)[] = [
  eraseFromIntegrity,
  (tx, sender, _, { longNumberIds }) => eraseLongMessages(tx, sender, longNumberIds),
  eraseRefused,
  eraseSends,
  eraseRecordedPdus,
  (tx, { digits }, { secrets }) => eraseLetters(tx, secrets, standsIn(digits)),
]

async function sliceOfTables(
  tx: Db,
  parts: EraseParts,
  state: ErasureState,
  sender: ErasedSender,
): Promise<void> {
  const { id, step, blockId } = state
  const table = tables[step]
  if (table !== undefined) {
    const count = await table(tx, sender, parts, state)
    return saveStep(tx, id, { step: count === 0 ? step + 1 : step, blockId, count })
  }
  // Blocks only get longer by new ones, so each is looked at once.
  const lines = await eraseLines(tx, sender, blockId)
  if (lines !== undefined) return saveStep(tx, id, { step, blockId: lines.lastId, count: lines.count })
  const isClean = state.round >= roundsMin && state.roundCount === '0'
  if (!isClean && state.round < roundsMax) return beginRound(tx, id)
  await endErasure(tx, id, parts.clock.now())
  await parts.audit.record(tx, {
    actor: systemActor,
    ip: '',
    action: 'subscriber.erase',
    objectType: 'subscriber',
    objectId: state.masked,
    after: {
      erasure: id,
      pseudonym: sender.pseudonym,
      records: state.recordCount,
      otherRows: state.rowCount,
    },
  })
}
