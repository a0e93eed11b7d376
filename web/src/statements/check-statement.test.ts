import { expect, onTestFinished, test } from 'vitest'
import { formatWords } from '../format/sentences.ts'
import { setReaderFormats } from '../language/reader.ts'
import { setCatalogue } from '../language/t.ts'
import { checkStatement, fingerprintOf } from './check-statement.ts'

const { subtle } = globalThis.crypto
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const digest = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await subtle.digest('SHA-256', bytes))
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
const encode = (text: string) => new TextEncoder().encode(text)

const { publicKey, privateKey } = (await subtle.generateKey('Ed25519', true, [
  'sign',
  'verify',
])) as CryptoKeyPair
const rawKey = base64(await subtle.exportKey('raw', publicKey))

interface Making {
  /** Changes the text of a line after it was chained. */
  readonly spoil?: (line: string, place: number) => string
  readonly count?: number
  /** Lines between the sums and the end. */
  readonly beyond?: readonly object[]
  /** Fields of head and end that differ from the default. */
  readonly format?: number
  readonly end?: object
}

/** A statement as the gateway writes it, made by different code than the check. */
async function makeStatement(making: Making = {}): Promise<File> {
  const { spoil = (line) => line, count = 2_500, beyond = [], format = 1 } = making
  let hash: Uint8Array = new Uint8Array(32)
  const lines: string[] = []
  const add = async (line: object, isWhole = false) => {
    const text = JSON.stringify(line)
    hash = await digest(Uint8Array.from([...hash, ...encode(text)]))
    const shown = hexOf(hash).slice(0, isWhole ? 64 : 16)
    lines.push(`${text.slice(0, -1)},"chain":"${shown}"}`)
  }
  await add({
    type: 'statement',
    format,
    period: '3-1',
    userId: 1,
    client: 'klärchen',
    periodStart: '2026-03-02T00:00:00.000Z',
    periodEnd: '2026-03-09T00:00:00.000Z',
    closedAt: '2026-03-09T00:00:01.000Z',
    currency: 'USDT',
  })
  for (let place = 1; place <= count; place += 1)
    await add(
      {
        type: 'record',
        id: `R${place}`,
        at: '2026-03-03T10:00:00.000Z',
        number: '447700000001',
        sender: 'Añb',
        rate: '0.05',
        amount: '0.05',
        counts: 'bill',
      },
      place % 1_000 === 0,
    )
  const amount = (count * 0.05).toFixed(2)
  const sum = { counts: 'bill', numberId: 1, number: '447700000001', rateId: 1, rate: '0.05' }
  await add({ type: 'sum', ...sum, smsCount: count, amount })
  for (const line of beyond) await add(line)
  const end = {
    type: 'end',
    records: count,
    bill: amount,
    payouts: '0.00',
    held: '0.00',
    sealedAt: '2026-03-09T00:00:02.000Z',
    ...making.end,
    chain: hexOf(hash),
    publicKey: rawKey,
  }
  const signature = base64(await subtle.sign('Ed25519', privateKey, encode(JSON.stringify(end))))
  const all = [...lines, JSON.stringify({ ...end, signature })]
  return new File([all.map((line, index) => `${spoil(line, index + 1)}\n`).join('')], 'statement-3-1.jsonl')
}

const check = async (making?: Making) => checkStatement(await makeStatement(making), () => undefined)

test('a statement as it was signed is right, and progress reaches its end', async () => {
  const file = await makeStatement()
  const seen: number[] = []
  const checked = await checkStatement(file, (bytes) => seen.push(bytes))
  expect(checked).toMatchObject({
    faults: [],
    isSignatureChecked: true,
    recordCount: 2_500,
    lineCount: 2_503,
    header: { client: 'klärchen' },
    end: { bill: '125.00' },
  })
  expect(checked.fingerprint).toBe(fingerprintOf(rawKey))
  expect(seen.at(-1)).toBe(file.size)
})

test('a changed record is named by line and id, and only that one', async () => {
  const { faults } = await check({
    spoil: (line, place) => (place === 702 ? line.replace('447700000001', '447700000002') : line),
  })
  expect(faults[0]).toMatchObject({ line: 702, recordId: 'R701' })
  expect(faults[0]?.what).toContain('this line was changed')
  // The errors after this one concern the sums at the end.
  expect(faults.slice(1).every(({ line }) => line === 2_503)).toBe(true)
})

