import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../test/environment/database.ts'
import { temporaryFolder } from '../../test/environment/temporary-folder.ts'
import { systemClock } from '../platform/clock.ts'
import { createHttpServer } from './server.ts'
import { createSecrets } from '../platform/security/secrets.ts'

const script = "document.documentElement.dataset.theme = 'dark'"
const folder = await temporaryFolder()
await mkdir(join(folder, 'assets'))
await writeFile(
  join(folder, 'index.html'),
  `<!doctype html><script>${script}</script><script type="module" src="/assets/a.js"></script>`,
)
await writeFile(join(folder, 'assets', 'app-1a2b3c.js'), `console.log('${'x'.repeat(3_000)}')`)

await writeFile(join(folder, 'assets', 'ready-4d5e6f.js'), 'plain')
await writeFile(join(folder, 'assets', 'ready-4d5e6f.js.br'), 'by Brotli')
await writeFile(join(folder, 'assets', 'ready-4d5e6f.js.gz'), 'by gzip')

const server = await createHttpServer({
  secrets: createSecrets('key material for tests'),
  clock: systemClock,
  routes: [],
  findActor: async () => undefined,
  log: silentLog,
  publicUrl: undefined,
  checks: {},
  consoleFolder: folder,
})
const { app } = server
const listening = server.listen('127.0.0.1', 0)
afterAll(() => server.close())

test('every address of the console is the same page, never cached', async () => {
  for (const url of ['/', '/index.html', '/access', '/users/12', '/users?role=a.b']) {
    const answer = await app.inject(url)
    expect([answer.statusCode, answer.headers['content-type']], url).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(answer.headers['cache-control']).toBe('no-cache')
  }
})

test('the one inline script may run by its hash, and no other', async () => {
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = String((await app.inject('/')).headers['content-security-policy'])
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
  expect(/script-src[^;]*unsafe-inline/.test(policy)).toBe(false)
})

test('assets are cached for ever and compressed', async () => {
  const answer = await app.inject({ url: '/assets/app-1a2b3c.js', headers: { 'accept-encoding': 'br' } })
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(answer.headers['content-encoding']).toBe('br')
})

test.each([
  ['gzip, deflate, br', 'br', 'by Brotli'],
  ['gzip, deflate', 'gzip', 'by gzip'],
  ['identity', undefined, 'plain'],
])(
  'of what the build has compressed a browser that takes %s gets the best',
  async (accepts, encoding, body) => {
    const answer = await app.inject({
      url: '/assets/ready-4d5e6f.js',
      headers: { 'accept-encoding': accepts },
    })
    expect([answer.headers['content-encoding'], answer.body]).toEqual([encoding, body])
    expect(answer.headers['content-type']).toContain('javascript')
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(answer.headers['vary']).toContain('accept-encoding')
  },
)

test('a missing asset and a writing call are 404, and a coded slash parts nothing', async () => {
  expect((await app.inject('/assets/gone.js')).statusCode).toBe(404)
  expect((await app.inject({ method: 'POST', url: '/users' })).statusCode).toBe(404)
  expect((await app.inject('/..%2f..%2fetc%2fpasswd')).body).toContain('<!doctype html>')
})

// Over a socket, because every client and inject itself tidy the path up first.
test.each([
  '/../package.json',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/assets/../../server/main.js',
  '/assets/%00',
  '/\\..\\..\\etc',
  '//api/user',
  '/api/../api/user',
  `/${'a'.repeat(10_000)}`,
])('a path that leads outside or nowhere is 404: %s', async (path) => {
  const port = await listening
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ host: '127.0.0.1', port, path }, resolve).on('error', reject),
  )
  answer.resume()
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    404,
    'application/json; charset=utf-8',
  ])
})
