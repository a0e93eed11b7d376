import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { openTestApi } from '../../test/http/api.ts'
import { openTestGateway } from '../../test/traffic/gateway.ts'
import { probeServer } from './probe-server.ts'

const environment = await openTestGateway()

/** Something on a port that is not our SMPP server. */
async function openPort(onLine: (line: Socket) => void): Promise<number> {
  const server = createServer((line) => onLine(line.on('error', () => line.destroy())))
  await new Promise<void>((open) => server.listen(0, '127.0.0.1', open))
  afterAll(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('the server test connects to our own port, and an SMPP server answers', async () => {
  const { node } = environment
  const api = await openTestApi(node.gateway.routes)
  const cookie = api.signIn({ userId: 1, username: 'root', role: 'admin', authenticatedAt: new Date() })
  const { status, body } = await api.call('POST', '/api/smpp/test', { cookie })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    success: true,
    port: node.port,
    steps: [
      { step: 'TCP', detail: `Port ${node.port} open`, isOk: true },
      { step: 'SMPP', detail: 'Answers as an SMPP server', isOk: true },
    ],
  })
})

test('a port that nobody listens on, that closes, or that does not speak SMPP fails the test with its own text', async () => {
  const closing = await openPort((line) => line.destroy())
  const other = await openPort((line) => line.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  expect(await probeServer('127.0.0.1', 1)).toMatchObject({
    success: false,
    error: 'Nothing listens on port 1.',
    steps: [{ step: 'TCP', isOk: false }],
  })
  expect(await probeServer('127.0.0.1', closing)).toMatchObject({
    success: false,
    error: 'The SMPP server closed the connection.',
  })
  expect(await probeServer('127.0.0.1', other)).toMatchObject({
    success: false,
    error: 'What answers on the port is not SMPP.',
    steps: [
      { step: 'TCP', isOk: true },
      { step: 'SMPP', isOk: false },
    ],
  })
})
