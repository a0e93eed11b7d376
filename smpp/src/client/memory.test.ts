// The parts of the client that remember: within limits of memory and time.
import { expect, test } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { splitText } from '../text/split.ts'
import { makeTlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { addressOf } from './addresses.ts'
import { type JoinedMessage, PartJoiner } from './part-joiner.ts'
import { ReceiptTracker } from './receipt-tracker.ts'

const text = 'Häuser und Gärten. '.repeat(30)

function segmentsOf(reference: number, from = '4917012345678') {
  return (splitText(text, { reference }) ?? []).map(({ octets, dataCoding, esmClass }) => ({
    sourceAddr: from,
    destinationAddr: '49100',
    shortMessage: Buffer.from(octets),
    dataCoding,
    esmClass,
    tlvs: [],
  }))
}

test('segments are joined in any order, beside those of other messages, and a repeated one is the same', () => {
  const joiner = new PartJoiner()
  const [one, other] = [segmentsOf(1).toReversed(), segmentsOf(1, '4917099999999')]
  const whole: (JoinedMessage | undefined)[] = []
  for (const [index, segment] of one.entries()) {
    const twin = other[index]
    whole.push(joiner.add(segment), joiner.add(segment))
    if (twin !== undefined) whole.push(joiner.add(twin))
  }
  expect(whole.filter((message) => message !== undefined)).toMatchObject([
    { from: '4917012345678', text, missing: [] },
    { from: '4917099999999', text, missing: [] },
  ])
  // The last segment, sent twice, began a message of its own.
  expect(joiner.waitingCount).toBe(1)
})

test('what waits too long or takes too much is given up with what is there', () => {
  const clock = new FakeClock()
  const abandoned: JoinedMessage[] = []
  const onIncomplete = (message: JoinedMessage) => abandoned.push(message)
  const joiner = new PartJoiner({ clock, onIncomplete, keepMs: 60_000, octetsMax: 2_000 })
  const [first, second] = segmentsOf(1)
  if (first === undefined || second === undefined) throw new Error('the text has several segments')
  joiner.add(first)
  clock.advance(59_000)
  joiner.add(second)
  clock.advance(59_000)
  expect(abandoned).toEqual([])
  clock.advance(1_000)
  expect(abandoned).toMatchObject([{ missing: [3, 4] }])
  expect(abandoned[0]?.text).toMatch(/^Häuser.*\[…\]$/)
  for (let reference = 2; reference < 1_000; reference += 1)
    joiner.add({ ...first, shortMessage: segmentsOf(reference)[0]?.shortMessage ?? first.shortMessage })
  expect(joiner.waitingCount).toBeLessThanOrEqual(3)
  joiner.close()
  expect(joiner.waitingCount).toBe(0)
  expect(clock.timerCount).toBe(0)
})

const receiptFor = (id: string, state = 'DELIVRD', sourceAddr = '4917012345678') => ({
  esmClass: 4,
  dataCoding: 0,
  sourceAddr,
  shortMessage: Buffer.from(`id:${id} stat:${state}`),
  tlvs: [],
})

test.each([
  ['the same text', 'Ab-1', 'Ab-1'],
  ['leading zeros', '0000042', '42'],
  ['hexadecimal in the answer, decimal in the receipt', '1A2B', '6699'],
  ['decimal in the answer, hexadecimal in the receipt', '6699', '1a2b'],
  ['small and capital digits', '1a2b', '1A2B'],
])('a receipt is found by %s', (_, answered, reported) => {
  const words: string[] = []
  const tracker = new ReceiptTracker<string>({ onState: ({ state }) => words.push(state) })
  tracker.track({ tag: '', messageIds: [answered], to: '+4917012345678' })
  expect(tracker.receive(receiptFor(reported, 'DELIVRD', '017012345678'))).toBe(true)
  expect(words).toEqual(['DELIVRD'])
  expect(tracker.size).toBe(0)
})

test('an equal number in another form is not taken for a message to somebody else', () => {
  const words: string[] = []
  const tracker = new ReceiptTracker<string>({ onState: ({ state }) => words.push(state) })
  tracker.track({ tag: '', messageIds: ['10'], to: '4917012345678' })
  tracker.receive(receiptFor('16', 'DELIVRD', '4917099999999'))
  expect(words).toEqual([])
})

test('with forms that are known, numbers are compared without the address', () => {
  const words: string[] = []
  const idForms = { answer: 'hex', receipt: 'decimal' } as const
  const tracker = new ReceiptTracker<string>({ onState: ({ state }) => words.push(state), idForms })
  tracker.track({ tag: '', messageIds: ['10'], to: '4917012345678' })
  tracker.receive(receiptFor('16', 'REJECTD', ''))
  expect(words).toEqual(['REJECTD'])
})

test('messages are forgotten by age and by number, receipts without a message after a minute', () => {
  const clock = new FakeClock()
  const words: string[] = []
  const onState = ({ state }: { state: string }) => words.push(state)
  const tracker = new ReceiptTracker<number>({ clock, onState, segmentsMax: 10, keepMs: 1_000_000 })
  for (let tag = 0; tag < 20; tag += 1) tracker.track({ tag, messageIds: [`m${tag}`, `n${tag}`], to: '1' })
  expect(tracker.size).toBeLessThanOrEqual(6)
  tracker.receive(receiptFor('early'))
  clock.advance(61_000)
  tracker.track({ tag: 99, messageIds: ['early'], to: '1' })
  expect(words).toEqual([])
  clock.advance(1_000_000)
  tracker.track({ tag: 100, messageIds: ['z'], to: '1' })
  expect(tracker.size).toBe(1)
})

test('a message that is no receipt is left to the caller', () => {
  const tracker = new ReceiptTracker<string>({ onState: () => undefined })
  expect(tracker.receive({ ...receiptFor('1'), esmClass: 0 })).toBe(false)
  const tlvs = [makeTlv(tags.receiptedMessageId, '7')]
  expect(tracker.receive({ ...receiptFor('1'), tlvs })).toBe(true)
})

test.each([
  ['+4917012345678', '4917012345678', 1, 1],
  ['004917012345678', '4917012345678', 1, 1],
  ['4917012345678', '4917012345678', 1, 1],
  ['81234', '81234', 3, 1],
  ['Shop', 'Shop', 5, 0],
  ['', '', 0, 0],
])('"%s" means %s with TON %i and NPI %i', (text, digits, ton, npi) => {
  expect(addressOf(text)).toEqual({ digits, ton, npi })
})
