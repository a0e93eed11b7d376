import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../test/environment/database.ts'
import { systemClock } from '../platform/clock.ts'
import { createHttpServer, createMetricsServer, type HttpServer } from './server.ts'
import { createSecrets } from '../platform/security/secrets.ts'

const base = { log: silentLog, publicUrl: undefined }
const token = 'a token of many characters'.replaceAll(' ', '-')
const open: HttpServer[] = []
afterAll(() => Promise.all(open.map((server) => server.close())))

async function serve(options: { hasMetrics?: boolean; metricsToken?: string }): Promise<HttpServer> {
  const server = await createHttpServer({
    secrets: createSecrets('key material for tests'),
    ...base,
    routes: [],
    clock: systemClock,
    findActor: async () => undefined,
    checks: {},
    ...options,
  })
  open.push(server)
  return server
}

test('without a token and a port of their own the metrics are open', async () => {
  const { app } = await serve({})
  const { statusCode, body } = await app.inject('/metrics')
  expect([statusCode, body]).toEqual([200, expect.stringContaining('# TYPE tollgate_')])
})

test.each([
  ['no token', {}, 401],
  ['another token', { authorization: `Bearer ${token}x` }, 401],
  ['a token as a user', { authorization: `Basic ${Buffer.from(token).toString('base64')}` }, 401],
  ['the token', { authorization: `Bearer ${token}` }, 200],
  ['the token, the scheme in small letters', { authorization: `bearer ${token}` }, 200],
])('with a token, %s', async (_, headers, status) => {
  const { app } = await serve({ metricsToken: token })
  const answer = await app.inject({ url: '/metrics', headers })
  expect(answer.statusCode).toBe(status)
  if (status === 200) expect(answer.body).toContain('# TYPE tollgate_')
  else {
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.body).not.toContain('tollgate_')
  }
})

test('on a port of their own they are nowhere else, and nothing else is there', async () => {
  const publicOne = await serve({ hasMetrics: false })
  expect((await publicOne.app.inject('/metrics')).json()).toMatchObject({ code: 'not_found' })
  const server = await createMetricsServer({ ...base, token })
  open.push(server)
  const port = await server.listen('127.0.0.1', 0, 'METRICS_PORT')
  const url = `http://127.0.0.1:${port}`
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('# TYPE tollgate_')
  expect((await fetch(`${url}/metrics`)).status).toBe(401)
  for (const path of ['/', '/healthz', '/api/user', '/api/openapi.json'])
    expect((await fetch(`${url}${path}`)).status, path).toBe(404)
  const second = await createMetricsServer({ ...base, token })
  open.push(second)
  await expect(second.listen('127.0.0.1', port, 'METRICS_PORT')).rejects.toThrow(
    /^METRICS_PORT \d+ is in use/,
  )
})
