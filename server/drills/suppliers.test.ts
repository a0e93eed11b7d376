// What suppliers hold against a gateway, and what against the machine.
import net from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { eachPdu, pdu, responseBit, submitSm } from '../test/traffic/wire.ts'
import { seededChoices } from './random.ts'
import { Suppliers } from './suppliers.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Takes binds, and answers messages once it is allowed to. */
async function openGateway() {
  const waiting: (() => void)[] = []
  let answers = false
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) =>
      eachPdu(chunk, (command, at) => {
        const reply = () =>
          void socket.write(
            pdu(command + responseBit, chunk.readUInt32BE(at + 12), Buffer.from('id\0', 'latin1')),
          )
        if (command === submitSm && !answers) waiting.push(reply)
        else reply()
      }),
    )
  })
  await new Promise<void>((open) => server.listen(0, '127.0.0.1', open))
  ends.push(() => server.close())
  return {
    port: (server.address() as net.AddressInfo).port,
    waiting,
    answer() {
      answers = true
      for (const reply of waiting.splice(0)) reply()
    },
  }
}

function startSuppliers(port: number) {
  const suppliers = new Suppliers({
    systemId: 'drill',
    password: 'secret',
    ports: [port],
    digits: ['449000000001'],
    binds: 1,
    window: 1,
    perSecond: 20,
    repeatShare: 0,
    random: seededChoices(1),
    patienceMs: 500,
  })
  ends.push(() => suppliers.stop())
  suppliers.start()
  return suppliers
}

test('a gateway that does not answer is given up, and it is told who broke the link', async () => {
  const gateway = await openGateway()
  const suppliers = startSuppliers(gateway.port)
  await expect.poll(() => suppliers.journal.unanswered, { timeout: 5_000 }).toBeGreaterThan(0)
  expect(suppliers.journal.outOfPatience).toBe(suppliers.journal.unanswered)
})

test('a machine that stalls for longer than the patience is no reason to give the gateway up', async () => {
  const gateway = await openGateway()
  const suppliers = startSuppliers(gateway.port)
  await expect.poll(() => gateway.waiting.length, { timeout: 5_000 }).toBe(1)
  const stalledUntilMs = performance.now() + 1_000
  while (performance.now() < stalledUntilMs);
  gateway.answer()
  await expect.poll(() => suppliers.acknowledged, { timeout: 5_000 }).toBeGreaterThan(0)
  expect(suppliers.journal.unanswered).toBe(0)
  expect(suppliers.stalledMs).toBeGreaterThan(800)
})
