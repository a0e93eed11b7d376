// Whether an attack on one part of a running gateway is felt by its messages: a peer sends submit_sm at a steady pace from
// a process of its own, first in quiet, then during the attack, and the two are compared.
//
// To add an attack to server/src/noisy-neighbour.measured.test.ts:
//
//   test('…', async () => {
//     await expectUndisturbed(environment, async (isOver) => {
//       while (!isOver.aborted) await …        // attack until it is over; or return when there is nothing more to do
//     })
//   })
//
// `environment.program.url` and `environment.smppPort` are what to attack, `environment.admin` calls the
// API as the first admin, `environment.person(role)` makes somebody to attack with. The attack runs in the test's own
// process, which shares the machine with the gateway: it should wait for answers rather than burn a core, or it measures itself.
import { spawn } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject } from 'vitest'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { fillRecords } from './fill.ts'
import type { ProbeFigures, ProbeOptions } from './probe.ts'
import { freePort } from '../environment/free-port.ts'
import { openTestDatabase } from '../environment/database.ts'
import { builtPrograms, onTestDatabase, startProgram, type Program } from '../environment/program.ts'
import { openSession, signIn, type Call } from '../http/session.ts'
import { processorFactor } from '../environment/processor-factor.ts'

interface Compared {
  readonly quiet: ProbeFigures
  readonly attacked: ProbeFigures
}

const attackPassword = 'correct horse battery'
const number = '449098790142'
const quietMs = 1_000
const settleMs = 300

export interface ProbedGatewayOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Records of the past week that the database holds already; none unless given. */
  readonly records?: number
}

/** Starts a gateway on a test database, and the peer. Both end after the test file. */
export async function openProbedGateway(options: ProbedGatewayOptions = {}) {
  const { environment = {}, records = 0 } = options
  const programs = builtPrograms()
  const { pool, address } = await openTestDatabase()
  if (records > 0) await fillRecords(pool, { records, days: 7, now: new Date(), clients: 20, numbers: 500 })
  const smppPort = await freePort()
  const program = await startProgram('main', {
    ...(await onTestDatabase(address.database, inject('postgresHost'), {
      username: 'admin',
      password: attackPassword,
    })),
    SMPP_PORT: String(smppPort),
    ...environment,
  })
  await program.ready
  const admin = await signIn(program.url, 'admin', attackPassword)
  await admin('POST', '/api/premium-numbers', { number, rate: '1.50' })
  const supplier = await addPerson(program, admin, 'user')
  const { systemId, password } = await admin<{ systemId: string; password: string }>(
    'GET',
    `/api/users/${supplier.id}/smpp-credentials`,
  )
  const figures = startProbe(join(programs, 'bench.js'), {
    port: smppPort,
    systemId,
    password,
    digits: number,
    url: program.url,
    everyMs: 10,
  })
  await figures()
  // An attacker is elsewhere and has processors of its own: here it takes what the gateway and its database leave.
  setPriority(constants.priority.PRIORITY_LOW)
  return {
    program,
    smppPort,
    /** The number that the peer sends to. */
    number,
    admin,
    /** A new account, signed in. */
    person: (role: Role = 'user') => addPerson(program, admin, role),
    /**
     * Measures for a while in quiet, then while `attack` runs: until it is done, or for `forMs`, when its signal is
     * aborted and it has 10 s to end. Throws what the attack throws.
     */
    async compare(attack: (isOver: AbortSignal) => Promise<unknown>, forMs = 2_000) {
      await sleep(settleMs)
      await figures()
      await sleep(quietMs)
      const quiet = await figures()
      const over = new AbortController()
      // An attack adds many listeners.
      setMaxListeners(0, over.signal)
      const attacking = attack(over.signal)
      await Promise.race([attacking, sleep(forMs)])
      const attacked = await figures()
      over.abort()
      await Promise.race([attacking, sleep(10_000)])
      return { quiet, attacked }
    },
  }
}

let made = 0

async function addPerson(program: Program, admin: Call, role: Role) {
  const username = `person${(made += 1)}`
  const { id } = await admin<{ id: number }>('POST', '/api/register', {
    username,
    password: attackPassword,
    email: 'p@example.com',
    firstName: 'P',
    lastName: 'P',
    role,
    smppAccess: true,
  })
  const session = await openSession(program.url, username, attackPassword)
  return { id, username, password: attackPassword, ...session, cookie: session.cookie() }
}

/** Starts the peer; each call gives what it has measured since the last one. */
function startProbe(file: string, options: ProbeOptions): () => Promise<ProbeFigures> {
  const child = spawn(process.execPath, [file, 'probe', JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  afterAll(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the peer has ended')))
  // Heard by whoever asks for figures.
  ended.catch(() => undefined)
  return async () => {
    child.stdin.write('\n')
    const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
    return JSON.parse(line) as ProbeFigures
  }
}

const slowness = processorFactor()
// A fifth of quiet, or 20 ms where that is more, for a processor as fast as that of the machine that limits were set on. A
// machine on which even quiet is not quiet needs more.
const allowanceMs = ({ p99Ms }: ProbeFigures) => Math.max(20 * slowness, 0.2 * p99Ms, 3 * (p99Ms - 5))
const healthzMs = 100
const triesMax = 5

/**
 * Holds the promise of a good neighbour: p99 of submit_sm within 20 ms of quiet, every message taken, /healthz within
 * 100 ms. A busy machine spoils a measurement now and then, an attack that is felt spoils all: one in five must hold.
 * With SHOW_FIGURES set, each measurement is written to stderr.
 */
export async function expectUndisturbed(
  environment: Awaited<ReturnType<typeof openProbedGateway>>,
  attack: (isOver: AbortSignal) => Promise<unknown>,
  forMs?: number,
): Promise<void> {
  const faults: string[] = []
  while (faults.length < triesMax) {
    const compared = await environment.compare(attack, forMs)
    if (process.env['SHOW_FIGURES'] !== undefined) process.stderr.write(`${figuresLine(compared)}\n`)
    if (isUndisturbed(compared)) return
    faults.push(JSON.stringify(compared))
  }
  expect.fail(`The attack is felt:\n${faults.join('\n')}`)
}

function figuresLine({ quiet, attacked }: Compared): string {
  const figures = ({ p99Ms, healthzMaxMs }: ProbeFigures) =>
    `p99 ${p99Ms.toFixed(1)} ms, /healthz at most ${healthzMaxMs.toFixed(1)} ms`
  return `${expect.getState().currentTestName}: quiet ${figures(quiet)}; attacked ${figures(attacked)}`
}

function isUndisturbed({ quiet, attacked }: Compared): boolean {
  return (
    attacked.refused === 0 &&
    attacked.healthzFaults === 0 &&
    attacked.p99Ms <= quiet.p99Ms + allowanceMs(quiet) &&
    attacked.healthzMaxMs <= healthzMs + 3 * quiet.healthzMaxMs
  )
}
