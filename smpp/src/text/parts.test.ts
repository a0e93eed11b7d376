import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PartStore, type ArrivedPart } from './parts.ts'

const dayMs = 24 * 60 * 60 * 1000

function newStore(options: { bytesMax?: number; expiryMs?: number } = {}) {
  const clock = { ms: 0 }
  return { clock, store: new PartStore({ now: () => clock.ms, ...options }) }
}

function arrived(
  sequence: number,
  total: number,
  text: string,
  more: Partial<ArrivedPart> = {},
  reference = 7,
): ArrivedPart {
  const position = { carrier: 'udh8' as const, reference, total, sequence }
  return {
    peer: 'acme',
    source: '4479',
    destination: '9725',
    position,
    alphabet: 'gsm7',
    content: Buffer.from(text),
    ...more,
  }
}

test.each([
  ['in order', [1, 2, 3]],
  ['reversed', [3, 2, 1]],
  ['mixed', [2, 3, 1]],
])('three parts %s give the text with the last one', (_, order) => {
  const { store } = newStore()
  const texts = order.map((sequence) => store.add(arrived(sequence, 3, `${sequence}`)))
  expect(texts.map(({ text }) => text)).toEqual([undefined, undefined, '123'])
  expect(texts.map(({ receivedCount, isComplete }) => [receivedCount, isComplete])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ])
  expect(texts.flatMap(({ flags }) => flags)).toEqual([])
})

test('a gap waits, and what is there can be looked at', () => {
  const { store } = newStore()
  store.add(arrived(1, 3, 'a'))
  expect(store.add(arrived(3, 3, 'c'))).toMatchObject({ isComplete: false, receivedCount: 2 })
  expect(store.peek(arrived(1, 3, ''))).toEqual({ text: 'a[…]c', missing: [2], flags: ['parts_missing'] })
  expect(store.peek(arrived(1, 3, '', {}, 8))).toBeUndefined()
})

test('a repeated part changes nothing and is flagged, before and after completion', () => {
  const { store } = newStore()
  store.add(arrived(1, 2, 'a'))
  const bytes = store.bytes
  expect(store.add(arrived(1, 2, 'a'))).toEqual({
    isComplete: false,
    receivedCount: 1,
    flags: ['repeated_part'],
    text: undefined,
  })
  expect(store.bytes).toBe(bytes)
  expect(store.add(arrived(2, 2, 'b')).text).toBe('ab')
  expect(store.add(arrived(2, 2, 'b'))).toMatchObject({
    isComplete: true,
    flags: ['repeated_part'],
    text: undefined,
  })
})

test.each([
  [0, 3],
  [5, 3],
  [1, 0],
  [1, 256],
  [Number.NaN, 3],
])('part %d of %d is flagged and not kept', (sequence, total) => {
  const { store } = newStore()
  expect(store.add(arrived(sequence, total, 'a'))).toEqual({
    isComplete: false,
    receivedCount: 0,
    flags: ['part_out_of_range'],
    text: undefined,
  })
  expect(store.messageCount).toBe(0)
})

test('a new message may take up a reference: flagged when the earlier one was not complete', () => {
  const { store } = newStore()
  store.add(arrived(1, 2, 'old'))
  expect(store.add(arrived(1, 2, 'new')).flags).toEqual(['reference_reused'])
  expect(store.add(arrived(2, 2, '!')).text).toBe('new!')
  expect(store.add(arrived(1, 2, 'next')).flags).toEqual([])
  expect(store.add(arrived(1, 3, 'next')).flags).toEqual(['reference_reused'])
  expect(store.messageCount).toBe(1)
})

test('parts of different peers, addresses, references and carriers never mix', () => {
  const { store } = newStore()
  const others: ArrivedPart[] = [
    arrived(2, 2, 'x', { peer: 'other' }),
    arrived(2, 2, 'x', { source: '44' }),
    arrived(2, 2, 'x', { destination: '97' }),
    arrived(2, 2, 'x', {}, 8),
    arrived(2, 2, 'x', { position: { carrier: 'udh16', reference: 7, total: 2, sequence: 2 } }),
    arrived(2, 2, 'x', { peer: 'acme","4479', source: '' }),
  ]
  store.add(arrived(1, 2, 'a'))
  for (const other of others) expect(store.add(other).isComplete).toBe(false)
  expect(store.add(arrived(2, 2, 'b')).text).toBe('ab')
})

