// Tests against the npm package "smpp", another implementation.
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import smpp from 'smpp'
import { startTestSmsc, type TestSmsc } from '../testing/test-smsc.ts'
import { connect } from './client.ts'

let cleanUp: (() => unknown)[] = []

afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step()
  cleanUp = []
})

test('its client binds to our server, submits, receives a receipt and unbinds', async () => {
  const gateway: TestSmsc = await startTestSmsc()
  cleanUp.push(() => gateway.server.stop(300))
  const session = smpp.connect({ host: '127.0.0.1', port: gateway.server.port })
  cleanUp.push(() => session.destroy())
  await once(session, 'connect')
  const call = (send: (callback: (pdu: smpp.Pdu) => void) => void) =>
    new Promise<smpp.Pdu>((settle) => send(settle))
  const bound = await call((done) =>
    session.bind_transceiver({ system_id: 'theirs', password: 'secret' }, done),
  )
  expect(bound).toMatchObject({ command_status: 0, system_id: 'gate', sc_interface_version: 0x34 })
  const message = { source_addr: '100', destination_addr: '4917012345', short_message: 'Grüße €' }
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => call((done) => session.submit_sm(message, done))),
  )
  expect(answers.map((pdu) => pdu.command_status)).toEqual(answers.map(() => 0))
  expect(new Set(answers.map((pdu) => pdu['message_id'])).size).toBe(30)
  expect(gateway.requests[0]).toMatchObject({ body: { sourceAddr: '100', destinationAddr: '4917012345' } })
  session.on('deliver_sm', (pdu) => session.send(pdu.response()))
  expect(await gateway.bound().send('deliver_sm', { destinationAddr: '100', esmClass: 4 })).toMatchObject({
    kind: 'answered',
    status: 0,
  })
  expect(await call((done) => session.enquire_link({}, done))).toMatchObject({ command_status: 0 })
  expect(await call((done) => session.unbind({}, done))).toMatchObject({ command: 'unbind_resp' })
  await expect.poll(() => gateway.closes).toMatchObject([{ by: 'peer', cause: 'unbind' }])
})

test('our client binds to its server, submits and receives', async () => {
  const seen: smpp.Pdu[] = []
  const server = smpp.createServer((session) => {
    session.on('error', () => undefined)
    session.on('bind_transceiver', (pdu) => session.send(pdu.response({ system_id: 'theirs' })))
    session.on('submit_sm', (pdu) => {
      seen.push(pdu)
      session.send(pdu.response({ message_id: `m${seen.length}` }))
      session.deliver_sm({ destination_addr: '77', short_message: 'back' }, () => undefined)
    })
    session.on('unbind', (pdu) => session.send(pdu.response()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.push(() => server.close())
  const got: string[] = []
  const outcome = await connect({
    host: '127.0.0.1',
    port: server.address().port,
    mode: 'transceiver',
    systemId: 'us',
    password: 'pw',
    handlers: {
      onRequest(session, request) {
        if (request.command === 'deliver_sm') got.push(request.body.shortMessage.toString('latin1'))
        session.respond(request, 0)
      },
    },
  })
  if (outcome.kind !== 'bound') throw new Error(outcome.kind)
  expect(outcome.peerSystemId).toBe('theirs')
  const sent = await outcome.session.send('submit_sm', {
    destinationAddr: '49170',
    shortMessage: Buffer.from('hi'),
  })
  expect(sent).toMatchObject({ kind: 'answered', status: 0, messageId: 'm1' })
  expect(seen[0]).toMatchObject({ destination_addr: '49170', short_message: { message: 'hi' } })
  await expect.poll(() => got).toEqual(['back'])
  await outcome.session.unbind(1_000)
})
