// The client against real servers of this library.
import { afterEach, expect, test } from 'vitest'
import { startTestSmsc, type TestSmsc } from '../testing/test-smsc.ts'
import { formatReceipt } from '../text/receipt.ts'
import { splitText } from '../text/split.ts'
import { findTlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { commandStatus } from '../values/command-status.ts'
import { messageState } from '../values/message-state.ts'
import type { JoinedMessage } from './part-joiner.ts'
import type { TrackedMessage } from './receipt-tracker.ts'
import type { OutgoingText } from './send-text.ts'
import { SmsClient, type SmsClientOptions } from './sms-client.ts'

const toStop: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of toStop.splice(0).toReversed()) await stop()
})

async function started(options: Parameters<typeof startTestSmsc>[0] = {}): Promise<TestSmsc> {
  const smsc = await startTestSmsc(options)
  toStop.push(() => smsc.server.stop(200))
  return smsc
}

function clientOf(smscs: readonly TestSmsc[], options: Partial<SmsClientOptions> = {}): SmsClient {
  const client = new SmsClient({
    hosts: smscs.map(({ server }) => ({ host: '127.0.0.1', port: server.port })),
    systemId: 'esme',
    password: 'secret',
    ...options,
  })
  toStop.push(() => client.close(200))
  return client
}

const submitted = ({ requests }: TestSmsc) =>
  requests.flatMap((request) => (request.command === 'submit_sm' ? [request.body] : []))

const long = 'Grüße aus Köln, und viel Text. '.repeat(12)

test('a long text leaves as segments and has one outcome with the id of each, in their order', async () => {
  const smsc = await started()
  const outcome = await clientOf([smsc]).sendText({ from: 'Shop', to: '+4917012345678', text: long })
  expect(outcome).toMatchObject({ kind: 'sent', messageIds: ['id-1', 'id-2', 'id-3'] })
  expect(submitted(smsc)).toHaveLength(3)
  expect(submitted(smsc)[0]).toMatchObject({
    sourceAddr: 'Shop',
    sourceAddrTon: 5,
    destinationAddr: '4917012345678',
    destAddrTon: 1,
    esmClass: 0x40,
    dataCoding: 0,
  })
})

test('sar_ parameters carry the position instead of a header, and a national number leaves as one', async () => {
  const smsc = await started()
  const to = { digits: '017012345678', ton: 2, npi: 1 }
  await clientOf([smsc]).sendText({ to, text: 'ж'.repeat(100), carrier: 'sar', reference: 7 })
  const bodies = submitted(smsc)
  expect(bodies).toMatchObject([
    { destinationAddr: '017012345678', destAddrTon: 2, esmClass: 0, dataCoding: 8 },
    { destAddrTon: 2, esmClass: 0, dataCoding: 8 },
  ])
  expect(bodies.map(({ tlvs }) => findTlv(tlvs, tags.sarSegmentSeqnum))).toEqual([1, 2])
  expect(bodies.map(({ tlvs }) => findTlv(tlvs, tags.sarMsgRefNum))).toEqual([7, 7])
})

test('a refused segment fails the message, and says which segments the SMSC has', async () => {
  let count = 0
  const smsc = await started({
    handlers: {
      onBind: () => ({ accept: true, account: 'a', systemId: 'gate' }),
      onRequest(session, request) {
        count += 1
        session.respond(request, count === 2 ? commandStatus.ESME_RINVDSTADR : 0, `id-${count}`)
      },
    },
  })
  const outcome = await clientOf([smsc]).sendText({ to: '4917012345678', text: long })
  expect(outcome).toMatchObject({
    kind: 'failed',
    fault: { kind: 'refused', status: 0x0b },
    segments: [
      { sequence: 1, messageId: 'id-1', fault: undefined },
      { sequence: 2, messageId: undefined, fault: { kind: 'refused' } },
      { sequence: 3, messageId: 'id-3' },
    ],
  })
})

test.each([commandStatus.ESME_RTHROTTLED, commandStatus.ESME_RMSGQFUL])(
  'an SMSC that is busy (%i) gets the segment again after a pause',
  async (status) => {
    let count = 0
    const startedAtMs = performance.now()
    const smsc = await started({
      handlers: {
        onBind: () => ({ accept: true, account: 'a', systemId: 'gate' }),
        onRequest: (session, request) => session.respond(request, (count += 1) === 1 ? status : 0, 'id'),
      },
    })
    const outcome = await clientOf([smsc]).sendText({ to: '4917012345678', text: 'hello' })
    expect(outcome).toMatchObject({ kind: 'sent', messageIds: ['id'] })
    expect(count).toBe(2)
    expect(performance.now() - startedAtMs).toBeGreaterThan(1_000)
  },
)

test('a signal ends the wait for an answer, and for a bind', async () => {
  const smsc = await started({ holdAnswers: true })
  const client = clientOf([smsc])
  const stop = new AbortController()
  const unanswered = client.sendText({ to: '4917012345678', text: 'hello' }, { signal: stop.signal })
  await expect.poll(() => smsc.requests).toHaveLength(1)
  stop.abort()
  expect(await unanswered).toMatchObject({ kind: 'failed', fault: { kind: 'unanswered' } })
  for (const request of smsc.requests) smsc.bound().respond(request, 0, 'late')
  const nobody = clientOf([], { bindWaitMs: 60_000 })
  const soon = AbortSignal.timeout(50)
  expect(await nobody.sendText({ to: '1', text: 'x' }, { signal: soon })).toMatchObject({
    kind: 'failed',
    fault: { kind: 'unsent' },
  })
})

