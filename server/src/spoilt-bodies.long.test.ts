// 10,000 calls whose bodies were spoilt by a seeded generator, over HTTP and down to the database: each is answered, and none
// with a fault of ours.
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openExamplesEnvironment } from '../test/examples/environment.ts'

const callCount = 10_000
const atOnce = 8
// They call outside and wait for it, end the sign-in of the caller, or read the hash of a password, which nobody here has.
const leftOut = /^(test|preview|logout|restart|renew|stop|sendTest|changePassword|reauthenticate)/

interface DocumentedCall {
  readonly operationId: string
  readonly 'x-roles'?: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly example?: string | number
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

const environment = await openExamplesEnvironment()
const { paths } = (await (await fetch(`${environment.baseUrl}/api/openapi.json`)).json()) as {
  paths: Record<string, Record<string, DocumentedCall>>
}
const calls = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), ...call })),
)
const taking = calls.filter(
  ({ operationId, requestBody }) =>
    requestBody?.content['application/json']?.example !== undefined && !leftOut.test(operationId),
)

/** What people, programs and attackers put into a field. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '\u202e',
    true,
    [],
    {},
    0,
    -1,
    1e308,
    -0,
    2 ** 53,
    '9'.repeat(30),
    '-1',
    '1e9',
    'NaN',
    '0001-01-01',
    '9999-12-31',
    '2026-02-30',
    '9999-12-31T23:59:60Z',
    '%00',
    "'; drop table users; --",
    'constructor',
    '__proto__',
    '٣',
    '1.000000',
    '0.0000001',
  ),
  fc.string({ maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.double(),
  fc.bigInt({ min: 0n, max: 10n ** 18n }).map(String),
  fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 5 }),
  fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 }),
)

/** The example with one or two of its values, at any depth, replaced or left out. */
function spoilt(example: unknown, picks: readonly number[], values: readonly unknown[]): unknown {
  const places = placesOf(example)
  const body = structuredClone(example)
  for (const [nth, value] of values.entries()) {
    const place = places[(picks[nth] ?? 0) % Math.max(1, places.length)]
    const field = place?.at(-1)
    if (place === undefined || field === undefined) return value
    let within: unknown = body
    for (const name of place.slice(0, -1)) within = (within as Record<string, unknown>)[name] ?? {}
    if (typeof within === 'object' && within !== null) (within as Record<string, unknown>)[field] = value
  }
  return body
}

/** Where the values of a body stand, those within others too. */
function placesOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [
    ...(at.length > 0 ? [at] : []),
    ...Object.entries(value).flatMap(([name, each]) => placesOf(each, [...at, name])),
  ]
}

/** Again only when the caller made too many calls in this second: other limits are an answer. */
async function ask(who: string, method: string, path: string, body: unknown): Promise<Response> {
  for (;;) {
    const answer = await fetch(`${environment.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${who}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status !== 429 || answer.headers.get('retry-after') !== '1') return answer
    await answer.body?.cancel()
    await sleep(200)
  }
}

const pathOf = ({ path, parameters = [] }: (typeof calls)[number]) =>
  parameters
    .filter((each) => each.in === 'path')
    .reduce(
      (filled, { name, example }) => filled.replace(`{${name}}`, encodeURIComponent(String(example))),
      path,
    )

test('10,000 spoilt bodies are taken or refused, and none is a fault of ours', async () => {
  expect(taking.length).toBeGreaterThan(80)
  const cases = fc.sample(
    fc.record({
      call: fc.constantFrom(...taking),
      picks: fc.array(fc.nat(1_000), { minLength: 2, maxLength: 2 }),
      values: fc.array(oddValue, { minLength: 1, maxLength: 2 }),
      who: fc.constantFrom('1,user', '2,user', '4,support', '5,support', '6,admin', '7,admin'),
    }),
    { numRuns: callCount, seed: 39 },
  )
  const faults: unknown[] = []
  const statuses = new Map<number, number>()
  const work = async () => {
    for (let each = cases.pop(); each !== undefined; each = cases.pop()) {
      const { call, picks, values, who } = each
      const caller = call['x-roles']?.includes(who.split(',')[1] ?? '') === false ? '6,admin' : who
      const body = spoilt(call.requestBody?.content['application/json']?.example, picks, values)
      const answer = await ask(caller, call.method, pathOf(call), body)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status >= 500) faults.push([call.operationId, body, answer.status, await answer.text()])
      else await answer.body?.cancel()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect(faults).toEqual([])
  expect(statuses.get(400)).toBeGreaterThan(callCount / 10)
})
