// At least once, whatever is killed: what a client had not answered when the gateway died comes again, all of the rest
// comes once, and nothing is lost.
import { join } from 'node:path'
import smpp from 'smpp'
import { expect, test } from 'vitest'
import { freePort } from '../test/environment/free-port.ts'
import { signedIn, startProgram, temporaryFolder } from '../test/environment/program.ts'

const password = 'correct horse battery'
const number = '449098790142'

interface Credentials {
  readonly systemId: string
  readonly password: string
}

async function bound(port: number, { systemId, password: secret }: Credentials): Promise<smpp.Session> {
  const session = smpp.connect({ host: '127.0.0.1', port })
  // The link is meant to break: that is what the test is about.
  session.on('error', () => session.destroy())
  await new Promise<void>((done) =>
    session.on('connect', () =>
      session.bind_transceiver({ system_id: systemId, password: secret }, () => done()),
    ),
  )
  return session
}

test('kill -9 while a client receives: everything acknowledged reaches it, and nothing it took is tried again for long', async () => {
  const smppPort = await freePort()
  const environment = {
    DATA_DIR: join(await temporaryFolder(), 'data'),
    SMPP_PORT: String(smppPort),
    ADMIN_USERNAME: 'admin',
    ADMIN_PASSWORD: password,
  }
  const first = await startProgram('main', environment)
  await first.ready
  const call = await signedIn(first, 'admin', password)
  const people: Credentials[] = []
  const ids: number[] = []
  for (const username of ['supplier1', 'client1']) {
    const person = { username, password, email: 's@example.com', firstName: 'S', lastName: 'S' }
    const { id } = await call<{ id: number }>('POST', '/api/register', {
      ...person,
      role: 'user',
      smppAccess: true,
    })
    ids.push(id)
    people.push(await call<Credentials>('GET', `/api/users/${id}/smpp-credentials`))
  }
  const [supplier, client] = people as [Credentials, Credentials]
  const { id } = await call<{ id: string }>('POST', '/api/premium-numbers', { number, rate: '1.50' })
  await call('PUT', `/api/number-inventory/${id}/assign`, { userId: ids[1] })

  const taken = new Map<string, number>()
  const receive = (session: smpp.Session) =>
    session.on('deliver_sm', (pdu) => {
      const text = (pdu['short_message'] as { message: string }).message
      taken.set(text, (taken.get(text) ?? 0) + 1)
      session.send(pdu.response())
    })
  receive(await bound(smppPort, client))
  const sending = await bound(smppPort, supplier)
  const acknowledged: string[] = []
  let sent = 0
  const send = () => {
    const text = `message ${(sent += 1)}`
    sending.submit_sm(
      { source_addr: '447700900318', destination_addr: number, short_message: text },
      (answer) => {
        if (answer.command_status === 0) acknowledged.push(text)
        send()
      },
    )
  }
  for (let underWay = 0; underWay < 40; underWay += 1) send()
  const countOf = async (ask: typeof call, status: string) =>
    (await ask<{ count: number }>('GET', `/api/records/summary?status=${status}`)).count
  let notedBefore = 0
  await expect
    .poll(async () => (notedBefore = await countOf(call, 'reported')), { interval: 10 })
    .toBeGreaterThan(1_000)
  first.kill('SIGKILL')
  await first.exited
  const takenBefore = new Set(taken.keys())

  const second = await startProgram('main', environment)
  await second.ready
  receive(await bound(smppPort, client))
  await expect.poll(() => acknowledged.filter((text) => !taken.has(text))).toEqual([])
  const again = [...takenBefore].filter((text) => (taken.get(text) ?? 0) > 1)
  // What the client had answered in the last moments only: the rest is noted as reported.
  expect(again.length).toBeLessThanOrEqual(takenBefore.size - notedBefore)
  expect(Math.max(...taken.values())).toBeLessThanOrEqual(2)
  const after = await signedIn(second, 'admin', password)
  await expect.poll(() => countOf(after, 'pending')).toBe(0)
  second.kill('SIGTERM')
  await second.exited
})
