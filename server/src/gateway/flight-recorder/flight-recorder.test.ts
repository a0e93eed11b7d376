import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { FlightPdu } from '@tollgate/contract/gateway/flight-recorder.ts'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { Client, submit } from '../../../test/traffic/client.ts'
import { openAdminApi, openTestGateway } from '../../../test/traffic/gateway.ts'
import { rows } from '../../platform/db.ts'

const environment = await openTestGateway()
const { node, db } = environment
const { api, cookie } = await openAdminApi(environment)

const turn = (link: string, isOn: boolean) =>
  api.call('PUT', `/api/smpp/flights/${link}`, { cookie, body: { isOn } })
const flight = async (link: string, query = ''): Promise<{ isOn: boolean; pdus: FlightPdu[] }> =>
  (await api.call('GET', `/api/smpp/flights/${link}${query}`, { cookie })).body
const commands = ({ pdus }: { pdus: FlightPdu[] }) => pdus.map(({ command }) => command).toReversed()

/** Switches it on, and polls until the node captures the PDUs of the link. */
async function record(link: string, peer: Peer): Promise<void> {
  await turn(link, true)
  await expect
    .poll(async () => {
      peer.send('enquire_link', 99)
      await peer.next()
      return commands(await flight(link))
    })
    .toContain('enquire_link')
}

test('a link that is switched on shows its PDUs in both directions, and no text', async () => {
  const supplier = await environment.account()
  const link = `bind-${supplier.userId}`
  const isAnswered = ({ command, answerMs }: FlightPdu) => command === 'submit_sm' && answerMs !== null
  const peer = await node.bound(supplier)
  const digits = await environment.number()
  await submit(peer, digits, ['before it was on'])
  expect(await turn(link, true)).toMatchObject({ status: 200, body: { isOn: true } })
  await expect
    .poll(
      async () => {
        await submit(peer, digits, ['canary text 4711'])
        return (await flight(link)).pdus.some(isAnswered)
      },
      { interval: 300 },
    )
    .toBe(true)
  const shown = await flight(link)
  expect(commands(shown)).toEqual(expect.arrayContaining(['submit_sm', 'submit_sm_resp']))
  // The answer to the last one may be stored a moment after it.
  const sent = shown.pdus.find(isAnswered)
  expect(sent).toMatchObject({ direction: 'in', status: 0 })
  const hexOf = (text: string) => Buffer.from(text).toString('hex')
  expect(sent?.fields).toContainEqual({ name: 'destination_addr', value: digits, hex: `${hexOf(digits)}00` })
  expect(sent?.fields).toContainEqual({
    name: 'short_message',
    value: '16 octets',
    hex: `10${'··'.repeat(16)}`,
  })
  expect(sent?.fields.slice(0, 4).map(({ name }) => name)).toEqual([
    'command_length',
    'command_id',
    'command_status',
    'sequence_number',
  ])
  expect(sent?.fields.map(({ hex }) => hex).join('')).toHaveLength(2 * (sent?.octets ?? 0))
  expect(sent).toMatchObject({ statusName: 'ESME_ROK', answerMs: expect.any(Number) })
  const kept = JSON.stringify(await rows(db, sql`select fields::text from flight_pdus`))
  expect(kept).not.toContain('canary')
  expect(kept).not.toContain(hexOf('canary'))
  peer.destroy()
})

test('a message and its request are found by id, and errors and commands can be filtered', async () => {
  const supplier = await environment.account()
  const link = `bind-${supplier.userId}`
  const peer = await node.bound(supplier)
  const digits = await environment.number()
  await record(link, peer)
  const [id = ''] = await submit(peer, digits, ['one'])
  await submit(peer, digits, ['two'])
  peer.send('submit_sm', 77, { destinationAddr: '447700999999' })
  expect(await peer.next()).toMatchObject({ status: 0x0b })
  peer.send('enquire_link', 78)
  await expect.poll(async () => commands(await flight(link))).toContain('submit_sm')
  await expect
    .poll(async () => (await flight(link, '?errors=true')).pdus.map(({ command }) => command))
    .toEqual(['submit_sm_resp'])
  const found = await flight(link, `?messageId=${id}`)
  expect(commands(found)).toEqual(['submit_sm', 'submit_sm_resp'])
  expect(found.pdus.map(({ messageId }) => messageId)).toEqual([id, id])
  expect(commands(await flight(link, '?errors=true'))).toEqual(['submit_sm_resp'])
  expect(new Set(commands(await flight(link, '?command=enquire_link')))).toEqual(
    new Set(['enquire_link', 'enquire_link_resp']),
  )
  expect(new Set((await flight(link, '?direction=out')).pdus.map(({ direction }) => direction))).toEqual(
    new Set(['out']),
  )
  peer.destroy()
})

