// What people do with dead letters, rows that could not become records: show, replay, dismiss.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { DeadLetterReason } from '@tollgate/contract/providers/providers.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import { deadLetterContext, type ProvidersDeps } from './deps.ts'
import { readingOf } from './mapping.ts'
import { rekeyLetters } from './rekey-letters.ts'
import { dismiss, lockDeadLetter, lockDeadLetters, type WaitingDeadLetter } from './message-store.ts'
import { addStored } from './progress-store.ts'
import { readRow } from './read-row.ts'
import { requireLocked } from './service.ts'
import { replayLimit, type ProviderRow } from './store.ts'
import { storeRows, type StoredCounts } from './store-rows.ts'

const replayStep = 1_000
// Spec of the call: the oldest 10,000 at most.
const replayMax = 10_000

export interface ReplayResult {
  readonly stored: number
  readonly failed: number
}

const unknownDeadLetter = () =>
  new Refusal('not_found', 'There is no such row; it may be a record caller now.')

/** Replays one row. */
export async function replayDeadLetter(
  deps: ProvidersDeps,
  id: number,
  letterId: string,
  caller: Caller,
): Promise<ReplayResult> {
  return transaction(deps.db, async (tx) => {
    const row = await requireLocked(tx, id)
    const deadLetter = await lockDeadLetter(tx, id, letterId)
    if (deadLetter === undefined) throw unknownDeadLetter()
    const replay = await replayRows(deps, tx, row, [deadLetter])
    await note(deps, tx, caller, { action: 'provider.replay', id, after: { letterId, ...replay } })
    return replay
  })
}

/** Replays all rows, or those of one reason, the oldest first. */
export async function replayDeadLetters(
  deps: ProvidersDeps,
  id: number,
  reason: DeadLetterReason | undefined,
  caller: Caller,
): Promise<ReplayResult> {
  await transaction(deps.db, async (tx) => {
    await requireLocked(tx, id)
    await replayLimit.begin(tx, id)
  })
  let afterId = '0'
  let [stored, failed] = [0, 0]
  while (stored + failed < replayMax) {
    const step = await transaction(deps.db, async (tx) => {
      const row = await requireLocked(tx, id)
      const deadLetters = await lockDeadLetters(tx, id, { reason, afterId, limit: replayStep })
      const replay = await replayRows(deps, tx, row, deadLetters)
      if (deadLetters.length > 0)
        await note(deps, tx, caller, { action: 'provider.replay', id, after: { ...replay } })
      return { ...replay, lastId: deadLetters.at(-1)?.id }
    })
    if (step.lastId === undefined) break
    afterId = step.lastId
    stored += step.stored
    failed += step.failed
  }
  await replayLimit.end(deps.db, id, stored + failed)
  return { stored, failed }
}

/** Dismisses a row for good. */
export async function dismissDeadLetter(
  deps: ProvidersDeps,
  id: number,
  letterId: string,
  caller: Caller,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    await requireLocked(tx, id)
    if (!(await dismiss(tx, id, letterId))) throw unknownDeadLetter()
    await note(deps, tx, caller, { action: 'provider.dismiss', id, after: { letterId } })
  })
}

/** The row as the provider sent it; the audit says who read it. */
export async function openDeadLetter(
  deps: ProvidersDeps,
  id: number,
  letterId: string,
  caller: Caller,
): Promise<string> {
  return transaction(deps.db, async (tx) => {
    await requireLocked(tx, id)
    const deadLetter = await lockDeadLetter(tx, id, letterId)
    if (deadLetter === undefined) throw unknownDeadLetter()
    await note(deps, tx, caller, { action: 'provider.read_row', id, after: { letterId } })
    return deadLetter.encryptedRow === null ? '' : openRow(deps, id, deadLetter)
  })
}

function openRow({ secrets }: ProvidersDeps, id: number, { key, encryptedRow }: WaitingDeadLetter): string {
  return encryptedRow === null ? '' : secrets.decrypt(encryptedRow, deadLetterContext(id, key)).toString()
}

/** Reads the rows with the current mapping and stores them. A row that still cannot become a record gets its new reason. */
async function replayRows(
  deps: ProvidersDeps,
  tx: Db,
  row: ProviderRow,
  deadLetters: readonly WaitingDeadLetter[],
): Promise<ReplayResult> {
  const reading = readingOf(row)
  const nowMs = Date.now()
  const letters = deadLetters
    .filter(({ encryptedRow }) => encryptedRow !== null)
    .map((deadLetter) => ({
      letterKey: deadLetter.key,
      row: readRow(JSON.parse(openRow(deps, row.id, deadLetter)), reading, nowMs),
    }))
  const { rows, known } = await rekeyLetters(tx, deps, row.id, letters)
  if (rows.length === 0) return { stored: known, failed: deadLetters.length - known }
  const gatewayId = await deps.messages.gatewayId('provider', row.name)
  const taken: StoredCounts = await storeRows(
    tx,
    { ...deps, providerId: row.id, gatewayId, earlier: row.earlierReadings, isReplay: true },
    rows,
  )
  if (taken.storedCount > 0) await addStored(tx, row.id, taken.storedCount)
  const stored = known + taken.storedCount
  return { stored, failed: deadLetters.length - stored }
}

function note(
  { audit }: ProvidersDeps,
  tx: Db,
  caller: Caller,
  { id, ...entry }: { action: string; id: number; after: object },
): Promise<void> {
  return audit.record(tx, { ...caller, ...entry, objectType: 'provider', objectId: String(id) })
}
