// Under each attack the messages of everybody else go on as in quiet. server/test/traffic/probed-gateway.ts says how to add one.
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fillPath, type Route } from '@tollgate/contract/route.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { residentMb } from '../test/environment/children.ts'
import { eventually } from '../test/environment/eventually.ts'
import { freePort } from '../test/environment/free-port.ts'
import { heldMb, inspectedOn } from '../test/environment/held-memory.ts'
import { expectUndisturbed, openProbedGateway } from '../test/traffic/probed-gateway.ts'
import { floodCaller, floodSignIns, newLoopback } from '../test/people/sign-in-flood.ts'
import { allRoutes } from '../test/http/all-routes.ts'
import { exampleCall } from './http/example-calls.ts'
import { fullWorkbook, sharedTextBomb } from '../test/files/table-files.ts'

const inspectorPort = await freePort()
const environment = await openProbedGateway({ records: 60_000, environment: inspectedOn(inspectorPort) })
const port = Number(new URL(environment.program.url).port)

/** Sends the same call again and again on one connection, each when the last was answered. */
function repeat(request: string, isOver: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    isOver.addEventListener('abort', () => socket.destroy())
    socket.on('error', reject).on('close', () => resolve())
    socket.on('data', (chunk: Buffer) => {
      if (chunk.toString('latin1').endsWith('}')) socket.write(request)
    })
  })
}

