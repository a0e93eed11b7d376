// Reads the deliveries that have a row of their own and are due: receipts, and records that were refused or timed out.
import { readBodies } from '../../records/index.ts'
import type { ClientLane } from './lane.ts'
import { receiptDeliverSm, recordDeliverSm, type DeliverSm } from './deliver-sm.ts'
import { textIsGone, type LaneReadDeps } from './read-new.ts'
import { dueRows, receiptFacts } from './store.ts'

const perClientMax = 500

/** Adds due deliveries to their lanes. */
export async function readDue(
  { db, secrets, onFault }: LaneReadDeps,
  lanes: readonly ClientLane[],
): Promise<void> {
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
    const item = { kind, key, attempts, position: undefined, hasRow: true }
    const deliverSm =
      kind === 'record'
        ? made(bodies.get(key.recordId), recordDeliverSm)
        : made(facts.get(key.recordId), receiptDeliverSm)
    if (deliverSm === undefined) lane?.addFailed(item, textIsGone)
    else lane?.add({ ...item, deliverSm })
  }
}

function made<T>(from: T | undefined, make: (from: T) => DeliverSm): DeliverSm | undefined {
  return from === undefined ? undefined : make(from)
}
