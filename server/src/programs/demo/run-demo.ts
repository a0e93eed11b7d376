// Runs the demo: passwords, past weeks, gateway, suppliers.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ComposeOptions } from '../../compose.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { readConfig } from '../../platform/process/config.ts'
import { within } from '../../platform/work/within.ts'
import type { Signals } from '../../platform/process/signals.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { runGateway, type RunningGateway } from '../../run-gateway.ts'
import { ApiFailure, signIn, type Api } from './api.ts'
import { askForNumbers } from './ask-for-numbers.ts'
import { demoToken, openChain, type DemoChain } from './chain.ts'
import { linkOutside } from './link-outside.ts'
import { livePast } from './live-past.ts'
import { portsSchema, type OutsidePorts } from './outside.ts'
import { PastClock } from './past-clock.ts'
import { perHourMax } from './messages.ts'
import { newPasswords, readDemoFile, writeDemoFile, type DemoFile } from './people-file.ts'
import { people, planNumbers, strangeNumbers } from './plan.ts'
import type { SupplierOptions } from './supplier.ts'

const outsideCidr = '127.0.0.1/32'
const needsEmpty =
  'The demo needs an empty database, and this one has people in it. Give it another one: DATA_DIR=./demo-data npm run demo'

/** Returns the exit status. `program` is the file that runs the suppliers when called with `supplier`. */
export async function runDemo(signals: Signals, program: string): Promise<number> {
  let demo: Demo
  try {
    demo = await prepare(program)
  } catch (error) {
    process.stderr.write(`${error instanceof StartFailure ? error.message : String(error)}\n`)
    return 1
  }
  return runGateway({
    signals,
    before: (parts) => makePast(parts, demo, signals.stopping),
    beside: (gateway) => begin(gateway, demo, signals.stopping),
  })
}

interface Demo {
  readonly program: string
  readonly file: DemoFile
  /** Whether no start of the demo came before. */
  readonly isFirst: boolean
  /** Of the past weeks and of the simulated chain. */
  readonly clock: PastClock
  /** Undefined when the operator configured a TRON node. */
  readonly chain: DemoChain | undefined
}

/** Makes the passwords, sets the gateway's first admin, and opens the simulated chain. */
async function prepare(program: string): Promise<Demo> {
  const { dataDir, roles } = readConfig(process.env)
  if (!roles.has('web') || !roles.has('smpp')) {
    throw new StartFailure('ROLES is not valid for the demo: it needs web and smpp. Leave ROLES out.')
  }
  const found = await readDemoFile(dataDir)
  const file = found ?? { isComplete: false, passwords: newPasswords() }
  const clock = new PastClock()
  // The demo's outside world is on this machine, which the egress guard refuses otherwise.
  const allowed = process.env['EGRESS_ALLOW'] ?? ''
  process.env['EGRESS_ALLOW'] = allowed === '' ? outsideCidr : `${allowed},${outsideCidr}`
  process.env['ADMIN_USERNAME'] = 'admin'
  process.env['ADMIN_PASSWORD'] = file.passwords['admin'] ?? ''
  const chain = await prepareChain(clock, join(dataDir, 'demo-chain.jsonl'))
  return { program, file, isFirst: found === undefined, clock, chain }
}

async function prepareChain(clock: PastClock, file: string): Promise<DemoChain | undefined> {
  if ((process.env['TRON_API_URL'] ?? '') !== '') return undefined
  const chain = await openChain(demoToken, { clock, file })
  process.env['TRON_API_URL'] = chain.url
  process.env['TRON_USDT_CONTRACT'] = demoToken
  return chain
}

/** At the first start: the business and its past weeks. */
async function makePast(
  parts: Omit<ComposeOptions, 'clock'>,
  { file, isFirst, clock, chain }: Demo,
  stopping: AbortSignal,
): Promise<void> {
  if (file.isComplete) return
  const { dataDir } = parts.config
  // Every gateway that has run opened a cycle.
  if ((await findOpenCycle(parts.storage.database.db)) !== undefined)
    throw new StartFailure(
      isFirst
        ? needsEmpty
        : `An earlier start of the demo was cut short. Remove its folder ${dataDir} and start again.`,
    )
  // First: from here on this database belongs to the demo, and its admin must be able to sign in again.
  await writeDemoFile(dataDir, file)
  process.stdout.write('Making the demo business and its past weeks …\n')
  await livePast(parts, { clock, chain, passwords: file.passwords }, stopping)
}

