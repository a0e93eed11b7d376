import { createServer, type AddressInfo } from 'node:net'

const given = new Set<number>()

/** A port that nobody uses now, and another one each time: the system may offer the same one twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    if (given.has(port)) continue
    given.add(port)
    return port
  }
}
