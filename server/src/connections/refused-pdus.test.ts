// What is refused over a link of ours is seen like what a supplier's bind gets refused.
import { expect, test } from 'vitest'
import { rawPdu } from '@tollgate/smpp/conformance/raw-pdus.ts'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { openAdminApi } from '../../test/traffic/gateway.ts'
import { rawDeliver, rawReceipt, text } from '../../test/traffic/odd-deliver.ts'
import { openSmsc } from '../../test/stand-ins/smsc.ts'
import { refusedAlerts } from '../alerts/index.ts'

const environment = await openTestConnections()
const { add, shows, db } = environment
const { api, cookie } = await openAdminApi(environment)

const refusalsOf = async (gateway: string) =>
  (await api.call('GET', '/api/smpp/refusals', { cookie })).body.filter(
    (row: { gateway: string }) => row.gateway === gateway,
  )

test('a message that a strict connection refuses is counted, listed with its octets but its text, and an alert', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { name: 'letter', isStrict: true })
  await shows(id, { status: 'connected' })
  const digits = await environment.number()
  const withNul = rawDeliver(digits, { message: Buffer.from('lost MO'), rest: Buffer.of(0) })
  for (let count = 0; count < 3; count += 1) expect(await smsc.deliverRaw(withNul)).toBe(0xc0)
  const rows = () => refusalsOf('letter')
  await expect.poll(rows, { timeout: 5_000 }).toMatchObject([{ reason: 'malformed', count: 3 }])
  const [row] = await rows()
  expect(row).toMatchObject({ statuses: [{ status: 0xc0, count: 3 }], detail: 'ends before a 2-octet field' })
  const hidden = withNul.toString('hex').replace(Buffer.from('lost MO').toString('hex'), '··'.repeat(7))
  expect(row.octets).toBe(hidden)
  const alert = (await refusedAlerts(db, new Date())).alerts.find(({ name }) => name === 'letter')
  expect(alert).toMatchObject({ kind: 'refused_traffic', count: 3, about: { connectionId: id } })
  expect(alert?.what).toContain('Answered 3 times: ')
})

test.each([
  [
    'a receipt with a network_error_code of 4 octets',
    0xc2,
    rawReceipt('id:1 stat:DELIVRD', '0423000403000000'),
  ],
  ['text and message_payload', 0xc1, rawDeliver('1', { rest: Buffer.from('04240000', 'hex') })],
  ['a reserved message_state', 0xc4, rawReceipt('id:1 stat:DELIVRD', '0427000109')],
  ['TON 7', 0x48, rawDeliver('1', { sourceTon: 7 })],
  ['a service_type of 8 characters', 0x15, rawDeliver('1', { serviceType: text('12345678') })],
  ['a source address of 21 characters', 0x0a, rawDeliver('1', { source: text('1'.repeat(21)) })],
  ['a text that ends early', 0x01, rawDeliver('1', { length: 200 })],
  ['an unbind with a body', 0xc0, rawPdu(6, 99, Buffer.of(1))],
])('%s is refused with 0x%s and listed', async (what, status, octets) => {
  const smsc = await openSmsc()
  const name = what.replaceAll(/\W/g, '-')
  const id = await add(smsc, { name, isStrict: true })
  await shows(id, { status: 'connected' })
  expect(await smsc.deliverRaw(octets)).toBe(status)
  await expect
    .poll(() => refusalsOf(name), { timeout: 5_000 })
    .toMatchObject([{ reason: 'malformed', count: 1, statuses: [{ status, count: 1 }] }])
  const [row] = await refusalsOf(name)
  expect(row.detail).not.toBe('')
  expect(row.octets).toHaveLength(2 * octets.length)
  expect(row.octets).not.toContain(Buffer.from('conformance').toString('hex'))
})

test('the flight recorder shows our own binds that an upstream refuses or does not answer, and no password', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'wrong-password'
  const id = await add(smsc, { password: 'canary12' })
  await shows(id, { lastErrorCode: 14 })
  const flight = async (link: string) =>
    (await api.call('GET', `/api/smpp/flights/connection-${link}`, { cookie })).body
  await expect
    .poll(async () => (await flight(id)).pdus.slice(-2))
    .toMatchObject([
      { command: 'bind_transceiver_resp', direction: 'in', status: 14 },
      { command: 'bind_transceiver', direction: 'out', status: 0 },
    ])
  expect(JSON.stringify(await flight(id))).not.toContain('canary12')
  const silent = await openSmsc()
  silent.behaviour = 'silent'
  const other = await add(silent)
  await expect.poll(async () => (await flight(other)).pdus.length, { timeout: 5_000 }).toBeGreaterThan(0)
})
