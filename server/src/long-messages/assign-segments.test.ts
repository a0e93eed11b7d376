import { expect, test } from 'vitest'
import {
  assignSegments,
  isComplete,
  joinWithinMs,
  type LongMessage,
  type Segment,
} from './assign-segments.ts'

let made = 0

/** The next segment of the supplier's message. */
function segment(sequence: number, over: Partial<Segment> = {}): Segment {
  made += 1
  return {
    numberId: 1,
    gatewayId: 1,
    clientId: 1,
    sender: '4915112345678',
    reference: 7,
    total: 3,
    recordId: made,
    createdAtMs: made * 1_000,
    sequence,
    isDuplicateSuspect: false,
    ...over,
  }
}

const never = () => false
const always = () => true
const ids = (messages: readonly LongMessage[]) => messages.map(({ recordIds }) => recordIds)
const ended = (message: LongMessage): LongMessage => ({ ...message, isEnded: true })

test('segments in any order make one message', () => {
  const [third, first, second] = [segment(3), segment(1), segment(2)]
  const [message] = assignSegments([third, first, second], [], never)
  expect(message?.recordIds).toEqual([first.recordId, second.recordId, third.recordId])
  expect(message?.lastAtMs).toBe(second.createdAtMs)
})

test.each<[string, Partial<Segment>]>([
  ['number', { numberId: 2 }],
  ['peer', { gatewayId: 2 }],
  ['client', { clientId: null }],
  ['sender', { sender: 'Shop' }],
  ['reference', { reference: 8 }],
  ['total', { total: 4 }],
])('a segment with another %s belongs to another message', (_, over) => {
  expect(assignSegments([segment(1), segment(2, over)], [], never)).toHaveLength(2)
})

test('a reference that is used again begins a new message, which then takes the segments', () => {
  const before = assignSegments([segment(1), segment(2), segment(3)], [], never)
  expect(before.every(isComplete)).toBe(true)
  const [one, two] = [segment(1), segment(2)]
  const after = assignSegments([one, two], before, never)
  expect(ids(after)).toEqual([[one.recordId, two.recordId, null]])
})

test('a segment goes to the newest message that has room for it', () => {
  const old = assignSegments([segment(1)], [], never)
  const next = assignSegments([segment(1)], old, never)
  const late = segment(2)
  expect(assignSegments([late], [...old, ...next], never)).toEqual(next)
})

test('a repetition in an open message changes nothing', () => {
  const open = assignSegments([segment(1), segment(2)], [], never)
  expect(assignSegments([segment(1)], open, always)).toEqual([])
})

test('the same text after a complete message is a new one, unless it is suspected to be a duplicate', () => {
  const complete = assignSegments([segment(1), segment(2), segment(3)], [], never).map(ended)
  expect(assignSegments([segment(1)], complete, always)).toHaveLength(1)
  expect(assignSegments([segment(1, { isDuplicateSuspect: true })], complete, always)).toEqual([])
})

test('a late segment joins a message that has ended without it, within a day', () => {
  const [message] = assignSegments([segment(1), segment(2)], [], never).map(ended)
  const inTime = segment(3, { createdAtMs: message!.lastAtMs + joinWithinMs })
  const [joined] = assignSegments([inTime], [structuredClone(message!)], never)
  expect(joined?.recordIds[2]).toBe(inTime.recordId)
  const [other] = assignSegments([{ ...inTime, createdAtMs: inTime.createdAtMs + 1 }], [message!], never)
  expect(other?.recordIds.slice(0, 2)).toEqual([null, null])
})