async function begin(
  gateway: RunningGateway,
  { program, file, chain }: Demo,
  stopping: AbortSignal,
): Promise<() => Promise<void>> {
  const { config } = gateway
  // With a public address the API is still reachable here.
  const base = config.publicUrl === undefined ? gateway.address : `http://${config.host}:${config.httpPort}`
  const admin = await signInAsAdmin(base, file)
  if (!file.isComplete && !stopping.aborted) {
    await askForNumbers(base, admin, file.passwords)
    await writeDemoFile(config.dataDir, { ...file, isComplete: true })
  }
  process.stdout.write(`${peopleTable(file)}\n`)
  if (chain) process.stdout.write(`Demo wallet, for paying bills: ${chain.url}\n`)
  const order = await supplierOptions(admin, config.host)
  const stopSuppliers = startSuppliers(order, program, async (ports) => {
    const users = await admin.call<{ id: number; username: string }[]>('GET', '/api/users')
    const client = users.find(({ username }) => username === 'client1')
    await linkOutside(admin, ports, order.outside, client?.id ?? 0)
  })
  return async () => {
    await stopSuppliers()
    await chain?.stop()
  }
}

async function signInAsAdmin(base: string, { passwords }: DemoFile): Promise<Api> {
  try {
    return await signIn(base, 'admin', passwords['admin'] ?? '')
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 401) throw error
    throw new StartFailure(needsEmpty)
  }
}

async function supplierOptions(admin: Api, host: string): Promise<SupplierOptions> {
  const users = await admin.call<{ id: number; username: string }[]>('GET', '/api/users')
  const status = await admin.call<{ server: { port: number } }>('GET', '/api/smpp/status')
  const suppliers = []
  for (const { id, username } of users) {
    if (!username.startsWith('supplier')) continue
    const { systemId, password } = await admin.call<{ systemId: string; password: string }>(
      'GET',
      `/api/users/${id}/smpp-credentials`,
    )
    suppliers.push({ systemId, password })
  }
  const planned = planNumbers()
  return {
    host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host,
    port: status.server.port,
    suppliers: suppliers.toSorted((a, b) => a.systemId.localeCompare(b.systemId)),
    numbers: planned
      .filter(({ status: state }) => state === 'active')
      .map(({ number, weight }) => ({ number, weight })),
    strangeNumbers: [
      ...planned.filter(({ status: state }) => state !== 'active').map(({ number }) => number),
      ...strangeNumbers,
    ],
    outside: {
      systemId: 'tollgate-demo',
      password: randomBytes(4).toString('hex'),
      apiKey: randomBytes(16).toString('hex'),
    },
    perSecondMax: perHourMax / 3_600,
  }
}

/** Starts the suppliers' process. It ends with this process, because its IPC channel closes then. */
function startSuppliers(
  order: SupplierOptions,
  program: string,
  onOutside: (ports: OutsidePorts) => Promise<void>,
): () => Promise<void> {
  const child = fork(program, ['supplier'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  child.on('error', (error) =>
    process.stderr.write(`The demo's suppliers could not start: ${error.message}\n`),
  )
  child.once('message', (message) => {
    onOutside(portsSchema.parse(message)).catch((error: unknown) =>
      process.stderr.write(`The demo's outside world could not be linked: ${String(error)}\n`),
    )
  })
  child.send(order)
  return async () => {
    if (child.connected) child.disconnect()
    await within(ended, 5_000)
    child.kill('SIGKILL')
  }
}

function peopleTable({ passwords }: DemoFile): string {
  const lines = people.map(({ username, role, smppAccess }) => {
    const what = smppAccess === true ? 'supplier' : role === 'user' ? 'client' : role
    return `  ${username.padEnd(10)} ${(passwords[username] ?? '').padEnd(19)} ${what}`
  })
  return ['Demo people and their passwords:', ...lines].join('\n')
}
