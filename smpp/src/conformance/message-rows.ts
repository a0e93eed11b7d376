// Rows 37 to 68: messages, their fields and texts, receipts, limits.
import { parseReceipt } from '../text/receipt.ts'
import tls from 'node:tls'
import { hex, ProbeSocket, require, type ConformanceTarget } from './probe.ts'
import { rawPdu, rawSubmit, rawTlv, text, type RawSubmit } from './raw-pdus.ts'
import { type AnswerCase, answers, bound, withProbe, type ConformanceRow } from './row.ts'

type Changed = Partial<RawSubmit> | ((target: ConformanceTarget) => Partial<RawSubmit>)

const submit = (name: string, allowed: readonly number[], changed: Changed): AnswerCase => ({
  name,
  allowed,
  pdu: (sequence, target) =>
    rawSubmit(target.from, target.to, sequence, typeof changed === 'function' ? changed(target) : changed),
})

const accepted = [0]
const octets = (...values: number[]) => Buffer.from(values)
const empty = Buffer.alloc(0)

/** A part of a long message: its header, and a text. */
const part = (reference: number, total: number, sequence: number): Partial<RawSubmit> => ({
  esmClass: 0x40,
  message: Buffer.concat([octets(5, 0, 3, reference, total, sequence), Buffer.from('part')]),
})

const times = {
  // Within the time zone UTC, as SMPP 3.4 §7.1.1 writes it.
  absolute: (inMs: number) =>
    text(`${new Date(Date.now() + inMs).toISOString().replace(/\D/g, '').slice(2, 14)}000+`),
}
const dayMs = 86_400_000

/** Sends a message, which must be accepted within a few seconds; returns its id. */
async function submitted(
  probe: ProbeSocket,
  target: ConformanceTarget,
  changed: Partial<RawSubmit> = {},
): Promise<string> {
  probe.write(rawSubmit(target.from, target.to, 7, changed))
  const { status, body } = await probe.answerTo(7)
  require(status === 0, `the message is refused with ${hex(status)}`)
  return 'messageId' in body ? body.messageId : ''
}

const queryOf = (sequence: number, id: string, from: string) =>
  rawPdu(
    3,
    sequence,
    Buffer.concat([text(id), octets(/^\d+$/.test(from) ? 1 : 5, /^\d+$/.test(from) ? 1 : 0), text(from)]),
  )

