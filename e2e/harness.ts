// The fixtures of the browser tests: the built gateway with its own database, accounts of each role, a signed-in page.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test as base, expect, type APIRequestContext, type Page } from '@playwright/test'
import type { User } from '@tollgate/contract/users/users.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { applicationRole, ownerRole } from '../server/src/storage/embedded/roles.ts'
import { copyTemplate } from '../server/test/environment/cluster.ts'
import { freePort } from '../server/test/environment/free-port.ts'
import { clusterVariable } from './cluster.ts'

export { expect }

const root = resolve(import.meta.dirname, '..')
const adminPassword = 'correct horse battery'

/** The password of every account that a test makes. */
export const password = 'staple-battery-horse'

/** A running gateway. */
export interface TestGateway {
  readonly url: string
  readonly smppPort: number
  /** The database as its owner, for what no call can do, such as letting time pass. */
  readonly ownerUrl: string
  /** Calls the API as the first admin; throws on a refusal. */
  api<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Makes an account with {@link password} and returns it. */
  person(role: Role, extra?: { username?: string; smppAccess?: boolean }): Promise<User>
  /** See {@link GatewayProcess.freeze}. */
  freeze(isFrozen: boolean): void
  stop(): Promise<void>
}

/** Resolves once the gateway is ready, with a function that returns its output so far. */
function whenReady(child: ChildProcess): Promise<() => string> {
  return new Promise((settle, reject) => {
    let output = ''
    const hear = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes('Tollgate is ready')) settle(() => output)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.on('exit', (code, signal) => {
      const words = `The gateway ended with status ${code ?? signal}:\n${output.slice(-4000)}`
      // After the start nobody awaits this promise, and a test would only find its pages gone. So the reason goes to
      // the log.
      if (code !== 0) console.error(words)
      reject(new Error(words))
    })
  })
}

let people = 0

/** The process of a gateway, with its own folder and ports. */
export interface GatewayProcess {
  readonly url: string
  readonly smppPort: number
  /** What the process has written so far. */
  output(): string
  /** Stops the process as a hanging one stops: its connections stay open, and nothing is answered. */
  freeze(isFrozen: boolean): void
  stop(): Promise<void>
}

/** Starts the built gateway, or the demo, with `env` in addition to the environment of all tests. Without DATABASE_URL it embeds its own database. */
export async function launch(
  env: Readonly<Record<string, string>>,
  program: 'main' | 'demo' = 'main',
): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'))
  const [httpPort, smppPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${httpPort}`
  const child = spawn(process.execPath, [join(root, `dist/server/${program}.js`)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HTTP_PORT: String(httpPort),
      SMPP_PORT: String(smppPort),
      DATA_DIR: folder,
      DATABASE_URL: '',
      ADMIN_USERNAME: '',
      ADMIN_PASSWORD: '',
      // The upstreams and webhook receivers of the tests run on this machine.
      EGRESS_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  const output = await whenReady(child)
  return {
    url,
    smppPort,
    output,
    freeze: (isFrozen) => child.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT'),
    async stop() {
      const ended = new Promise((settle) => child.on('exit', settle))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A database of its own in the cluster of all browser tests, as the environment variables of a gateway. */
export async function copyDatabase() {
  const host = process.env[clusterVariable] ?? ''
  const name = `e2e_${randomBytes(8).toString('hex')}`
  await copyTemplate(host, name)
  const addressFor = (role: string) => `postgres://${role}@/${name}?host=${encodeURIComponent(host)}`
  return { DATABASE_URL: addressFor(applicationRole), MIGRATION_DATABASE_URL: addressFor(ownerRole) }
}

async function startGateway(
  request: APIRequestContext,
  env: Readonly<Record<string, string>>,
): Promise<TestGateway> {
  const database = await copyDatabase()
  const gateway = await launch({
    ADMIN_USERNAME: 'admin',
    ADMIN_PASSWORD: adminPassword,
    ...database,
    ...env,
  })
  const { url } = gateway
  const api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await request.fetch(`${url}${path}`, {
      method,
      headers: { origin: url },
      ...(body === undefined ? {} : { data: body }),
    })
    // In a long file the admin's sign-in is no longer fresh.
    if (answer.status() === 403 && (await answer.text()).includes('"reauthenticate"')) {
      await api('POST', '/api/user/reauthenticate', { password: adminPassword })
      return api<T>(method, path, body)
    }
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  await api('POST', '/api/login', { username: 'admin', password: adminPassword })
  return {
    url,
    smppPort: gateway.smppPort,
    ownerUrl: database.MIGRATION_DATABASE_URL,
    api,
    person: (role, extra = {}) => {
      people += 1
      const username = extra.username ?? `${role}${people}`
      return api<User>('POST', '/api/register', {
        username,
        password,
        email: `${username}@example.com`,
        firstName: 'Test',
        lastName: `Person ${people}`,
        role,
        smppAccess: extra.smppAccess ?? false,
      })
    },
    freeze: (isFrozen) => gateway.freeze(isFrozen),
    stop: () => gateway.stop(),
  }
}

/**
 * Signs the browser of a page in by the API, which takes the place of an earlier sign-in, and opens `path`. The sign-in
 * page has tests of its own.
 */
export async function signIn(page: Page, gateway: TestGateway, username: string, path = '/'): Promise<void> {
  await signInWith(page, gateway, { username, password }, path)
}

/** The links to the pages. Others on a page may have the same names, as those of First steps have. */
export const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' })

/** Signs in as the first admin. */
export async function signInAsAdmin(page: Page, gateway: TestGateway, path = '/'): Promise<void> {
  await signInWith(page, gateway, { username: 'admin', password: adminPassword }, path)
}

async function signInWith(page: Page, { url }: TestGateway, data: object, path: string): Promise<void> {
  const answer = await page.request.post(`${url}/api/login`, { headers: { origin: url }, data })
  expect(answer.status(), await answer.text()).toBe(200)
  await page.goto(`${url}${path}`)
}

/** Goes to another address inside the console, as a link does: a load of the whole console costs half a second. */
export async function walkTo(page: Page, path: string): Promise<void> {
  await page.evaluate((next) => {
    // The same page keeps its heading.
    if (location.pathname === next) return
    for (const heading of document.querySelectorAll('h1')) heading.setAttribute('data-left', '')
    history.pushState({}, '', next)
  }, path)
  await expect(page.locator('h1:not([data-left])')).toBeVisible()
}

/** Fills the sign-in page and sends it, as a person does. */
export async function submitSignIn(page: Page, username: string, word = password): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(word)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

/** The heading of the page that follows a sign-in. */
export const dashboard = (page: Page) => page.getByRole('heading', { level: 1, name: 'Dashboard' })

/** Chooses an action from the menu in the row of an account, on the users page. */
export async function chooseAction(page: Page, username: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${username}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** `test` with a gateway that several files share. So each test makes its own accounts and numbers. */
export const test = base.extend<
  object,
  { gateway: TestGateway; gatewayName: string; env: Readonly<Record<string, string>> }
>({
  // A file that gives another name gets a gateway of its own, because Playwright starts another worker for it.
  gatewayName: ['shared', { scope: 'worker', option: true }],
  // More environment variables of that gateway. They need another name.
  env: [{}, { scope: 'worker', option: true }],
  gateway: [
    async ({ playwright, env }, use) => {
      const request = await playwright.request.newContext()
      const gateway = await startGateway(request, env)
      await use(gateway)
      await gateway.stop()
      await request.dispose()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
})