test('a single part marked 1 of 1 is complete at once', () => {
  expect(newStore().store.add(arrived(1, 1, 'all'))).toEqual({
    isComplete: true,
    receivedCount: 1,
    flags: [],
    text: 'all',
  })
})

test('a message is forgotten 24 hours after its first part, not its last', () => {
  const { store, clock } = newStore()
  store.add(arrived(1, 3, 'a'))
  clock.ms = dayMs - 1
  store.add(arrived(2, 3, 'b'))
  store.add(arrived(1, 2, 'z', {}, 8))
  expect(store.messageCount).toBe(2)
  clock.ms = dayMs
  expect(store.add(arrived(3, 3, 'c'))).toMatchObject({ receivedCount: 1, isComplete: false })
  clock.ms = 3 * dayMs
  store.expire()
  expect([store.messageCount, store.bytes]).toEqual([0, 0])
})

test('the buffer given may change afterwards', () => {
  const { store } = newStore()
  const content = Buffer.from('a')
  store.add(arrived(1, 2, '', { content }))
  content.fill(0x7a)
  expect(store.add(arrived(2, 2, 'b')).text).toBe('ab')
})

test('every octet value survives the store', () => {
  const { store } = newStore()
  const content = Uint8Array.from({ length: 256 }, (_, octet) => octet)
  expect(store.add(arrived(1, 1, '', { content, alphabet: 'binary' })).text).toBe(
    Buffer.from(content).toString('hex'),
  )
})

test('the oldest messages give way when the octets run out', () => {
  const { store } = newStore({ bytesMax: 10_000 })
  for (let reference = 0; reference < 100; reference++) {
    store.add(arrived(1, 2, 'x'.repeat(100), {}, reference))
    expect(store.bytes).toBeLessThanOrEqual(10_000)
  }
  expect(store.evictedCount).toBe(100 - store.messageCount)
  expect(store.peek(arrived(1, 2, '', {}, 0))).toBeUndefined()
  expect(store.add(arrived(2, 2, 'y', {}, 99)).isComplete).toBe(true)
})

test('a part larger than the whole store is not kept, yet a complete text is still given', () => {
  const { store } = newStore({ bytesMax: 1000 })
  store.add(arrived(1, 2, 'x'.repeat(2000)))
  expect([store.messageCount, store.bytes]).toEqual([0, 0])
  expect(store.add(arrived(1, 1, 'x'.repeat(2000))).text).toHaveLength(2000)
})

test('10,000 messages of 255 parts that never complete stay under 50 MB of real memory', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { store } = newStore()
  const text = 'x'.repeat(134)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let sequence = 1; sequence <= 25; sequence++) {
    for (let message = 0; message < 10_000; message++) {
      store.add(arrived(sequence, 255, text, { source: `4479${message}` }))
    }
  }
  collect()
  expect(store.bytes).toBeLessThanOrEqual(50_000_000)
  expect(store.evictedCount).toBeGreaterThan(1000)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
}, 30_000)

test('whatever comes, the count of octets is that of the messages kept', () => {
  const part = fc.record({
    sequence: fc.integer({ min: 0, max: 4 }),
    total: fc.integer({ min: 0, max: 4 }),
    reference: fc.nat(3),
    text: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }),
    stepMs: fc.nat(400),
  })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const { store, clock } = newStore({ bytesMax: 4000, expiryMs: 1000 })
      for (const { sequence, total, reference, text, stepMs } of parts) {
        clock.ms += stepMs
        store.add(arrived(sequence, total, text, {}, reference))
        expect(store.bytes).toBeLessThanOrEqual(4000)
        expect(store.bytes > 0).toBe(store.messageCount > 0)
      }
      clock.ms += 1000
      store.expire()
      expect([store.bytes, store.messageCount]).toEqual([0, 0])
    }),
  )
})
