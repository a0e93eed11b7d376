import { createServer } from 'node:net'

/**
 * From here on, and below where Linux takes the ports of outgoing connections (32768): those could take a port of a program
 * that is down for a moment, before it starts again.
 */
const lowestPort = 10_000
const portCount = 22_000

/** So many ports in a row belong to one process, so that tests beside each other choose different ones. */
const portsPerProcess = 100

let next = (process.pid * portsPerProcess) % portCount

/** A port that nobody uses now, and another one each time. It stays free for a program that stops and starts again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + next
    next = (next + 1) % portCount
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve, reject) => {
      server.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(false)
        else reject(error)
      })
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
