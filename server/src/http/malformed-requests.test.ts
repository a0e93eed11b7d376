// Requests that no route sees, because the HTTP parser or the router refuses them.
import { connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../test/environment/database.ts'
import { systemClock } from '../platform/clock.ts'
import { registry } from '../platform/metrics.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { createHttpServer } from './server.ts'

const server = await createHttpServer({
  secrets: createSecrets('key material for tests'),
  clock: systemClock,
  routes: [],
  findActor: async () => undefined,
  log: silentLog,
  publicUrl: undefined,
  checks: {},
})
afterAll(() => server.close())
const port = await server.listen('127.0.0.1', 0)

test.each([
  ['no HTTP', 'GARBAGE\r\n\r\n', 400],
  ['no host', 'GET /api/greet HTTP/1.1\r\n\r\n', 400],
  ['a broken percent-encoding', 'GET /api/%c0%af HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 400],
  [
    'an unknown expectation',
    'GET /api/nothing HTTP/1.1\r\nhost: a\r\nexpect: x\r\nconnection: close\r\n\r\n',
    404,
  ],
  ['too long a header', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 431],
])('%s is answered as JSON with the headers, and counted', async (_, request, status) => {
  const before = await answeredCount(status)
  const text = await new Promise<string>((resolve) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.setTimeout(2_000, () => socket.destroy()).on('error', () => undefined)
    socket.on('data', (chunk) => (received += chunk.toString())).on('close', () => resolve(received))
  })
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(text).toMatch(/content-security-policy: /)
  expect(text).toMatch(/cache-control: no-store/)
  expect(text).toMatch(/\{"code":"(invalid|not_found)"/)
  expect((await answeredCount(status)) - before).toBe(1)
})

/** How many calls the metrics say were answered so. */
async function answeredCount(status: number): Promise<number> {
  const text = await registry.getSingleMetricAsString('tollgate_http_request_duration_seconds')
  const counts = text.matchAll(new RegExp(`_count\\{[^}]*code="${status}"[^}]*\\} (\\d+)`, 'g'))
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}
