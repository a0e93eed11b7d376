// Who may bind, how, and what each kind of bind permits.
import { expect, test } from 'vitest'
import { rawHeader } from '../testing/hostile.ts'
import { message, openSmscFixture } from '../testing/smsc-fixture.ts'
import { tags } from '../tlv/tags.ts'
import { findTlv } from '../tlv/tlv.ts'

const fixture = openSmscFixture()

test.each([
  ['transmitter', 0x34, 0x34],
  ['receiver', 0x50, 0x34],
  ['transceiver', 0x35, 0x34],
  ['transceiver', 0x33, undefined],
  ['transmitter', 0x00, undefined],
] as const)('a %s with version %i sees SC_interface_version %s', async (mode, version, expected) => {
  await fixture.start()
  const peer = await fixture.dial()
  const response = await peer.bind(mode, version)
  expect(response).toMatchObject({ command: `bind_${mode}_resp`, status: 0, body: { systemId: 'gate' } })
  expect(findTlv(response.body.tlvs, tags.scInterfaceVersion)).toBe(expected)
  expect(fixture.smsc.bound()).toMatchObject({
    state: 'bound',
    mode,
    account: 'esme',
    interfaceVersion: version,
  })
})

test('a wrong password is refused with 0x0E, header-only, and the socket closes', async () => {
  await fixture.start()
  const peer = await fixture.dial()
  peer.send('bind_transceiver', 9, { systemId: 'esme', password: 'wrong' })
  expect(await peer.next()).toMatchObject({
    command: 'bind_transceiver_resp',
    status: 0x0e,
    sequence: 9,
    octets: 16,
  })
  await peer.closed()
  await expect
    .poll(() => fixture.smsc.closes)
    .toEqual([{ by: 'us', cause: 'bind-refused', detail: 'status 0xe' }])
})

test('a bind handler that fails is answered 0x08', async () => {
  await fixture.start({ handlers: { onBind: () => Promise.reject(new Error('no database')) } })
  const peer = await fixture.dial()
  peer.send('bind_transceiver', 9, { systemId: 'esme' })
  expect(await peer.next()).toMatchObject({ status: 8 })
  await peer.closed()
})

test('a second bind gets 0x05 and the first stays', async () => {
  await fixture.start()
  const peer = await fixture.bound()
  peer.send('bind_receiver', 2, { systemId: 'esme', password: 'secret' })
  expect(await peer.next()).toMatchObject({ command: 'bind_receiver_resp', status: 5 })
  peer.send('submit_sm', 3, message)
  expect(await peer.next()).toMatchObject({ status: 0 })
})

test.each([
  [{ systemId: 'a'.repeat(15) }, 0],
  [{ password: 'p'.repeat(64) }, 0],
  [{ systemType: 't'.repeat(12) }, 0],
  [{ addressRange: 'r'.repeat(40) }, 0],
])('the longest fields fit: %o', async (field, status) => {
  await fixture.start({
    handlers: { onBind: (_s, bind) => ({ accept: true, account: bind.systemId, systemId: 'g' }) },
  })
  const peer = await fixture.dial()
  peer.send('bind_transceiver', 1, { systemId: 'esme', password: 'secret', ...field })
  expect(await peer.next()).toMatchObject({ status })
})

test.each([
  [['a'.repeat(16), 'p', '', ''], 0x0f],
  [['a'.repeat(17), 'p', '', ''], 0x0f],
  [['a', 'p'.repeat(65), '', ''], 0x0e],
  [['a', 'p', 't'.repeat(13), ''], 0x53],
  [['a', 'p', '', 'r'.repeat(41)], 0x0d],
])('fields too long are refused with their own status', async ([id, password, type, range], status) => {
  await fixture.start()
  const peer = await fixture.dial()
  const body = Buffer.from(`${id}\0${password}\0${type}\0\x34\0\0${range}\0`, 'latin1')
  peer.write(Buffer.concat([rawHeader(16 + body.length, 9, 0, 1), body]))
  expect(await peer.next()).toMatchObject({ command: 'bind_transceiver_resp', status, octets: 16 })
})

test('a session that never binds is closed when session_init runs out, also with enquire_link', async () => {
  await fixture.start({ settings: { sessionInitMs: 200 } })
  const peer = await fixture.dial()
  const startMs = Date.now()
  peer.send('enquire_link', 1)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
  // Sends enquire_link all the time: if that extended the deadline, the session would never be closed.
  let sent = 1
  for (; !peer.isClosed && sent < 100; sent += 1) {
    await new Promise((settle) => setTimeout(settle, 50))
    peer.send('enquire_link', sent)
  }
  expect(sent).toBeLessThan(100)
  expect(Date.now() - startMs).toBeGreaterThanOrEqual(195)
  await expect.poll(() => fixture.smsc.closes[0]).toMatchObject({ cause: 'bind-timeout' })
})

test('requests outside their bind get 0x04 and the session stays', async () => {
  await fixture.start()
  const early = await fixture.dial()
  early.send('submit_sm', 1, message)
  expect(await early.next()).toMatchObject({ command: 'submit_sm_resp', status: 4, octets: 16 })
  await early.bind('receiver')
  for (const command of ['submit_sm', 'query_sm', 'cancel_sm', 'replace_sm', 'data_sm'] as const) {
    early.send(command, 2)
    expect(await early.next()).toMatchObject({ command: `${command}_resp`, status: 4 })
  }
  early.send('outbind', 3)
  expect(await early.next()).toMatchObject({ command: 'generic_nack', status: 3 })
  early.send('alert_notification', 3)
  expect(await early.next()).toMatchObject({ command: 'generic_nack', status: 3 })
  early.send('deliver_sm', 4, message)
  expect(await early.next()).toMatchObject({ command: 'deliver_sm_resp', status: 4 })
})

test('an unexpected deliver_sm_resp on a transmitter gets no answer, and the session stays', async () => {
  await fixture.start()
  const peer = await fixture.bound('transmitter')
  peer.send('deliver_sm_resp', 7)
  peer.send('submit_sm', 8, message)
  expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0, sequence: 8 })
  expect(fixture.smsc.faults).toEqual(['unexpected-response'])
})

test('the end of a session that closes while its bind is judged is reported once, with the accepted account', async () => {
  let grant: (() => void) | undefined
  const closed: unknown[] = []
  await fixture.start({
    handlers: {
      onBind: () =>
        new Promise((settle) => {
          grant = () => settle({ accept: true, account: 'slot', systemId: 'g' })
        }),
      onClosed: (session) => closed.push(session.account),
    },
  })
  const peer = await fixture.dial()
  peer.send('bind_transceiver', 1, { systemId: 'esme' })
  await expect.poll(() => grant).toBeDefined()
  peer.destroy()
  await new Promise((settle) => setTimeout(settle, 50))
  expect(closed).toEqual([])
  grant?.()
  await expect.poll(() => closed).toEqual(['slot'])
})
