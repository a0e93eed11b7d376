// Reads the deliveries that have a row of their own and are due: receipts, and records that were refused or timed out.
import { readBodies, readPeerIds, readTimes, type RawMessage } from '../../ingest/index.ts'
import { answeredIds } from '../message/answered-ids.ts'
import type { ClientLane } from './lane.ts'
import { receiptDeliverSm, recordDeliverSm, type ReceiptNaming } from './deliver-sm.ts'
import { textIsGone, type LaneReadDeps } from './read-new.ts'
import { dueRows, receiptFacts, type DeliveryKind, type ReceiptFacts } from './store.ts'

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
  const idsOf = (requested: DeliveryKind) =>
    due.filter(({ kind }) => kind === requested).map(({ key }) => key.recordId)
  const times = await readTimes(db, idsOf('record'))
  const answered = await answeredIds(db, idsOf('receipt'))
  // Of messages that are not kept.
  const peerIds = await readPeerIds(
    db,
    idsOf('receipt').filter((id) => !bodies.has(id)),
  )
  const byClient = new Map(lanes.map((lane) => [lane.userId, lane]))
  for (const { userId, kind, key, attempts } of due) {
    const lane = byClient.get(userId)
    const expiresAtMs = kind === 'record' ? times.get(key.recordId)?.expiresAtMs : undefined
    const item = { kind, key, attempts, position: undefined, hasRow: true, expiresAtMs }
    const raw = bodies.get(key.recordId)
    const deliverSm =
      kind === 'record'
        ? raw && recordDeliverSm(raw, key.recordId, lane?.alphabet)
        : receiptOf(facts.get(key.recordId), raw, {
            idStyle: peerIds.get(key.recordId)?.idStyle ?? lane?.idStyle,
            answeredId: answered.get(key.recordId),
          })
    if (deliverSm === undefined) lane?.addFailed(item, textIsGone)
    else lane?.add({ ...item, deliverSm })
  }
}

function receiptOf(facts: ReceiptFacts | undefined, raw: RawMessage | undefined, naming: ReceiptNaming) {
  return facts && receiptDeliverSm(facts, raw, naming)
}
