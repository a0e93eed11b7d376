// What people do with dead letters, rows that could not become records: show, replay, dismiss.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { LetterReason } from '@tollgate/contract/providers.ts'
import type { Db } from '../platform/db.ts'
import { refuseEarlyReplay } from '../platform/load/replay-limit.ts'
import { transaction } from '../platform/transaction.ts'
import { letterPlace, type By, type ProvidersDeps } from './deps.ts'
import { compileMapping, fullMapping } from './mapping.ts'
import { dismiss, lockLetter, lockLetters, type WaitingLetter } from './message-store.ts'
import { addStored } from './progress-store.ts'
import { readRow } from './read-row.ts'
import { unknownProvider } from './service.ts'
import { beginReplay, endReplay, lockProvider, type ProviderRow } from './store.ts'
import { takeIn, type KeyedRow, type Taken } from './take-in.ts'

const lettersAtOnce = 1_000
// Spec of the call: the oldest 10,000 at most.
const replayedMost = 10_000

export interface Replay {
  readonly stored: number
  readonly failed: number
}

const unknownLetter = () => new Refusal('not_found', 'There is no such row; it may be a record by now.')

/** Replays one row. */
export async function replayLetter(
  deps: ProvidersDeps,
  id: number,
  letterId: string,
  by: By,
): Promise<Replay> {
  return transaction(deps.db, async (tx) => {
    const row = await mustHold(tx, id)
    const letter = await lockLetter(tx, id, letterId)
    if (letter === undefined) throw unknownLetter()
    const replay = await tryAgain(deps, tx, row, [letter])
    await note(deps, tx, by, { action: 'provider.replay', id, after: { letterId, ...replay } })
    return replay
  })
}

/** Replays all rows, or those of one reason, the oldest first. */
export async function replayLetters(
  deps: ProvidersDeps,
  id: number,
  reason: LetterReason | undefined,
  by: By,
): Promise<Replay> {
  await transaction(deps.db, async (tx) => {
    await mustHold(tx, id)
    refuseEarlyReplay(await beginReplay(tx, id))
  })
  let afterId = '0'
  let [stored, failed] = [0, 0]
  while (stored + failed < replayedMost) {
    const step = await transaction(deps.db, async (tx) => {
      const row = await mustHold(tx, id)
      const letters = await lockLetters(tx, id, { reason, afterId, limit: lettersAtOnce })
      const replay = await tryAgain(deps, tx, row, letters)
      if (letters.length > 0)
        await note(deps, tx, by, { action: 'provider.replay', id, after: { ...replay } })
      return { ...replay, lastId: letters.at(-1)?.id }
    })
    if (step.lastId === undefined) break
    afterId = step.lastId
    stored += step.stored
    failed += step.failed
  }
  await endReplay(deps.db, id, stored + failed)
  return { stored, failed }
}

/** Dismisses a row for good. */
export async function dismissLetter(
  deps: ProvidersDeps,
  id: number,
  letterId: string,
  by: By,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    await mustHold(tx, id)
    if (!(await dismiss(tx, id, letterId))) throw unknownLetter()
    await note(deps, tx, by, { action: 'provider.dismiss', id, after: { letterId } })
  })
}

/** The row as the provider sent it; the audit says who read it. */
export async function openLetter(deps: ProvidersDeps, id: number, letterId: string, by: By): Promise<string> {
  return transaction(deps.db, async (tx) => {
    await mustHold(tx, id)
    const letter = await lockLetter(tx, id, letterId)
    if (letter === undefined) throw unknownLetter()
    await note(deps, tx, by, { action: 'provider.read_row', id, after: { letterId } })
    return letter.sealedRow === null ? '' : openRow(deps, id, letter)
  })
}

async function mustHold(tx: Db, id: number): Promise<ProviderRow> {
  const found = await lockProvider(tx, id)
  if (found === undefined) throw unknownProvider()
  return found
}

function openRow({ secrets }: ProvidersDeps, id: number, { key, sealedRow }: WaitingLetter): string {
  return sealedRow === null ? '' : secrets.decrypt(sealedRow, letterPlace(id, key)).toString()
}

/** Reads the rows with the current mapping and stores them. A row that still cannot become a record gets its new reason. */
async function tryAgain(
  deps: ProvidersDeps,
  tx: Db,
  row: ProviderRow,
  letters: readonly WaitingLetter[],
): Promise<Replay> {
  const paths = compileMapping(fullMapping(row.mapping))
  const nowMs = Date.now()
  const rows: KeyedRow[] = letters
    .filter(({ sealedRow }) => sealedRow !== null)
    .map((letter) => ({
      ...readRow(JSON.parse(openRow(deps, row.id, letter)), paths, nowMs),
      key: letter.key,
    }))
  if (rows.length === 0) return { stored: 0, failed: letters.length }
  const gatewayId = await deps.messages.gatewayId('provider', row.name)
  const taken: Taken = await takeIn(tx, { ...deps, providerId: row.id, gatewayId, isReplay: true }, rows)
  if (taken.storedCount > 0) await addStored(tx, row.id, taken.storedCount)
  return { stored: taken.storedCount, failed: letters.length - taken.storedCount }
}

function note(
  { audit }: ProvidersDeps,
  tx: Db,
  by: By,
  { id, ...entry }: { action: string; id: number; after: object },
): Promise<void> {
  return audit.record(tx, { ...by, ...entry, objectType: 'provider', objectId: String(id) })
}
