import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('each port is another one, free, below those of outgoing connections, and claimed from other processes', async () => {
  const ports: number[] = []
  for (let nth = 0; nth < 20; nth += 1) ports.push(await freePort())
  expect(new Set(ports).size).toBe(ports.length)
  for (const port of ports) {
    expect(port).toBeLessThan(32_768)
    const server = createServer().listen(port)
    await once(server, 'listening')
    server.close()
    // As another process claims it.
    const claim = createSocket('udp4')
    claim.bind({ port, address: '127.0.0.1', exclusive: true })
    await expect(once(claim, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  }
})