test('any PDU can be captured: with any status, and with a NUL in its id', async () => {
  const supplier = await environment.account()
  const link = `bind-${supplier.userId}`
  const peer = await node.bound(supplier)
  await record(link, peer)
  const header = (length: number, id: number, status: number) => {
    const raw = Buffer.alloc(length)
    for (const [at, value] of [length, id, status, 5].entries()) raw.writeUInt32BE(value, at * 4)
    return raw
  }
  peer.socket.write(header(16, 0x80000015, 0xffffffff))
  const tlv = { tag: 0x001e, value: Buffer.from('ab\0cd\0') }
  peer.send('data_sm', 6, { destinationAddr: '447700999999', tlvs: [tlv] })
  await expect.poll(async () => commands(await flight(link))).toContain('data_sm')
  const { pdus } = await flight(link)
  expect(pdus.find(({ command }) => command === 'enquire_link_resp')).toMatchObject({
    status: 0xffffffff,
    statusName: '',
  })
  expect(pdus.find(({ command }) => command === 'data_sm')).toMatchObject({ messageId: 'ab' })
  peer.destroy()
})

test('switched off it captures nothing; each switch is in the audit log; a bad link is refused', async () => {
  const client = await environment.account()
  const link = `bind-${client.userId}`
  await turn(link, true)
  expect(await turn(link, false)).toMatchObject({ body: { isOn: false, onUntil: null } })
  const digits = await environment.number('active', client)
  const bind = await Client.bound(node, client)
  const supplier = await node.bound(await environment.account())
  await submit(supplier, digits, ['unseen'])
  await bind.until(1)
  await new Promise((done) => setTimeout(done, 1_500))
  expect(await flight(link)).toEqual({ isOn: false, onUntil: null, pdus: [] })
  const orders = await rows<{ action: string }>(
    db,
    sql`select action from audit_entries where object_id = ${link} order by id`,
  )
  expect(orders.map(({ action }) => action)).toEqual(['flight.on', 'flight.off'])
  expect(await turn('everything', true)).toMatchObject({ status: 404 })
  bind.peer.destroy()
  supplier.destroy()
})

test('a refused bind shows by its system_id and by its address, without being switched on, and no password', async () => {
  const supplier = await environment.account()
  const address = '127.0.0.9'
  const { status, peer } = await node.tryBind(supplier.systemId, {
    password: 'canary99',
    localAddress: address,
  })
  expect(status).toBe(0x0e)
  peer.destroy()
  await expect
    .poll(async () => commands(await flight(`refused-${supplier.systemId}`)))
    .toEqual(['bind_transceiver', 'bind_transceiver_resp'])
  const { isOn, pdus } = await flight(`address-${address}`)
  expect(isOn).toBe(true)
  expect(pdus.map(({ status: each }) => each)).toEqual([0x0e, 0])
  expect(pdus[1]!.fields.find(({ name }) => name === 'system_id')?.value).toBe(supplier.systemId)
  const stored = JSON.stringify(await rows(db, sql`select * from flight_pdus`))
  for (const secret of ['canary99', Buffer.from('canary99').toString('hex')])
    expect(stored).not.toContain(secret)
  expect(await turn(`refused-${supplier.systemId}`, true)).toMatchObject({ status: 404 })
})

test('a link that is recorded shows its next bind too', async () => {
  const supplier = await environment.account()
  const link = `bind-${supplier.userId}`
  await record(link, await node.bound(supplier))
  const again = await node.bound(supplier, 'transmitter')
  await expect
    .poll(async () => commands(await flight(link)))
    .toEqual(expect.arrayContaining(['bind_transmitter', 'bind_transmitter_resp']))
  again.destroy()
})