test.each<[string, Making['spoil'], string]>([
  [
    'a raised amount',
    (line, place) => (place === 9 ? line.replace('"amount":"0.05"', '"amount":"0.5"') : line),
    'is not the rate',
  ],
  ['a missing record', (line, place) => (place === 1_500 ? '' : line), 'missing or too many'],
  ['another signature', (line) => line.replace(/"signature":"../, '"signature":"AA'), 'signature'],
  ['a file cut off', (line, place) => (place > 2_000 ? '' : line), 'cut off'],
  ['something else', () => 'hello', 'not a line of a statement'],
])('%s is found', async (_, spoil, words) => {
  const { faults } = await check(spoil && { spoil })
  expect(faults.map(({ what }) => what).join('\n')).toContain(words)
})

const decided = (id: string, amount: string, type = 'release') => ({
  type,
  id,
  at: '2026-02-27T10:00:00.000Z',
  number: '447700000001',
  sender: '4915112345678',
  amount,
  heldIn: '2-1',
  decidedAt: '2026-03-04T10:00:00.000Z',
})
const correction = {
  kind: 'correction',
  at: '2026-03-04T10:00:00.000Z',
  amount: '-0.10',
  reason: 'a dispute',
}
const beyond = [
  decided('A', '0.05'),
  decided('B', '0.25'),
  decided('C', '9.00', 'refusal'),
  { type: 'adjustment', amount: '-0.10', entries: [correction] },
]
const beyondEnd = { bill: '0.70', released: '0.30', refused: '9.00' }

test('releases count in the bill and refusals do not', async () => {
  const checked = await check({ format: 2, count: 10, beyond, end: beyondEnd })
  expect(checked.faults).toEqual([])
  expect(checked.end).toMatchObject(beyondEnd)
})

test.each<[string, Omit<Making, 'format'>, string]>([
  [
    'a release that is left out of the bill',
    { beyond, end: { ...beyondEnd, bill: '0.40' } },
    'The end says bill 0.40, the lines come to 0.70',
  ],
  [
    'a refusal that is not said',
    { beyond, end: { ...beyondEnd, refused: '0.00' } },
    'The end says refused 0.00, the lines come to 9.00',
  ],
  [
    'a record that is released twice',
    { beyond: [...beyond, decided('A', '0.05')], end: { ...beyondEnd, bill: '0.75', released: '0.35' } },
    'decided on twice',
  ],
  [
    'an adjustment without its entries',
    { beyond: [{ type: 'adjustment', amount: '5.00', entries: [correction] }], end: { bill: '5.50' } },
    'their entries come to -0.10',
  ],
  [
    'entries that are none',
    { beyond: [{ type: 'adjustment', amount: '5.00', entries: [null] }], end: { bill: '5.50' } },
    '"" is not an amount',
  ],
])('%s is found', async (_, making, words) => {
  const { faults } = await check({ ...making, format: 2, count: 10 })
  expect(faults.map(({ what }) => what).join('\n')).toContain(words)
})

test('a fault is said in the language of the reader, with figures as that person writes them', async () => {
  setCatalogue({
    'The end says {name} {declared}, the lines come to {sum}.': '{name}: {declared}, {sum}',
    bill: 'חשבון',
  })
  setReaderFormats({ timeZone: 'UTC', numberFormat: 'point' })
  onTestFinished(() => {
    setCatalogue({})
    setReaderFormats()
  })
  const { faults } = await check({ beyond, end: { ...beyondEnd, bill: '0.40' }, format: 2, count: 10 })
  expect(faults.map(({ what, words }) => formatWords(words ?? what))).toEqual(['חשבון: 0,40, 0,70'])
})

test('in format 1 an adjustment may hold more than its entries say', async () => {
  const old = { type: 'adjustment', amount: '5.00', entries: [{ ...correction, kind: undefined }] }
  expect((await check({ count: 10, beyond: [old], end: { bill: '5.50' } })).faults).toEqual([])
  expect((await check({ count: 10, format: 3 })).faults[0]?.what).toContain('Format 3 is not known')
})

test('an empty file is none', async () => {
  const { faults } = await checkStatement(new File([], 'x'), () => undefined)
  expect(faults.map(({ what }) => what)).toEqual(['The file ends before its end line: it was cut off.'])
})
