import { expect, test } from 'vitest'
import type { Lease } from '../../platform/work/leases.ts'
import { formatPosition, type LogPosition } from '../../ingest/index.ts'
import type { Bind } from '../binds/bind.ts'
import { ClientLane } from './lane.ts'

const at = (nth: number): LogPosition => ({ xid: 10n, kind: 0, log: 1, nth })
const deliverSm = { needsTlvs: false, parts: [] }

type Send = (command: string, body: object) => Promise<unknown>
const noAnswer: Send = () => new Promise(() => undefined)

/** A lane with one bind; by default its client answers nothing. */
function openLane(send = noAnswer, takenIds: readonly number[] = []): ClientLane {
  const lane = new ClientLane({
    userId: 1,
    lease: { name: 'deliver:1', token: '1', signal: new AbortController().signal } as Lease,
    readTo: at(0),
    takenIds: new Set(takenIds),
    windowMax: 10,
    onProgress: () => undefined,
    onTimeout: () => undefined,
  })
  const session = {
    state: 'bound',
    inFlightCount: 0,
    queuedCount: 0,
    interfaceVersion: 0x33,
    send,
  }
  lane.binds.add({ session, treatment: { deliveryWindow: 10 } } as unknown as Bind)
  return lane
}

function addRecord(lane: ClientLane, recordId: number, expiresAtMs?: number): void {
  const key = { createdAtMs: 1, recordId }
  const position = at(recordId)
  lane.add({
    kind: 'record',
    key,
    position,
    deliverSm: { ...deliverSm, body: { serviceType: String(recordId) } },
    attempts: 0,
    hasRow: false,
    expiresAtMs,
  })
}

test('records whose validity is over leave room for others, also when nothing was sent', () => {
  const lane = openLane()
  for (let recordId = 1; recordId <= 2_000; recordId += 1) addRecord(lane, recordId, 1)
  expect(lane.hasRoom).toBe(false)
  lane.pump()
  expect(lane.hasRoom).toBe(true)
  expect(lane.inHandCount).toBe(0)
})

test('no part of a message is sent after its validity has ended', async () => {
  const sent: unknown[] = []
  const lane = openLane((_, body) => {
    sent.push(body)
    return new Promise((settle) => setTimeout(settle, 30, { kind: 'answered', status: 0 }))
  })
  const parts = [{ serviceType: '1' }, { serviceType: '2' }, { serviceType: '3' }]
  const key = { createdAtMs: 1, recordId: 1 }
  const item = { kind: 'record' as const, key, position: at(1), attempts: 0, hasRow: false }
  const inParts = { needsTlvs: true, parts, body: { serviceType: 'whole' } }
  lane.add({ ...item, deliverSm: inParts, expiresAtMs: Date.now() + 20 })
  lane.pump()
  await expect.poll(() => lane.inHandCount).toBe(0)
  expect(sent).toEqual([parts[0]])
  expect(lane.results()?.accepted ?? []).toEqual([])
})

test('a scheduled record counts as taken while one before it is open, so that it is not read twice', () => {
  const lane = openLane()
  addRecord(lane, 1)
  lane.addScheduled({ createdAtMs: 1, recordId: 2 }, at(2), Date.now() + 60_000)
  lane.readTo = at(2)
  expect(lane.results()?.progress).toEqual({ userId: 1, position: formatPosition(at(0)), takenIds: [2] })
})

test('what a lane before took stays taken until the saved position is past it', () => {
  const lane = openLane(noAnswer, [2, 3])
  const keyOf = (recordId: number) => ({ createdAtMs: 1, recordId })
  const save = () => {
    lane.addLate({ kind: 'receipt', key: keyOf(9) })
    const results = lane.results()
    if (results !== undefined) lane.committed(results)
    return results?.progress
  }
  expect(lane.takes(at(1), keyOf(1))).toBe(true)
  addRecord(lane, 1)
  expect(lane.takes(at(2), keyOf(2))).toBe(false)
  lane.readTo = at(2)
  expect(save()).toMatchObject({ position: formatPosition(at(0)), takenIds: [2, 3] })
  expect(lane.takes(at(3), keyOf(3))).toBe(false)
  lane.readTo = at(3)
  expect(save()).toMatchObject({ position: formatPosition(at(0)), takenIds: [2, 3] })
})

test('a record that a lane before took and that is no longer in the log is forgotten at its end', () => {
  const lane = openLane(noAnswer, [2])
  addRecord(lane, 1)
  lane.readTo = at(1)
  lane.isAtEnd = true
  lane.addLate({ kind: 'receipt', key: { createdAtMs: 1, recordId: 9 } })
  expect(lane.results()?.progress?.takenIds).toEqual([])
})

test('what a lost session left unanswered is sent again in its order, before what comes later', async () => {
  const losses: (() => void)[] = []
  let sent: object[] = []
  const lane = openLane((_, body) => {
    sent.push(body)
    return new Promise((settle) => losses.push(() => settle({ kind: 'closed' })))
  })
  for (let recordId = 1; recordId <= 3; recordId += 1) addRecord(lane, recordId)
  lane.pump()
  addRecord(lane, 4)
  sent = []
  for (const lose of losses) lose()
  await Promise.resolve()
  lane.pump()
  expect(sent).toEqual(['1', '2', '3', '4'].map((serviceType) => ({ serviceType })))
})
