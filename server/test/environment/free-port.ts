import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * From here on, and below where Linux takes the ports of outgoing connections (32768): those could take a port of a program
 * that is down for a moment, before it starts again.
 */
const lowestPort = 10_000
const portCount = 22_000

let next = Math.floor(Math.random() * portCount)

/**
 * A port that nobody uses now, and another one each time, also in other processes. It stays free for a program that stops
 * and starts again, as long as this process lives.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + next
    next = (next + 1) % portCount
    if ((await isClaimed(port)) && (await isFree(port))) return port
  }
}

/** Takes the UDP port of the same number, which nothing else here uses, until this process ends: one process can. */
async function isClaimed(port: number): Promise<boolean> {
  const claim = createSocket('udp4')
  claim.bind({ port, address: '127.0.0.1', exclusive: true })
  if (!(await beginsOn(claim))) return false
  claim.unref()
  return true
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  if (!(await beginsOn(server))) return false
  server.close()
  await once(server, 'close')
  return true
}

/** Whether it begins to listen; false when another has the port. */
async function beginsOn(socket: NodeJS.EventEmitter): Promise<boolean> {
  try {
    await once(socket, 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return false
  }
}
