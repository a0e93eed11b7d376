// Sends invalid bodies to every call that takes one, as people of each role and without a session.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { signInAsAdmin } from '../test/http/operator.ts'
import { badBody, valueFor, type MadeBody, type Schema } from './body-maker.ts'
import { defineDrill } from './define.ts'
import { makeEmbeddedTestbed } from './embedded-testbed.ts'
import { openPeople, type People } from './fuzz-people.ts'
import type { Random } from './random.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
}

/** An API call that takes a body. */
interface TargetCall {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema
}

interface BadCall extends MadeBody {
  readonly method: string
  readonly path: string
}

const callsAtOnce = 10
const shownMax = 10
// It ends a call that hangs, on a machine that pauses too.
const answerMaxMs = 120_000
// What no reply may contain: a stack trace, an SQL statement, a system's error.
const leak = /\bat \S+\.(?:ts|js):\d+|\bselect .+ from |syntax error at|violates|ECONN|node_modules/i

export const badBodies = defineDrill({
  name: 'bad-bodies',
  summary:
    'bodies wrong in every way, to every call that takes one: no crash, no answer of 5xx, no word too much',
  options: { count: 50_000 },
  short: { count: 1_500 },
  async run({ options, random, note, onEnd }) {
    const testbed = await makeEmbeddedTestbed({ onEnd })
    await testbed.start()
    const targets = await targetsOf(testbed.url)
    const address = await testbed.address()
    if (address === undefined) throw new Error('The embedded database is not running')
    const people = await openPeople(testbed.url, address, await signInAsAdmin(testbed.url))
    onEnd(() => people.close())
    const agent = new Agent({ localAddress: '127.0.0.9', connections: callsAtOnce })
    onEnd(() => agent.close())
    const found = new BadBodyFindings(note)
    let left = options.count
    const work = async () => {
      for (; left > 0 && found.isWorthContinuing;) {
        left -= 1
        const number = options.count - left
        await send(agent, testbed.url, callOf(random.pick(targets), random), { people, number, found })
      }
    }
    await Promise.all(Array.from({ length: callsAtOnce }, work))
    const isAlive = (await fetch(`${testbed.url}/readyz`)).ok
    return {
      isPassed: isAlive && found.faultCount === 0,
      figures: [
        `${found.answered.toLocaleString('en')} bodies to ${targets.length} calls answered`,
        ...[...found.statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`),
        `${isAlive ? 0 : 1} crashes`,
        `${found.faultCount} faults`,
      ],
    }
  },
})

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: readonly Parameter[]
            readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
          }
        >
      >
    >
  >
}

/** Reads the API's own document, so that new calls are tested too. */
async function targetsOf(url: string): Promise<TargetCall[]> {
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as Document
  return Object.entries(paths).flatMap(([path, calls]) =>
    Object.entries(calls).flatMap(([method, { parameters = [], requestBody }]) => {
      const body = requestBody?.content['application/json']?.schema
      return body === undefined ? [] : [{ method: method.toUpperCase(), path, parameters, body }]
    }),
  )
}

const ids = [
  '1',
  '2',
  '3',
  '7',
  '999999999',
  '1-1',
  'custom',
  'someone',
  '%00',
  '..%2f',
  '-1',
  '9'.repeat(30),
]

function callOf({ method, path, parameters, body }: TargetCall, random: Random): BadCall {
  const filled = path.replaceAll(/\{(\w+)\}/g, () => random.pick(ids))
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && random.chance(0.3))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(textOf(valueFor(schema, random)))}`)
  return {
    ...badBody(body, random),
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

interface BadBodyOptions {
  readonly people: People
  readonly number: number
  readonly found: BadBodyFindings
}

async function send(
  agent: Agent,
  url: string,
  call: BadCall,
  { people, number, found }: BadBodyOptions,
): Promise<void> {
  const { method, path, bytes, headers } = call
  for (;;) {
    // Some calls have no session.
    const person = number % 20 === 0 ? undefined : people.next()
    const cookie = person === undefined ? {} : { cookie: person.cookie }
    const answer = await request(`${url}${path}`, {
      dispatcher: agent,
      method: method as 'POST',
      headers: { origin: url, ...headers, ...cookie },
      body: bytes,
      headersTimeout: answerMaxMs,
      bodyTimeout: answerMaxMs,
    }).catch((error: Error) => error)
    if (answer instanceof Error) return found.fault(number, call, `no answer: ${answer.message}`)
    const type = String(answer.headers['content-type'] ?? '')
    const text = await answer.body.text()
    if (answer.statusCode === 429 && text.includes('Too many calls.')) {
      await sleep(100)
      continue
    }
    found.take(number, call, { status: answer.statusCode, type, text })
    // The body may have signed the person out, suspended the account or changed its role.
    if (person !== undefined && (answer.statusCode === 401 || answer.statusCode === 403))
      await people.restore(person)
    return
  }
}

interface BadBodyAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
}

class BadBodyFindings {
  readonly statuses = new Map<number, number>()
  answered = 0
  faultCount = 0
  readonly #note: (line: string) => void

  constructor(note: (line: string) => void) {
    this.#note = note
  }

  /** Ends the drill early: a gateway that died fails every call. */
  get isWorthContinuing(): boolean {
    return this.faultCount < 100
  }

  take(number: number, call: BadCall, { status, type, text }: BadBodyAnswer): void {
    this.answered += 1
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    const fault = faultOf(status, type, text)
    if (fault !== undefined) this.fault(number, call, `${status}, ${fault}: ${text.slice(0, 200)}`)
  }

  fault(number: number, { method, path, bytes }: BadCall, what: string): void {
    this.faultCount += 1
    if (this.faultCount <= shownMax)
      this.#note(`body ${number}: ${method} ${path} ${bytes.toString('utf8').slice(0, 300)}\n  ${what}`)
  }
}

/** What is wrong with a response. The form of a refusal. */
function faultOf(status: number, type: string, text: string): string | undefined {
  if (status >= 500) return 'a fault of ours'
  if (leak.test(text) && status >= 400) return 'a word too much'
  if (status < 400) return undefined
  if (!type.startsWith('application/json')) return 'a refusal that is no JSON'
  const { code, message, fields } = JSON.parse(text) as Record<string, unknown>
  if (typeof code !== 'string' || typeof message !== 'string') return 'a refusal without code or message'
  return (status === 400 || status === 422) && fields === undefined ? 'no field named' : undefined
}
