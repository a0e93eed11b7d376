// Reads the deliveries that have a row of their own and are due: receipts, and records that were refused or timed out.
import { readBodies, type RawMessage, type IdStyle } from '../../records/index.ts'
import type { ClientLane } from './lane.ts'
import { receiptDeliverSm, recordDeliverSm } from './deliver-sm.ts'
import { textIsGone, type LaneReadDeps } from './read-new.ts'
import { dueRows, receiptFacts, type ReceiptFacts } from './store.ts'

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
  const bodies = await readBodies(
    db,
    secrets,
    due.map(({ key }) => key.recordId),
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
    const raw = bodies.get(key.recordId)
    const deliverSm =
      kind === 'record' ? raw && recordDeliverSm(raw) : receiptOf(facts.get(key.recordId), raw, lane?.idStyle)
    if (deliverSm === undefined) lane?.addFailed(item, textIsGone)
    else lane?.add({ ...item, deliverSm })
  }
}

function receiptOf(
  facts: ReceiptFacts | undefined,
  raw: RawMessage | undefined,
  idStyle: IdStyle | undefined,
) {
  return facts && receiptDeliverSm(facts, raw, idStyle)
}
