// The whole API, as the gateway serves it.
import { expect, test } from 'vitest'
import type { Route } from '@tollgate/contract/route.ts'
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

// How a list is walked, not what is in it.
const walking = new Set(['sort', 'order', 'limit', 'cursor'])
// A client's own history always has the periods that came to no bill: on the page, too, they stand with the others.
const alwaysExported: Readonly<Record<string, readonly string[]>> = {
  '/api/billing/periods/export': ['unbilled'],
}

function filtersOf({ query }: Route): readonly string[] {
  const shape = (query as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
  return Object.keys(shape).filter((name) => !walking.has(name))
}

const all = routes.flatMap(({ table }) => Object.values(table) as Route[])
const exported = all.filter(({ method, path }) => method === 'GET' && path.endsWith('/export'))

test.each(exported.map((route) => [route.path, route] as const))(
  '%s takes the filters of its list',
  (path, route) => {
    const list = all.find((other) => other.method === 'GET' && `${other.path}/export` === path)
    const filters = list === undefined ? [] : filtersOf(list)
    const narrowing = filters.filter((name) => alwaysExported[path]?.includes(name) !== true)
    expect(filtersOf(route).toSorted()).toEqual(narrowing.toSorted())
  },
)
