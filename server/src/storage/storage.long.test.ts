import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { afterUse, openTestDatabase, silentLog } from '../../test/environment/database.ts'
import { temporaryFolder } from '../../test/environment/temporary-folder.ts'
import { openStorage } from './storage.ts'

/** A port in front of a database. The first of its connections gets no answer. */
async function slowFront(host: string): Promise<{ readonly port: number; readonly count: () => number }> {
  const sockets: Socket[] = []
  const front = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    if (sockets.length === 1) return
    const behind = connect(`${host}/.s.PGSQL.5432`).on('error', () => undefined)
    socket.pipe(behind).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  afterUse(async () => {
    for (const socket of sockets) socket.destroy()
    front.close()
  })
  return { port: (front.address() as AddressInfo).port, count: () => sockets.length }
}

test('a start waits for a database that is too busy for the first attempt', async () => {
  const { address } = await openTestDatabase()
  const { port, count } = await slowFront(address.host)
  const databaseUrl = `postgres://postgres@127.0.0.1:${port}/${address.database}`
  const storage = await openStorage({ databaseUrl, dataDir: await temporaryFolder() }, silentLog)
  expect(count()).toBeGreaterThan(1)
  await storage.close()
})
