// The gateway seen by the client of another implementation: the npm package "smpp".
import { once } from 'node:events'
import smpp from 'smpp'
import { expect, test } from 'vitest'
import { openTestGateway, password } from '../../test/traffic/gateway.ts'

const environment = await openTestGateway()

test('its client binds, submits long and Unicode texts, queries and unbinds', async () => {
  const account = await environment.account()
  const digits = await environment.number()
  const session = smpp.connect({ host: '127.0.0.1', port: environment.node.port })
  await once(session, 'connect')
  const call = (send: (callback: (pdu: smpp.Pdu) => void) => void) =>
    new Promise<smpp.Pdu>((settle) => send(settle))
  const bound = await call((done) =>
    session.bind_transceiver({ system_id: account.systemId, password }, done),
  )
  expect(bound).toMatchObject({ command_status: 0, sc_interface_version: 0x34 })
  const texts = ['hello', 'Grüße €', 'שלום', 'x'.repeat(140)]
  const answers = await Promise.all(
    texts.map((text) =>
      call((done) =>
        session.submit_sm(
          { source_addr: '4915112345678', destination_addr: `+${digits}`, short_message: text },
          done,
        ),
      ),
    ),
  )
  expect(answers.map((pdu) => pdu.command_status)).toEqual([0, 0, 0, 0])
  expect(await environment.recordsTo(digits)).toHaveLength(4)
  const refused = await call((done) =>
    session.submit_sm({ destination_addr: '447700999999', short_message: 'x' }, done),
  )
  expect(refused.command_status).toBe(0x0b)
  const state = await call((done) => session.query_sm({ message_id: answers[0]?.['message_id'] }, done))
  expect(state).toMatchObject({ command_status: 0, message_state: 2 })
  expect(await call((done) => session.unbind({}, done))).toMatchObject({ command: 'unbind_resp' })
  session.destroy()
})

/** Binds the package's client and passes every deliver_sm to `take`. */
async function npmClient(systemId: string, take: (pdu: smpp.Pdu) => void): Promise<smpp.Session> {
  const session = smpp.connect({ host: '127.0.0.1', port: environment.node.port })
  await once(session, 'connect')
  session.on('deliver_sm', (pdu) => {
    take(pdu)
    session.send(pdu.response())
  })
  await new Promise<smpp.Pdu>((done) => session.bind_transceiver({ system_id: systemId, password }, done))
  return session
}

test('its client receives records and receipts, Unicode included', async () => {
  const [client, supplier] = [await environment.account(), await environment.account()]
  const digits = await environment.number('active', client)
  const [taken, receipts]: [smpp.Pdu[], smpp.Pdu[]] = [[], []]
  const receiving = await npmClient(client.systemId, (pdu) => taken.push(pdu))
  const sending = await npmClient(supplier.systemId, (pdu) => receipts.push(pdu))
  const texts = ['hello', 'Grüße €', 'שלום']
  const ids: unknown[] = []
  for (const short_message of texts) {
    const answer = await new Promise<smpp.Pdu>((done) =>
      sending.submit_sm(
        { source_addr: '4915112345678', destination_addr: digits, short_message, registered_delivery: 1 },
        done,
      ),
    )
    ids.push(answer['message_id'])
  }
  await expect.poll(() => taken.length).toBe(3)
  expect(taken.map((pdu) => (pdu['short_message'] as { message: string }).message)).toEqual(texts)
  await expect.poll(() => receipts.length).toBe(3)
  expect(new Set(receipts.map((pdu) => pdu['receipted_message_id']))).toEqual(new Set(ids))
  expect(receipts.map((pdu) => [pdu['esm_class'], pdu['message_state']])).toEqual([
    [4, 2],
    [4, 2],
    [4, 2],
  ])
  receiving.destroy()
  sending.destroy()
})
