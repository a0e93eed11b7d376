// Deliveries to a client over SMPP: how fast a backlog drains into its bind, and whether deliveries keep up with traffic.
// Load generator, gateway, PostgreSQL and the receiver share the machine.
import net from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMb } from '@tollgate/server/test/environment/children.ts'
import { load } from './children.ts'
import { databaseSeconds, processSeconds } from './processor-time.ts'
import { benchPassword, makeSupplier, type Call } from '@tollgate/server/test/http/operator.ts'
import { withGateway } from './with-gateway.ts'

interface Credentials {
  readonly systemId: string
  readonly password: string
}

const deliverSm = 0x00000005
const deliverSmResp = 0x80000005
const headerLength = 16
const numbersHeld = 50
const pacedPerSecond = 5_000

/** A client that answers each deliver_sm at once; it reads only headers, and writes the responses of a chunk together. */
class DeliveryReceiver {
  taken = 0
  readonly #socket: net.Socket
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: net.Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  static async bound(port: number, { systemId, password }: Credentials): Promise<DeliveryReceiver> {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true })
    const bind = Buffer.from(
      `\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01${systemId}\0${password}\0\0\x34\0\0\0`,
      'latin1',
    )
    bind.writeUInt32BE(bind.length, 0)
    socket.write(bind)
    const answer = await new Promise<Buffer>((settle, reject) => {
      socket.once('data', settle)
      socket.once('error', reject)
    })
    if (answer.readUInt32BE(8) !== 0)
      throw new Error(`The receiver's bind was refused: ${answer.readUInt32BE(8)}`)
    return new DeliveryReceiver(socket)
  }

  end(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const answers: Buffer[] = []
    let at = 0
    while (bytes.length - at >= headerLength) {
      const length = bytes.readUInt32BE(at)
      if (bytes.length - at < length) break
      if (bytes.readUInt32BE(at + 4) === deliverSm) {
        this.taken += 1
        const answer = Buffer.alloc(headerLength + 1)
        answer.writeUInt32BE(answer.length, 0)
        answer.writeUInt32BE(deliverSmResp, 4)
        bytes.copy(answer, 12, at + 12, at + 16)
        answers.push(answer)
      }
      at += length
    }
    this.#rest = bytes.subarray(at)
    if (answers.length > 0) this.#socket.write(Buffer.concat(answers))
  }
}

async function makeReceiver(call: Call): Promise<{ client: Credentials; digits: string[] }> {
  const { id } = (await call('POST', '/api/register', {
    username: 'benchclient',
    password: benchPassword,
    email: 'client@example.org',
    firstName: 'Bench',
    lastName: 'Client',
    role: 'user',
    smppAccess: true,
  })) as { id: number }
  const digits = Array.from({ length: numbersHeld }, (_, nth) => String(447_700_900_000 + nth))
  for (const number of digits) {
    const made = (await call('POST', '/api/premium-numbers', { number, rate: '1.50' })) as { id: string }
    await call('PUT', `/api/number-inventory/${made.id}/assign`, { userId: id })
  }
  return { client: (await call('GET', `/api/users/${id}/smpp-credentials`)) as Credentials, digits }
}

/** Waits until so many have arrived, or none for 10 s; returns how long that took, in ms. */
async function drained(receiver: DeliveryReceiver, target: number): Promise<number> {
  const startedAt = performance.now()
  let [seen, seenAt] = [receiver.taken, startedAt]
  while (receiver.taken < target && performance.now() - seenAt < 10_000) {
    await sleep(5)
    if (receiver.taken !== seen) [seen, seenAt] = [receiver.taken, performance.now()]
  }
  return performance.now() - startedAt
}

/** Measures and gives the section's text. */
export function measureDeliveries({ seconds }: { seconds: number }): Promise<string> {
  return withGateway(
    async () => undefined,
    async ({ gateway, call, postmasterPid }) => {
      const supplier = await makeSupplier(call)
      const { client, digits } = await makeReceiver(call)
      const offer = { ...supplier, port: gateway.port, digits, binds: 4, window: 50, seconds }

      // The client has received before and is not bound now: its messages wait.
      const first = await DeliveryReceiver.bound(gateway.port, client)
      first.end()
      await sleep(1_500)
      const waiting = await load({ ...offer, perSecond: 0 })
      const cpu = () => ({ gateway: processSeconds(gateway.pid), database: databaseSeconds(postmasterPid) })
      const cpuBefore = cpu()
      const receiver = await DeliveryReceiver.bound(gateway.port, client)
      const drainMs = await drained(receiver, waiting.answered)
      const cpuAfter = cpu()
      const microseconds = (part: 'gateway' | 'database') =>
        Math.round(((cpuAfter[part] - cpuBefore[part]) * 1_000_000) / Math.max(1, receiver.taken))
      const backlog = receiver.taken

      await sleep(2_000)
      const before = receiver.taken
      const startedAt = performance.now()
      const live = await load({ ...offer, perSecond: pacedPerSecond, seconds: seconds * 2 })
      const lagMs = await drained(receiver, before + live.answered)
      const liveMs = performance.now() - startedAt
      const taken = receiver.taken - before
      receiver.end()
      const rate = (count: number, ms: number) => Math.round((count * 1_000) / ms).toLocaleString('en-GB')
      return [
        `One client with one bind and a window of 50 answers each deliver_sm at once; load, gateway, PostgreSQL and the receiver share ${availableParallelism()} cores, whose load average was ${(loadavg()[0] ?? 0).toFixed(0)}.`,
        '',
        '| what | deliver_sm a second | messages | taken | more than once |',
        '|---|---|---|---|---|',
        `| a backlog drains into a bind that comes back | **${rate(backlog, drainMs)}** | ${waiting.answered} | ${Math.min(backlog, waiting.answered)} | ${Math.max(0, backlog - waiting.answered)} |`,
        `| while ${pacedPerSecond.toLocaleString('en-GB')} a second come in | **${rate(taken, liveMs)}** | ${live.answered} | ${Math.min(taken, live.answered)} | ${Math.max(0, taken - live.answered)} |`,
        '',
        `While the backlog drained, a message took ${microseconds('gateway')} µs of processor time in the gateway and ${microseconds('database')} µs in PostgreSQL. The last of the live messages was taken ${Math.round(lagMs)} ms after the load's process had ended; meanwhile submit_sm was answered with p50 ${live.p50Ms} ms and p99 ${live.p99Ms} ms. The gateway's process used ${residentMb(gateway.pid)} MB.`,
      ].join('\n')
    },
  )
}
