// The promise that counts most: whatever was acknowledged is there after everything was killed at once, and only once.
import { join } from 'node:path'
import smpp from 'smpp'
import { expect, test } from 'vitest'
import { eventually } from '../test/environment/eventually.ts'
import { freePort } from '../test/environment/free-port.ts'
import { guardsOf, postgresBelow } from '../test/environment/processes.ts'
import { startProgram, temporaryFolder, type Program } from '../test/environment/program.ts'

const password = 'correct horse battery'

/** Calls the API with the cookie of whoever signed in last. */
function caller({ url }: Program) {
  let cookie = ''
  return async <T>(method: string, path: string, body?: object): Promise<{ answer: T; next?: string }> => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    const next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
    return { answer: (await reply.json()) as T, ...(next !== undefined && { next }) }
  }
}

/** Binds and keeps 50 messages under way until the link breaks; every acknowledged id goes into `acknowledged`. */
async function flood(port: number, systemId: string, word: string, acknowledged: string[]): Promise<void> {
  const session = smpp.connect({ host: '127.0.0.1', port })
  // The link is meant to break: that is what the test is about.
  session.on('error', () => session.destroy())
  await new Promise<void>((bound) =>
    session.on('connect', () =>
      session.bind_transceiver({ system_id: systemId, password: word }, () => bound()),
    ),
  )
  const send = () =>
    session.submit_sm(
      { source_addr: '447700900318', destination_addr: '449098790142', short_message: 'kill me' },
      (answer) => {
        if (answer.command_status === 0) acknowledged.push(String(answer['message_id']))
        send()
      },
    )
  for (let underWay = 0; underWay < 50; underWay += 1) send()
}

test('kill -9 of gateway and database under load: nothing acknowledged is missing, nothing is doubled, ready again in 5 s', async () => {
  const dataDir = join(await temporaryFolder(), 'data')
  const smppPort = await freePort()
  const environment = {
    DATA_DIR: dataDir,
    SMPP_PORT: String(smppPort),
    ADMIN_USERNAME: 'admin',
    ADMIN_PASSWORD: password,
  }
  const start = () => startProgram('main', environment)
  let gateway = await start()
  await gateway.ready
  const call = caller(gateway)
  await call('POST', '/api/login', { username: 'admin', password })
  const { answer: supplier } = await call<{ id: number }>('POST', '/api/register', {
    username: 'supplier1',
    password,
    email: 's@example.com',
    firstName: 'S',
    lastName: 'S',
    role: 'user',
    smppAccess: true,
  })
  const { answer: secret } = await call<{ systemId: string; password: string }>(
    'GET',
    `/api/users/${supplier.id}/smpp-credentials`,
  )
  await call('POST', '/api/premium-numbers', { number: '449098790142', rate: '1.50' })
  const acknowledged: string[] = []
  // A pause of the machine spoils one start or the other. Nothing may be lost in any.
  await eventually(async () => {
    const before = acknowledged.length
    await Promise.all([1, 2, 3].map(() => flood(smppPort, secret.systemId, secret.password, acknowledged)))
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 2_000)
    for (const pid of [...(await guardsOf(dataDir)), ...(await postgresBelow(dataDir))])
      process.kill(pid, 'SIGKILL')
    gateway.kill('SIGKILL')
    await gateway.exited
    const startedAt = performance.now()
    gateway = await start()
    await gateway.ready
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  const again = caller(gateway)
  await again('POST', '/api/login', { username: 'admin', password })
  const stored: string[] = []
  for (let path: string | undefined = '/api/records?limit=500'; path !== undefined;) {
    const page: { answer: { messageId: string }[]; next?: string } = await again('GET', path)
    stored.push(...page.answer.map(({ messageId }) => messageId))
    path = page.next
  }
  const unique = new Set(stored)
  expect(unique.size).toBe(stored.length)
  expect(acknowledged.filter((id) => !unique.has(id))).toEqual([])
  gateway.kill('SIGTERM')
  await gateway.exited
})
