// The whole API, as the gateway serves it.
import { expect, test } from 'vitest'
import { openTestApi, testRefusals } from '../test/api.ts'
import { openTestDatabase, silentLog } from '../test/harness.ts'
import { compose } from './compose.ts'
import { systemClock } from './platform/clock.ts'
import { readConfig } from './platform/config.ts'

const database = await openTestDatabase()
const { routes } = await compose({
  config: readConfig({}),
  storage: { database, address: database.address, checks: {}, close: async () => undefined },
  log: silentLog,
  clock: systemClock,
  secretKey: 'x'.repeat(64),
})
testRefusals(routes, await openTestApi(routes))

test('no two routes answer at one address', () => {
  const calls = routes.flatMap(({ table }) =>
    Object.values(table).map(({ method, path }) => `${method} ${path}`),
  )
  expect(calls.length).toBeGreaterThan(100)
  expect(new Set(calls).size).toBe(calls.length)
})
