// Reads what has a row of its own and is due: receipts, and records that were refused or not answered in time.
import { readBodies } from '../../records/index.ts'
import type { Lane } from './lane.ts'
import { outgoingReceipt, outgoingRecord, type Outgoing } from './deliver-sm.ts'
import { textIsGone, type ReadParts } from './read-new.ts'
import { dueRows, receiptFacts } from './store.ts'

const perClientMax = 500

/** Puts what is due into its lines. */
export async function readDue({ db, secrets, onFault }: ReadParts, lanes: readonly Lane[]): Promise<void> {
  if (lanes.length === 0) return
  const due = await dueRows(
    db,
    lanes.map(({ userId }) => userId),
    perClientMax,
    lanes.flatMap(({ inHandIds }) => inHandIds),
  )
  if (due.length === 0) return
  const records = due.filter(({ kind }) => kind === 'record')
  const bodies = await readBodies(
    db,
    secrets,
    records.map(({ key }) => key.recordId),
    onFault,
  )
  const facts = await receiptFacts(
    db,
    due.filter(({ kind }) => kind === 'receipt').map(({ key }) => key),
  )
  const byClient = new Map(lanes.map((lane) => [lane.userId, lane]))
  for (const { userId, kind, key, attempts } of due) {
    const lane = byClient.get(userId)
    const item = { kind, key, attempts, place: undefined, hasRow: true }
    const outgoing =
      kind === 'record'
        ? made(bodies.get(key.recordId), outgoingRecord)
        : made(facts.get(key.recordId), outgoingReceipt)
    if (outgoing === undefined) lane?.addFailed(item, textIsGone)
    else lane?.add({ ...item, outgoing })
  }
}

function made<T>(from: T | undefined, make: (from: T) => Outgoing): Outgoing | undefined {
  return from === undefined ? undefined : make(from)
}
