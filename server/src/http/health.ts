// Health for operators and orchestrators: is the process alive, may it get traffic, which version is it.
import type { FastifyInstance } from 'fastify'
import type { Checks } from '../platform/checks.ts'
import { version } from '../platform/process/project.ts'
import { within } from '../platform/work/within.ts'

// A database that does not answer within a second counts as down.
const checkTimeoutMs = 1_000

async function isPassed(check: () => Promise<boolean> | boolean): Promise<boolean> {
  // A check that throws has failed; the response names it.
  const result = Promise.resolve()
    .then(check)
    .catch(() => false)
  return (await within(result, checkTimeoutMs)) === true
}

/** Runs all checks side by side: `{database: 'ok', migrations: 'failed'}`. */
async function runChecks(checks: Checks): Promise<Record<string, 'ok' | 'failed'>> {
  const named = Object.entries(checks).map(async ([name, check]) => [
    name,
    (await isPassed(check)) ? 'ok' : 'failed',
  ])
  return Object.fromEntries(await Promise.all(named)) as Record<string, 'ok' | 'failed'>
}

/** Adds /healthz, /readyz and /version. */
export function addHealth(app: FastifyInstance, checks: Checks): void {
  app.get('/healthz', async (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/version', async (_, reply) =>
    reply.header('cache-control', 'no-store').send({ version, node: process.version }),
  )
  app.get('/readyz', async (_, reply) => {
    const found = await runChecks(checks)
    const isReady = Object.values(found).every((state) => state === 'ok')
    return reply
      .header('cache-control', 'no-store')
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready', checks: found })
  })
}
