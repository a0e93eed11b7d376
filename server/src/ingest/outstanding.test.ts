import { expect, test } from 'vitest'
import type { IngestMessage } from './message.ts'
import { OutstandingMessages } from './outstanding.ts'

function message(sequence: number, change: Partial<IngestMessage> = {}): IngestMessage {
  return {
    createdAtMs: 0,
    digits: '447700900318',
    displayedSourceAddress: '4915',
    gatewayId: 1,
    source: 'smpp',
    sequence,
    sourceAddress: '4915',
    destinationAddress: '447700900318',
    esmClass: 0,
    dataCoding: 0,
    body: Buffer.from('text'),
    flags: 0,
    completion: { committed: () => undefined, failed: () => undefined, settled: () => undefined },
    ...change,
  }
}

test('a repeated message is noticed while the first is unanswered, and not after', () => {
  const outstanding = new OutstandingMessages()
  const [first, second] = [message(5), message(5)]
  expect(outstanding.add(first)).toBe(false)
  expect(outstanding.add(second)).toBe(true)
  outstanding.remove(first)
  expect(outstanding.add(message(5))).toBe(true)
  expect(outstanding.add(message(6))).toBe(false)
  expect(outstanding.add(message(5, { gatewayId: 2 }))).toBe(false)
  expect(outstanding.add(message(5, { digits: '447700900319' }))).toBe(false)
  expect(outstanding.add(message(5, { sourceAddress: '4916' }))).toBe(false)
})

test('without a sequence number the body distinguishes messages', () => {
  const outstanding = new OutstandingMessages()
  outstanding.add(message(-1))
  expect(outstanding.add(message(-1))).toBe(true)
  expect(outstanding.add(message(-1, { body: Buffer.from('other') }))).toBe(false)
})

test('of ten thousand messages, added and removed in any order, exactly the unanswered ones are known', () => {
  const outstanding = new OutstandingMessages()
  const unanswered = new Map<number, IngestMessage>()
  let state = 1
  const random = (below: number) => {
    state = (Math.imul(state, 0x41c64e6d) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  for (let step = 0; step < 60_000; step += 1) {
    const sequence = random(10_000)
    const earlier = unanswered.get(sequence)
    if (earlier === undefined) {
      const made = message(sequence)
      expect(outstanding.add(made)).toBe(false)
      unanswered.set(sequence, made)
    } else if (random(3) > 0) {
      outstanding.remove(earlier)
      unanswered.delete(sequence)
    }
  }
  for (const [sequence, each] of unanswered) {
    expect(outstanding.add(message(sequence))).toBe(true)
    outstanding.remove(each)
  }
  // Removing a message that was never added removes nothing.
  outstanding.remove(message(20_000))
})
