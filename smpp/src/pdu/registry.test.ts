import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { golden, goldenBytes } from '../testing/golden.ts'
import { tags } from '../tlv/tags.ts'
import { noTlvs, readTlvs } from '../tlv/tlv.ts'
import { commandId, type CommandName } from '../values/command-id.ts'
import { Reader } from '../wire/reader.ts'
import { Writer } from '../wire/writer.ts'
import { decodePdu, isProblem } from './decode.ts'
import { encodeAlone, encodePdu } from './encode.ts'
import type { Field, FieldShape } from './field.ts'
import { type AnyPdu, registry } from './registry.ts'

const names = Object.keys(registry) as CommandName[]

function text(octetsMax: number): fc.Arbitrary<string> {
  const letter = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code))
  return fc.array(letter, { maxLength: octetsMax - 1 }).map((letters) => letters.join(''))
}

const octet = fc.nat(255)
const bytesUpTo = (max: number) => fc.uint8Array({ maxLength: max }).map((value) => Buffer.from(value))

function valueOf(shape: FieldShape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'c-octet':
      return text(shape.octetsMax)
    case 'integer':
      return fc.nat(2 ** Math.min(31, 8 * shape.octets) - 1)
    case 'octets':
      return bytesUpTo(shape.octetsMax)
    case 'destinations':
      return fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant('address'), ton: octet, npi: octet, address: text(21) }),
          fc.record({ kind: fc.constant('list'), name: text(21) }),
        ),
        { minLength: 1, maxLength: 254 },
      )
    case 'failures':
      return fc.array(fc.record({ ton: octet, npi: octet, address: text(21), status: fc.nat() }), {
        maxLength: 255,
      })
  }
}

const unknownTlvs = fc
  .uniqueArray(fc.record({ tag: fc.integer({ min: 0x1400, max: 0x3fff }), value: bytesUpTo(40) }), {
    selector: (tlv) => tlv.tag,
    maxLength: 50,
  })
  .map((tlvs) => (tlvs.length === 0 ? noTlvs : tlvs))

function bodyOf(name: CommandName): fc.Arbitrary<object> {
  const fields = registry[name].fields as Record<string, Field<unknown>>
  const values = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, valueOf(field.shape)]))
  return fc.record({ ...values, tlvs: unknownTlvs })
}

function decode(bytes: Buffer, isStrict = false): AnyPdu {
  const pdu = decodePdu(bytes, 0, bytes.length, isStrict, 0)
  if (isProblem(pdu)) throw new Error(`${pdu.status}: ${pdu.reason}`)
  return pdu
}