test('receipts of several segments become one word, which only goes forward, also when one came early', async () => {
  const states: TrackedMessage<OutgoingText>[] = []
  const receiptOf = (id: string, state: 'DELIVRD' | 'ENROUTE') => ({
    destinationAddr: '49100',
    esmClass: 4,
    sourceAddr: '4917012345678',
    shortMessage: Buffer.from(
      formatReceipt({
        id,
        deliveredCount: 1,
        submittedAt: new Date(),
        doneAt: new Date(),
        state,
        errorCode: 0,
      }),
    ),
  })
  const smsc = await started({ holdAnswers: true })
  const client = clientOf([smsc], { onState: (state) => states.push(state) })
  const sending = client.sendText({ to: '4917012345678', text: long, receipts: 'all' })
  await expect.poll(() => smsc.requests).toHaveLength(3)
  const session = smsc.bound()
  // Before the answer that it belongs to, and in hexadecimal there.
  expect(await session.send('deliver_sm', receiptOf('291', 'DELIVRD'))).toMatchObject({ status: 0 })
  for (const [index, request] of smsc.requests.entries()) session.respond(request, 0, `0000012${index + 3}`)
  expect(await sending).toMatchObject({ kind: 'sent' })
  await session.send('deliver_sm', receiptOf('00000124', 'DELIVRD'))
  await session.send('deliver_sm', receiptOf('00000125', 'DELIVRD'))
  await session.send('deliver_sm', receiptOf('00000125', 'ENROUTE'))
  expect(states.map(({ state, isFinal }) => [state, isFinal])).toEqual([
    ['ENROUTE', false],
    ['DELIVRD', true],
  ])
  expect(states[1]?.tag.text).toBe(long)
})

test.each([
  ['in their order', [0, 1, 2]],
  ['with the first one last', [2, 1, 0]],
])(
  'a long message whose segments come %s is passed on once, also when the program failed at first',
  async (_, order) => {
    const messages: JoinedMessage[] = []
    let tries = 0
    const smsc = await started()
    const client = clientOf([smsc], {
      onMessage(message) {
        tries += 1
        if (tries === 1) throw new Error('the disk is full')
        messages.push(message)
      },
    })
    await client.pool.ready()
    const session = smsc.bound()
    const segments = splitText(long, { reference: 9 }) ?? []
    const statuses: unknown[] = []
    for (const place of [...order, order.at(-1) ?? 0]) {
      const segment = segments[place]
      if (segment === undefined) continue
      const { dataCoding, esmClass } = segment
      const body = { sourceAddr: '4917012345678', destinationAddr: '49100', dataCoding, esmClass }
      const outcome = await session.send('deliver_sm', { ...body, shortMessage: Buffer.from(segment.octets) })
      statuses.push(outcome.kind === 'answered' && outcome.status)
    }
    expect(statuses).toEqual([0, 0, commandStatus.ESME_RX_T_APPN, 0])
    expect(messages).toMatchObject([{ from: '4917012345678', to: '49100', text: long, missing: [] }])
  },
)

test('round-robin uses all hosts, and what has not left goes over another bind when one is lost', async () => {
  const [one, other] = [await started(), await started()]
  const client = clientOf([one, other])
  await expect.poll(() => client.pool.sessions).toHaveLength(2)
  await Promise.all(Array.from({ length: 10 }, () => client.sendText({ to: '4917012345678', text: 'x' })))
  expect([one.requests.length, other.requests.length]).toEqual([5, 5])
  await one.server.stop(200)
  const outcomes = await Promise.all(
    Array.from({ length: 4 }, () => client.sendText({ to: '4917012345678', text: 'x' })),
  )
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(4).fill('sent'))
  expect(other.requests).toHaveLength(9)
})

test('failover keeps to the first host that is bound', async () => {
  const [one, other] = [await started(), await started()]
  const client = clientOf([one, other], { policy: 'failover' })
  await expect.poll(() => client.pool.sessions).toHaveLength(2)
  for (let count = 0; count < 4; count += 1) await client.sendText({ to: '4917012345678', text: 'x' })
  expect([one.requests.length, other.requests.length]).toEqual([4, 0])
  await one.server.stop(200)
  await client.sendText({ to: '4917012345678', text: 'x' })
  expect(other.requests).toHaveLength(1)
})

test('close waits for the answers to what was sent, then unbinds', async () => {
  const smsc = await started({ holdAnswers: true })
  const client = clientOf([smsc])
  const sending = client.sendText({ to: '4917012345678', text: 'hello' })
  await expect.poll(() => smsc.requests).toHaveLength(1)
  const closing = client.close()
  for (const request of smsc.requests) smsc.bound().respond(request, 0, 'late')
  expect(await sending).toMatchObject({ kind: 'sent', messageIds: ['late'] })
  await closing
  expect(smsc.closes).toMatchObject([{ by: 'peer', cause: 'unbind' }])
  expect(await client.sendText({ to: '1', text: 'x' })).toMatchObject({ fault: { kind: 'unsent' } })
})

test('message_state and receipted_message_id count before the text', async () => {
  const states: string[] = []
  const smsc = await started()
  const client = clientOf([smsc], { onState: ({ state }) => states.push(state) })
  await client.sendText({ to: '4917012345678', text: 'x', receipts: 'all' })
  await smsc.bound().send('deliver_sm', {
    destinationAddr: '49100',
    esmClass: 4,
    shortMessage: Buffer.from('id:other stat:DELIVRD'),
    tlvs: [
      { tag: tags.receiptedMessageId.tag, value: Buffer.from('id-1\0') },
      { tag: tags.messageState.tag, value: Buffer.of(messageState.UNDELIVERABLE) },
    ],
  })
  expect(states).toEqual(['UNDELIV'])
})