test('16 KB of nested JSON on three connections is not felt', async () => {
  const body = `${'['.repeat(8_000)}${']'.repeat(8_000)}`
  const request = `POST /api/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  await expectUndisturbed(environment, (isOver) => Promise.all([1, 2, 3].map(() => repeat(request, isOver))))
})

interface RepeatedCall {
  readonly method: string
  readonly address: string
  readonly body?: unknown
}

/** Makes a call again and again and reads all of its answer; one that is refused is made again after a pause. */
async function keepCalling(cookie: string, { method, address, body }: RepeatedCall, isOver: AbortSignal) {
  const { url } = environment.program
  const headers = { cookie, origin: url, 'content-type': 'application/json' }
  while (!isOver.aborted)
    try {
      const reply = await fetch(`${url}${address}`, {
        method,
        headers,
        signal: isOver,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      for await (const piece of (reply.body ?? []) as AsyncIterable<Uint8Array>) void piece
      if (!reply.ok) await sleep(100)
    } catch (error) {
      if (!isOver.aborted) throw error
    }
}

test.each([4, 40])('%d exports of one person are felt by nobody else', async (exportCount) => {
  // Support sees all records.
  const { cookie } = await environment.person('support')
  let pageMs = 0
  const pages = async (isOver: AbortSignal) => {
    while (!isOver.aborted) {
      const requestedAtMs = performance.now()
      await environment.admin('GET', '/api/records?limit=100')
      pageMs = Math.max(pageMs, performance.now() - requestedAtMs)
      await sleep(50)
    }
  }
  const call = { method: 'GET', address: '/api/records/export' }
  await eventually(async () => {
    await expectUndisturbed(environment, (isOver) => {
      pageMs = 0
      const exports = Array.from({ length: exportCount }, () => keepCalling(cookie, call, isOver))
      return Promise.all([pages(isOver), ...exports])
    })
    expect(pageMs).toBeLessThan(1_000)
  })
})

const dayOf = (agoMs: number) => new Date(Date.now() - agoMs).toISOString().slice(0, 10)
const week = { from: dayOf(7 * 86_400_000), to: dayOf(0) }
/** The example of a call, over all records that there are. */
function wholeCall(name: string, route: Route): RepeatedCall {
  const { params, query, body } = exampleCall(name, route)
  const wide: Readonly<Record<string, unknown>> = {
    dateFrom: week.from,
    dateTo: week.to,
    ...week,
    lastEventId: '0',
    cursor: '0',
    limit: 500,
  }
  const asked = Object.entries(query as object).map(([key, value]): [string, string] => [
    key,
    String(wide[key] ?? value),
  ])
  const search = new URLSearchParams(asked).toString()
  return {
    method: route.method,
    address: `${fillPath(route.path, params as Record<string, unknown>)}${search === '' ? '' : `?${search}`}`,
    body,
  }
}

// ATTACKS=all tries all that docs/edges.md names, also what is still felt; it takes seven minutes.
const isWhole = process.env['ATTACKS'] === 'all'

// Whatever a route says of itself: what is costly in any of these ways is attacked here as soon as it is made.
const costly = (await allRoutes()).filter(
  ([, { isHeavy, isLong, upload }]) => isHeavy !== undefined || isLong === true || upload === true,
)

test.each(costly.filter(([name]) => isWhole || name === 'streamEvents'))(
  '40 calls of %s at once are not felt',
  async (name, route) => {
    const role = (['support', 'admin', 'user'] as const).find(
      (each) => route.access === 'public' || isPermitted(each, route.access),
    )
    const { cookie } = await environment.person(role)
    const call = wholeCall(name, route)
    await expectUndisturbed(
      environment,
      (isOver) => Promise.all(Array.from({ length: 40 }, () => keepCalling(cookie, call, isOver))),
      1_500,
    )
  },
)

test('2,400 live feeds of one person: ten are open, and nobody else feels the rest', async () => {
  const { cookie } = await environment.person()
  const ask = `GET /api/events HTTP/1.1\r\nhost: a\r\ncookie: ${cookie}\r\n\r\n`
  const statuses: string[] = []
  const open = (isOver: AbortSignal) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(ask))
    isOver.addEventListener('abort', () => socket.destroy())
    socket.on('error', () => undefined)
    socket.once('data', (chunk: Buffer) => statuses.push(chunk.toString('latin1', 9, 12)))
  }
  await expectUndisturbed(environment, async (isOver) => {
    statuses.length = 0
    for (let opened = 0; opened < 2_400 && !isOver.aborted; opened += 1) {
      open(isOver)
      if (opened % 40 === 0) await sleep(20)
    }
    await sleep(500)
  })
  const openCount = statuses.filter((status) => status === '200').length
  // Fewer when the last try's have not been closed yet.
  expect(openCount).toBeGreaterThan(0)
  expect(openCount).toBeLessThanOrEqual(10)
  expect(new Set(statuses)).toEqual(new Set(['200', '429']))
})

/** Where there is no /proc there are none. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

// Files: each of them stopped all messages for seconds, or ended the gateway, while it was read in its process.
const files = '/api/premium-numbers/import'
const fullWorkbooks: [string, string, string, () => Buffer][] = [
  [
    'a workbook with a fault in each of 100,000 lines of ten cells',
    `${files}?columns=Number,Description,Rate,Status,Country,Country%20Code,,,,`,
    'full.xlsx',
    fullWorkbook,
  ],
]
test.each<[string, string, string, () => Buffer]>([
  ['a workbook with one long text in 24,000 cells', files, 'bomb.xlsx', sharedTextBomb],
  ...(isWhole ? fullWorkbooks : []),
  ['five million line ends', files, 'ends.csv', () => Buffer.alloc(4_900_000, '\n')],
  [
    'a megabyte of hashes',
    '/api/payment-runs/1/hashes',
    'hashes.csv',
    () => Buffer.from(`reference,transaction_hash\n${'1-1\n'.repeat(244_000)}`),
  ],
])('%s is refused by its bound, and not felt', async (_, path, name, make) => {
  const content = make()
  const { upload } = await environment.person('support')
  const beforeMb = await heldMb(environment.program, inspectorPort)
  let readersMb = 0
  const watch = setInterval(() => {
    const readers = childrenOf(environment.program.pid).map(residentMb)
    readersMb = Math.max(
      readersMb,
      readers.reduce((sum, mb) => sum + mb, 0),
    )
  }, 20)
  await expectUndisturbed(environment, async (isOver) => {
    // 429: that of the try before is still being read.
    while (!isOver.aborted) expect([422, 429]).toContain((await upload(path, name, content)).status)
  }).finally(() => clearInterval(watch))
  const afterMb = await heldMb(environment.program, inspectorPort)
  if (process.env['SHOW_FIGURES'] !== undefined)
    process.stderr.write(`${JSON.stringify({ beforeMb, readersMb, afterMb })}\n`)
  // The garbage of the gateway is left out: how much of it there is at a moment depends on the collector alone.
  // A workbook that is read to its bound of time may have as much as `workbookBounds` gives it.
  expect(readersMb + afterMb - beforeMb).toBeLessThan(make === fullWorkbook ? 300 : 120)
})

test.skipIf(!existsSync('/proc/self'))(
  'an upload whose caller goes while it is read leaves its process and its place to the next',
  async () => {
    const { upload } = await environment.person('support')
    const lines = Array.from({ length: 90_000 }, (_, n) => `${449_098_000_000 + n},Line ${n},,,,`)
    const file = Buffer.from(`Number,Description,Rate,Status,Country,Country Code\n${lines.join('\n')}`)
    const small = () => upload(`${files}?dryRun=true`, 'numbers.csv', file.subarray(0, 75))
    expect((await small()).status).toBe(200)
    const [reader] = childrenOf(environment.program.pid)
    for (let round = 0; round < 3; round += 1) {
      const leaving = new AbortController()
      const left = upload(`${files}?dryRun=true`, 'numbers.csv', file, leaving.signal)
      // It has sent all, and reading takes longer than that.
      await sleep(50)
      leaving.abort()
      await expect(left).rejects.toThrow('aborted')
    }
    await expect.poll(async () => (await small()).status).toBe(200)
    expect(childrenOf(environment.program.pid)).toEqual([reader])
  },
)

test('a flood of sign-ins and sign-ups is felt neither by messages, nor by owners, nor by the console', async () => {
  const owner = await environment.person()
  const { username, password } = owner
  const call = floodCaller(environment.program.url)
  const signIn = (cookie?: string) =>
    call({
      path: '/api/login',
      body: { username, password },
      from: newLoopback(),
      ...(cookie === undefined ? {} : { cookie }),
    })
  const device = (await signIn()).cookies.find((cookie) => cookie.startsWith('device='))?.split(';')[0]
  const counts = { evaluated: 0, made: 0 }
  const signUpFrom = newLoopback()
  let worst = { signInMs: 0, callMs: 0 }
  const attack = () =>
    expectUndisturbed(environment, async (isOver) => {
      const flooding = floodSignIns(environment.program.url, { isOver, signUpFrom, counts })
      const signIns: number[] = []
      const calls: number[] = []
      while (!isOver.aborted) {
        const { status, tookMs } = await signIn(device)
        expect(status).toBe(200)
        signIns.push(tookMs)
        const begunMs = performance.now()
        await environment.admin('GET', '/api/users?limit=10')
        calls.push(performance.now() - begunMs)
      }
      await flooding
      worst = { signInMs: Math.max(...signIns), callMs: Math.max(...calls) }
    })
  await eventually(async () => {
    await attack()
    expect(worst.signInMs).toBeLessThan(2_000)
    expect(worst.callMs).toBeLessThan(500)
  })
  expect(counts.evaluated).toBeGreaterThan(0)
  // The budget of one network, whatever it asks for.
  expect(counts.made).toBeLessThanOrEqual(30)
})

if (isWhole)
  test('520 sign-ups at once from one address keep nobody of another address waiting', async () => {
    const { username, password } = await environment.person()
    const call = floodCaller(environment.program.url)
    const signUpFrom = newLoopback()
    let nth = 0
    const signUp = () =>
      call({
        path: '/api/register',
        body: {
          username: `crowd-${(nth += 1)}-${Date.now().toString(36)}`,
          password: 'correct horse',
          email: 'f@example.org',
          firstName: 'F',
          lastName: 'F',
        },
        from: signUpFrom,
      })
    const signInsMs: number[] = []
    await expectUndisturbed(environment, async (isOver) => {
      const crowd = Array.from({ length: 520 }, signUp)
      while (!isOver.aborted) {
        const { status, tookMs } = await call({
          path: '/api/login',
          body: { username, password },
          from: newLoopback(),
        })
        expect(status).toBe(200)
        signInsMs.push(tookMs)
      }
      await Promise.all(crowd)
    })
    if (process.env['SHOW_FIGURES'] !== undefined)
      process.stderr.write(`sign-ins took at most ${Math.max(...signInsMs).toFixed(0)} ms\n`)
    // Hashing takes turns, and the caller has the lowest priority on the machine.
    expect(Math.max(...signInsMs)).toBeLessThan(5_000)
  })