describe.each(names)('%s', (name) => {
  test('decodes what it encoded', () => {
    fc.assert(
      fc.property(bodyOf(name), fc.nat(0x7fffffff), (body, sequence) => {
        // Decoding refuses a schedule that is not a time, so it is left out here.
        const sendable = { ...body, scheduleDeliveryTime: '', validityPeriod: '' }
        const expected = 'scheduleDeliveryTime' in body ? sendable : body
        const pdu = decode(encodeAlone(name, 0, sequence, expected))
        expect(pdu.command).toBe(name)
        expect(pdu.sequence).toBe(sequence)
        expect(pdu.body).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  test('cut short or lengthened, gives a PDU or a problem and never throws', () => {
    fc.assert(
      fc.property(bodyOf(name), fc.nat(), bytesUpTo(20), (body, cut, tail) => {
        const whole = encodeAlone(name, 0, 1, body)
        const bytes = Buffer.concat([whole.subarray(0, 16 + (cut % (whole.length - 15))), tail])
        const result = decodePdu(bytes, 0, bytes.length, true, 0)
        expect(isProblem(result) ? result.status : 1).toBeGreaterThan(0)
      }),
      { numRuns: 60 },
    )
  })
})

test.each(golden)('golden $command is read and written octet by octet', (entry) => {
  const bytes = goldenBytes(entry)
  const pdu = decode(bytes)
  expect(pdu).toMatchObject({ command: entry.command, sequence: entry.sequence, status: entry.status })
  expect(pdu.body).toMatchObject(entry.body)
  const again = encodeAlone(entry.command, entry.status, entry.sequence, entry.body)
  expect(again.toString('hex')).toBe(bytes.toString('hex'))
})

test('the fast reader of short messages equals reading by the field list', () => {
  fc.assert(
    fc.property(bodyOf('submit_sm'), fc.nat(), fc.nat(255), fc.boolean(), (body, where, value, isLenient) => {
      const bytes = Buffer.from(encodeAlone('submit_sm', 0, 1, body))
      bytes[16 + (where % (bytes.length - 16))] = value
      const fast = new Reader(bytes, 16, bytes.length, isLenient)
      const slow = new Reader(bytes, 16, bytes.length, isLenient)
      const fastBody = registry.submit_sm.read(fast, () => undefined)
      const slowBody: Record<string, unknown> = {}
      for (const [key, field] of Object.entries(registry.submit_sm.fields)) slowBody[key] = field.read(slow)
      slowBody['tlvs'] = slow.failure === 0 ? readTlvs(slow, () => undefined) : noTlvs
      expect({ failure: fast.failure, reason: fast.reason, at: fast.at }).toEqual({
        failure: slow.failure,
        reason: slow.reason,
        at: slow.at,
      })
      if (fast.failure === 0) expect(fastBody).toEqual(slowBody)
    }),
  )
})

test('every command of the table has its PDU under its own name and id', () => {
  expect(names.toSorted()).toEqual(Object.keys(commandId).toSorted())
  for (const name of names) expect(registry[name]).toMatchObject({ name, id: commandId[name] })
})

test('a body that does not fit is refused and leaves the writer unchanged', () => {
  const writer = new Writer(8)
  expect(encodePdu(writer, 'enquire_link', 0, 1, {})).toBeUndefined()
  const before = writer.at
  expect(encodePdu(writer, 'submit_sm', 0, 2, { destinationAddr: '1'.repeat(21) })).toContain('21 octets')
  expect(encodePdu(writer, 'submit_sm', 0, 2, { sourceAddr: 'a\0b' })).toContain('NUL')
  expect(encodePdu(writer, 'submit_sm', 0, 2, { sourceAddr: 'ł' })).toContain('beyond one octet')
  expect(encodePdu(writer, 'submit_sm', 0, 2, { shortMessage: Buffer.alloc(255) })).toContain('254')
  expect(encodePdu(writer, 'submit_sm', 0, 2, { esmClass: 256 })).toContain('256')
  expect(writer.at).toBe(before)
  expect(encodePdu(writer, 'enquire_link', 0, 3, {})).toBeUndefined()
  expect(writer.bytes.readUInt32BE(before + 12)).toBe(3)
})

test('a peer older than 3.4 gets no TLV, and the payload as short_message', () => {
  const writer = new Writer(64)
  const payload = { tag: tags.messagePayload.tag, value: Buffer.from('text') }
  expect(encodePdu(writer, 'deliver_sm', 0, 1, { tlvs: [payload] }, false)).toBeUndefined()
  const pdu = decode(writer.bytes.subarray(0, writer.at))
  expect(pdu.body).toMatchObject({ shortMessage: Buffer.from('text'), tlvs: [] })
  const long = { ...payload, value: Buffer.alloc(255) }
  expect(encodePdu(writer, 'deliver_sm', 0, 1, { tlvs: [long] }, false)).toContain('254')
})

// Decodes bytes of real PDUs, changed, cut and joined. FUZZ_MS sets a longer run.
test('mutated PDUs never make the decoder throw', { timeout: 600_000 }, () => {
  const untilMs = Date.now() + Number(process.env['FUZZ_MS'] ?? 300)
  const seeds = golden.map(goldenBytes)
  let state = Number(process.env['FUZZ_SEED'] ?? 1)
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  let count = 0
  let problemCount = 0
  while (Date.now() < untilMs) {
    const bytes = Buffer.concat([seeds[random(seeds.length)]!, Buffer.alloc(random(8))])
    for (let change = 1 + random(6); change > 0; change--) bytes[4 + random(bytes.length - 4)] = random(256)
    const end = 16 + random(bytes.length - 15)
    const result = decodePdu(bytes, 0, end, random(2) === 1, 0)
    count += 1
    if (isProblem(result)) {
      problemCount += 1
      expect(result.status).toBeGreaterThan(0)
    }
  }
  expect(count).toBeGreaterThan(100)
  expect(problemCount).toBeGreaterThan(10)
})