export const messageRows: readonly ConformanceRow[] = [
  {
    number: 37,
    title: 'The smallest submit_sm',
    sent: 'a submit_sm with nothing but addresses and a text',
    expected: '0 with a message_id of 1 to 64 characters',
    check: answers([submit('smallest', accepted, {})]),
  },
  {
    number: 38,
    title: 'A failed submit_sm is answered by a header alone',
    sent: 'a submit_sm with sm_length 255',
    expected: 'a response of 16 octets, or of 17 with an empty id',
    check: bound(async (probe, { from, to }) => {
      probe.write(rawSubmit(from, to, 5, { length: 255 }))
      const { status, body } = await probe.answerTo(5)
      require(status !== 0, 'it was accepted')
      require(!('messageId' in body) || body.messageId === '', 'the refusal has a message_id')
    }),
  },
  {
    number: 39,
    title: 'The length of a text',
    sent: '0, 1, 254 octets, and sm_length 255',
    expected: 'accepted but for 255: 0x01',
    check: answers([
      submit('no text', accepted, { message: empty }),
      submit('one octet', accepted, { message: Buffer.from('a') }),
      submit('254 octets', accepted, { message: Buffer.alloc(254, 0x61) }),
      submit('sm_length 255', [0x01, 0x02], { message: Buffer.alloc(255, 0x61) }),
    ]),
  },
  {
    number: 40,
    title: 'sm_length that does not fit',
    sent: 'sm_length above and below what is there',
    expected: '0x01, 0x02 or 0xC0, the session stays',
    check: answers([
      submit('above', [0x01, 0x02, 0xc0, 0xc2], { length: 100, message: Buffer.from('hello') }),
      submit('below', [0x01, 0x02, 0xc0, 0xc2], { length: 1, message: Buffer.from('hello') }),
    ]),
  },
  {
    number: 41,
    title: 'message_payload',
    sent: 'payloads of 1 and 64,000 octets',
    expected: 'accepted',
    check: answers([
      submit('1 octet', accepted, { message: empty, rest: rawTlv(0x0424, Buffer.from('a')) }),
      submit('64,000 octets', accepted, { message: empty, rest: rawTlv(0x0424, Buffer.alloc(64_000, 0x61)) }),
    ]),
  },
  {
    number: 42,
    title: 'short_message and message_payload together',
    sent: 'both',
    expected: '0x01, 0xC1 or another refusal of the parameter',
    check: answers([submit('both', [0x01, 0xc1, 0xc2, 0xc4], { rest: rawTlv(0x0424, Buffer.from('a')) })]),
  },
  {
    number: 43,
    title: 'Addresses',
    sent: 'sources of 20 and 21, destinations of 21, none and letters',
    expected: 'accepted; 0x0A and 0x0B for the bad ones',
    check: answers([
      submit('source of 20', accepted, { sourceTon: 1, sourceNpi: 1, source: text('1'.repeat(20)) }),
      submit('source of 21', [0x0a, 0x01, 0x02], {
        sourceTon: 1,
        sourceNpi: 1,
        source: text('1'.repeat(21)),
      }),
      submit('destination of 21', [0x0b, 0x01, 0x02], { destination: text('1'.repeat(21)) }),
      submit('no destination', [0x0b], { destination: text('') }),
      submit('letters', [0x0b], { destination: text('letters') }),
      submit('a plus', accepted, ({ to }) => ({ destination: text(`+${to.replace(/^\+/, '')}`) })),
    ]),
  },
  {
    number: 44,
    title: 'Reserved TON and NPI',
    sent: 'TON 7 and NPI 2 of source and destination',
    expected: '0x48 to 0x51; a lenient SMSC accepts them',
    check: answers([
      submit('source TON 7', [0x48, 0x0a, 0], { sourceTon: 7 }),
      submit('source NPI 2', [0x49, 0x0a, 0], { sourceNpi: 2 }),
      submit('destination TON 7', [0x50, 0x0b, 0], { destinationTon: 7 }),
      submit('destination NPI 2', [0x51, 0x0b, 0], { destinationNpi: 2 }),
    ]),
  },
  {
    number: 45,
    title: 'Reserved flags',
    sent: 'priority_flag 4, replace_if_present_flag 2, registered_delivery 3',
    expected: '0x06, 0x54, 0x07; a lenient SMSC accepts them',
    check: answers([
      submit('priority 4', [0x06, 0], { priority: 4 }),
      submit('replace_if_present 2', [0x54, 0x13, 0], { replaceIfPresent: 2 }),
      submit('registered_delivery 3', [0x07, 0], { registeredDelivery: 3 }),
    ]),
  },
  {
    number: 46,
    title: 'schedule_delivery_time and validity_period',
    sent: 'no times, past ones, relative and absolute ones',
    expected: '0x61 and 0x62 for the bad ones, the others accepted',
    check: answers([
      submit('schedule that is no time', [0x61, 0x01], { schedule: text('tomorrow at noon') }),
      submit('validity that is no time', [0x62, 0x01], { validity: text('for a long time!') }),
      submit('past schedule', [0x61, 0], { schedule: times.absolute(-dayMs) }),
      submit('past validity', [0x62, 0], { validity: times.absolute(-dayMs) }),
      submit('relative validity', accepted, { validity: text('000001000000000R') }),
      submit('absolute validity', accepted, { validity: times.absolute(dayMs) }),
    ]),
  },
  {
    number: 47,
    title: 'service_type and esm_class',
    sent: 'a service_type of 6 characters, a reserved esm_class',
    expected: '0x15; 0x43, or accepted when lenient',
    check: answers([
      submit('service_type of 6', [0x15, 0x01, 0x02], { serviceType: text('sixsix') }),
      submit('esm_class 0x3C', [0x43, 0], { esmClass: 0x3c }),
    ]),
  },
  {
    number: 48,
    title: 'data_coding',
    sent: '0, 1, 3, 4, 8, 0xF1 and the unknown 0xBF',
    expected: 'accepted; 0xBF may be refused, but not lost',
    check: answers([
      ...[0, 1, 3, 4, 0xf1].map((dataCoding) =>
        submit(`coding ${hex(dataCoding)}`, accepted, { dataCoding }),
      ),
      submit('coding 0x08', accepted, { dataCoding: 8, message: Buffer.from('04220435', 'hex') }),
      submit('coding 0xBF', [0, 0x08, 0x45, 0x104], { dataCoding: 0xbf }),
    ]),
  },
  {
    number: 49,
    title: 'Unknown TLVs',
    sent: 'fifty of 0x1400 to 0x3FFF',
    expected: 'accepted',
    check: answers([
      submit('fifty TLVs', accepted, {
        rest: Buffer.concat(Array.from({ length: 50 }, (_, at) => rawTlv(0x1400 + at * 200, octets(at)))),
      }),
    ]),
  },
  {
    number: 50,
    title: 'A TLV beyond the end of its PDU',
    sent: 'a TLV that announces 100 octets and has one',
    expected: '0xC0 or another refusal, the session stays',
    check: answers([submit('overrun', [0xc0, 0xc2, 0x02], { rest: rawTlv(0x1400, octets(1), 100) })]),
  },
  {
    number: 51,
    title: 'A known TLV with a wrong length or value',
    sent: 'sar_total_segments of two octets; privacy_indicator 9',
    expected: '0xC2; 0xC4, or accepted when lenient',
    check: answers([
      submit('length', [0xc2, 0xc4, 0xc0], { rest: rawTlv(0x020e, octets(1, 1)) }),
      submit('value', [0xc4, 0xc2, 0], { rest: rawTlv(0x0201, octets(9)) }),
    ]),
  },
  {
    number: 52,
    title: 'A TLV that comes twice',
    sent: 'user_message_reference twice',
    expected: 'accepted',
    check: answers([
      submit('twice', accepted, {
        rest: Buffer.concat([rawTlv(0x0204, octets(0, 1)), rawTlv(0x0204, octets(0, 2))]),
      }),
    ]),
  },
  {
    number: 53,
    title: 'The GSM alphabet',
    sent: 'all 128 septets; an escape at the end',
    expected: 'accepted',
    check: answers([
      submit('all septets', accepted, { message: Buffer.from(Array.from({ length: 128 }, (_, at) => at)) }),
      submit('a lone escape', accepted, { message: octets(0x41, 0x1b) }),
    ]),
  },
  {
    number: 54,
    title: 'Broken UCS-2 and undeclared UTF-8',
    sent: 'an odd length, half a surrogate pair, a byte order mark, UTF-8 as coding 0',
    expected: 'accepted',
    check: answers([
      submit('odd length', accepted, { dataCoding: 8, message: octets(0x04, 0x22, 0x04) }),
      submit('half a pair', accepted, { dataCoding: 8, message: octets(0xd8, 0x3d) }),
      submit('byte order mark', accepted, { dataCoding: 8, message: octets(0xfe, 0xff, 0x04, 0x22) }),
      submit('UTF-8', accepted, { message: Buffer.from('Привет') }),
    ]),
  },
  {
    number: 55,
    title: 'Parts of a long message',
    sent: 'in order, repeated, part 0, part 5 of 3, a header longer than the text',
    expected: 'each is accepted; a header that is no header may be refused',
    check: answers([
      submit('part 1 of 2', accepted, part(7, 2, 1)),
      submit('part 2 of 2', accepted, part(7, 2, 2)),
      submit('part 2 again', accepted, part(7, 2, 2)),
      submit('16-bit reference', accepted, { esmClass: 0x40, message: octets(6, 8, 4, 1, 2, 1, 1, 0x61) }),
      submit('part 0', accepted, part(8, 2, 0)),
      submit('part 5 of 3', accepted, part(9, 3, 5)),
      submit('header too long', [0, 0x01, 0x08, 0x43, 0x45], {
        esmClass: 0x40,
        message: octets(200, 0, 3, 1, 2, 1),
      }),
    ]),
  },
  {
    number: 56,
    title: 'sar_ parameters',
    sent: 'the three parameters; beside a header',
    expected: 'accepted',
    check: answers([
      submit('sar_', accepted, {
        rest: Buffer.concat([
          rawTlv(0x020c, octets(0, 9)),
          rawTlv(0x020e, octets(2)),
          rawTlv(0x020f, octets(1)),
        ]),
      }),
      submit('sar_ and a header', accepted, {
        ...part(9, 2, 2),
        rest: Buffer.concat([
          rawTlv(0x020c, octets(0, 9)),
          rawTlv(0x020e, octets(2)),
          rawTlv(0x020f, octets(2)),
        ]),
      }),
    ]),
  },
  {
    number: 57,
    title: 'query_sm',
    sent: 'the id of a message just sent; an unknown id',
    expected: 'a state; 0x67 or 0x0C',
    check: bound(async (probe, target) => {
      const id = await submitted(probe, target)
      probe.write(queryOf(8, id, target.from))
      const own = await probe.answerTo(8)
      require(own.status === 0, `the own message: ${hex(own.status)}`)
      probe.write(queryOf(9, 'no-such-id', target.from))
      const other = await probe.answerTo(9)
      require([0x67, 0x0c].includes(other.status), `an unknown id: ${hex(other.status)}`)
    }),
  },
  {
    number: 58,
    title: 'All other requests',
    sent: 'cancel_sm, replace_sm, submit_multi, data_sm, outbind, alert_notification, broken',
    expected: 'each has its own response or generic_nack, no session closes',
    check: bound(async (probe) => {
      for (const [at, id] of [0x08, 0x07, 0x21, 0x103].entries()) {
        probe.write(rawPdu(id, 20 + at))
        const answer = await probe.answerTo(20 + at)
        require(answer.status !== 0, `an empty PDU ${hex(id)} is accepted`)
      }
      // What an SMSC sends, not an ESME: it may be ignored.
      probe.write(
        Buffer.concat([
          rawPdu(0x0b, 30, Buffer.concat([text('a'), text('b')])),
          rawPdu(0x102, 31, Buffer.alloc(6)),
        ]),
      )
      await probe.stays()
    }),
  },
  {
    number: 59,
    title: 'A receipt',
    sent: 'submit_sm with registered_delivery 1',
    expected: 'deliver_sm with esm_class 0x04, the id and a state, within 20 s',
    check: bound(async (probe, target) => {
      const id = await submitted(probe, target, { registeredDelivery: 1 })
      const isReceipt = (pdu: ProbeSocket['requests'][number]) =>
        pdu.command === 'deliver_sm' && (pdu.body.esmClass & 0x3c) === 4
      const pdu = await probe.request(isReceipt, 20_000, 'receipt')
      const receipt =
        pdu.command === 'deliver_sm' ? parseReceipt(pdu.body.shortMessage.toString('latin1')) : undefined
      require(receipt !== undefined, 'the receipt cannot be read')
      require(receipt.stateText !== undefined &&
        receipt.id !== undefined, `the receipt of ${id} has no id or state`)
    }),
  },
  ...(
    [
      [60, 'A receipt before the answer it belongs to', 'concerns the side that binds, not the SMSC'],
      [61, 'Ids in hexadecimal here and decimal there', 'concerns the side that binds, not the SMSC'],
      [62, 'A delivery that is not answered comes again', 'needs a message that the SMSC delivers to us'],
    ] as const
  ).map(([number, title, reason]) => ({ number, title, sent: '', expected: '', reason })),
  {
    number: 63,
    title: 'More messages at once than the window',
    sent: '200 submit_sm in one write',
    expected: 'each answered, with 0, 0x58 or 0x14',
    check: bound(async (probe, { from, to }) => {
      probe.write(Buffer.concat(Array.from({ length: 200 }, (_, at) => rawSubmit(from, to, 100 + at))))
      for (let at = 0; at < 200; at += 1) {
        const { status } = await probe.answerTo(100 + at, 20_000)
        require([0, 0x58, 0x14].includes(status), `one is answered ${hex(status)}`)
      }
    }),
  },
  {
    number: 64,
    title: 'A peer that does not read',
    sent: '2 MiB of enquire_links while nothing is read for 3 s; a second session meanwhile',
    expected: 'the second session is served: a message is answered',
    async check(target) {
      await withProbe(ProbeSocket.bound(target), async (deaf) => {
        deaf.socket.pause()
        const flood = Buffer.concat(Array.from({ length: 131_072 }, () => rawPdu(0x15, 5)))
        deaf.write(flood)
        await new Promise((resolve) => setTimeout(resolve, 3_000))
        await withProbe(ProbeSocket.bound(target), async (probe) => void (await submitted(probe, target)))
      })
    },
  },
  {
    number: 65,
    title: 'Thousands of idle sockets',
    sent: '',
    expected: 'a bind takes less than a second',
    reason: 'would be an attack on somebody else’s host',
  },
  {
    number: 66,
    title: 'The database of the SMSC is away',
    sent: '',
    expected: 'no success without its record',
    reason: 'needs an operator who stops the database',
  },
  {
    number: 67,
    title: 'Versions of TLS',
    sent: 'handshakes with TLS 1.1 and 1.2',
    expected: '1.1 is refused, 1.2 is accepted',
    reason: 'the port that was checked is plain; use --tls',
  },
  {
    number: 68,
    title: 'Links to SMSCs that are dead',
    sent: '',
    expected: 'attempts with jitter, ever more seldom',
    reason: 'concerns the side that binds, not the SMSC',
  },
]

/** Row 67 over TLS. */
export async function checkTlsVersions(target: ConformanceTarget): Promise<void> {
  const handshake = (version: tls.SecureVersion) =>
    new Promise<boolean>((resolve) => {
      const { host, port } = target
      const versions = { minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' } as const
      const socket = tls.connect({ ...target.tls, ...versions, host, port })
      const timer = setTimeout(() => done(false), 5_000)
      const done = (isDone: boolean): void => {
        clearTimeout(timer)
        socket.destroy()
        resolve(isDone)
      }
      socket.once('secureConnect', () => done(true))
      socket.once('error', () => done(false))
    })
  require(!(await handshake('TLSv1.1')), 'TLS 1.1 is accepted')
  require(await handshake('TLSv1.2'), 'TLS 1.2 is refused')
}
