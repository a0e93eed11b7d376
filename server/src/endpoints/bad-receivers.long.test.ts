// Receivers that stall, lie or break off, on real sockets.
import type { Socket } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import { firstCertificate } from '@tollgate/smpp/testing/certificates.ts'
import { openTestEndpoints } from '../../test/traffic/endpoints.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openReceiver, type ReceiverAnswer } from '../../test/stand-ins/receiver.ts'

const { add, sms, show, deliveries, timeOutAfter, hurry, clear } = await openTestEndpoints()

beforeEach(clear)

test('an endpoint that never responds delays no other endpoint', async () => {
  const [silent, well] = [await openReceiver(), await openReceiver()]
  silent.always('silence')
  timeOutAfter(silent.url, 120_000)
  const stalled = await add(silent.url, { userId: 1 })
  await add(well.url)
  for (let sent = 0; sent < 20; sent += 1) await sms()
  await Promise.all([well.until(20), silent.until(1)])
  const attempts = (await deliveries(stalled.id)).map((each: { attempts: number }) => each.attempts)
  expect(attempts).toEqual(Array.from({ length: 20 }, () => 0))
})

const notHttp =
  'The address cannot be reached, or its answer is not valid HTTP. Which of the two is not said of an address within the network.'
const late = 'The address did not answer in time.'

/** Writes until the other side has enough. */
function endless(socket: Socket) {
  const chunk = Buffer.alloc(65_536, 'x')
  const pump = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', pump).write('HTTP/1.1 200 OK\r\n\r\n')
  pump()
}

const saying = (text: string) => (socket: Socket) => socket.write(text)
const ending = (text: string) => (socket: Socket) => socket.end(text)
const short = 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf'
const taken = 'HTTP/1.1 204 No Content\r\n\r\n'

test.each<[string, ReceiverAnswer, string]>([
  ['never responds', 'silence', late],
  [
    'names two lengths',
    ending('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\nok'),
    notHttp,
  ],
  // RFC 9110 §8.6 and RFC 9112 §2.2: a recipient may refuse both.
  [
    'names its length twice',
    ending('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok'),
    notHttp,
  ],
  ['ends the lines of its head with a bare LF', ending('HTTP/1.1 200 OK\ncontent-length: 2\n\nok'), notHttp],
  ['sends headers without end', saying(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(200_000)}`), notHttp],
  ['speaks something else', ending('220 mail.example.com ESMTP\r\n'), notHttp],
  ['hangs up', 'hang up', notHttp],
  [
    'sends elsewhere',
    { status: 302, headers: { location: '/elsewhere' } },
    'The address answered 302: redirects are not followed.',
  ],
])(
  'an endpoint that %s is tried again, its error is shown, and it delays no other endpoint',
  async (_, lie, reason) => {
    const [liar, well] = [await openReceiver(), await openReceiver()]
    const endpoint = await add(liar.url, { userId: 1 })
    await add(well.url)
    liar.always(lie)
    if (reason === late) timeOutAfter(liar.url, 500)
    const id = await sms()
    await well.until(1)
    const only = async () => (await deliveries(endpoint.id))[0]
    await eventually(async () => expect(await only()).toMatchObject({ status: 'pending', error: reason }))
    liar.always({ status: 204 })
    timeOutAfter(liar.url, 60_000)
    await hurry(endpoint.id)
    await eventually(async () =>
      expect(await only()).toMatchObject({ status: 'delivered', error: '', recordId: id }),
    )
    const tries = liar.received.map((each) => `${each.path} ${each.id}`)
    expect(new Set(tries)).toEqual(new Set([`/hook ${liar.received[0]?.id}`]))
    const successRate = Math.round(1_000 / tries.length) / 10
    expect(await show(endpoint.id)).toMatchObject({ totalRequests: tries.length, successRate })
    expect(well.received).toHaveLength(1)
  },
)

test.each<[string, (socket: Socket) => void, number]>([
  ['resets the connection', (socket) => socket.write(taken, () => socket.resetAndDestroy()), 204],
  ['sends a body without end', endless, 200],
  ['ends before the length it named', ending(short), 200],
  ['stalls halfway in its body', saying(short), 200],
  [
    'answers what nobody asked',
    saying(`${taken}${'HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'.repeat(3)}`),
    204,
  ],
])(
  'an address that takes a record and then %s gets it once, and the next as ever',
  async (_, lie, status) => {
    const receiver = await openReceiver()
    const endpoint = await add(receiver.url, { userId: 1 })
    timeOutAfter(receiver.url, 3_000)
    let used: Socket | undefined
    receiver.script((socket) => lie((used = socket)))
    await sms()
    const delivered = { status: 'delivered', attempts: 1, responseStatus: status }
    await eventually(async () => expect(await deliveries(endpoint.id)).toMatchObject([delivered]))
    // A body is read up to a mebibyte, what stands after an answer not at all.
    await eventually(async () => expect(used?.destroyed).toBe(true))
    expect(used?.bytesWritten).toBeLessThan(16_777_216)
    await sms()
    await receiver.until(2)
    await eventually(async () =>
      expect(await show(endpoint.id)).toMatchObject({ status: 'active', totalRequests: 2, successRate: 100 }),
    )
  },
)

test('an endpoint with an untrusted certificate gets no request', async () => {
  const receiver = await openReceiver(firstCertificate)
  const endpoint = await add(receiver.url, { userId: 1 })
  await sms()
  await eventually(async () =>
    expect((await deliveries(endpoint.id))[0]).toMatchObject({
      status: 'pending',
      lastAttempt: expect.any(String),
      error: notHttp,
    }),
  )
  expect(receiver.received).toEqual([])
})
