// All slices on a test database, not started, and their API on a socket.
import { compose, type Composition } from '../../src/compose.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import type { FindActor } from '../../src/http/authorize.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { readConfig, type Config } from '../../src/platform/process/config.ts'
import { afterUse, silentLog, type TestDatabase } from './database.ts'

/** The slices as the gateway runs them, with its standard settings unless others are given, and the routes of all. */
export function composeOn(
  database: TestDatabase,
  { config = readConfig({}), clock = systemClock }: { config?: Config; clock?: Clock } = {},
): Promise<Composition> {
  return compose({
    config,
    storage: {
      database,
      heavy: database,
      address: database.address,
      probe: database.db,
      disk: undefined,
      backups: undefined,
      replica: undefined,
      checks: {},
      close: async () => undefined,
    },
    log: silentLog,
    clock,
    rootKey: 'x'.repeat(64),
  })
}

/** Serves all routes until the test or its file ends; returns the address. */
export async function serve(
  { routes, secrets }: Pick<Composition, 'routes' | 'secrets'>,
  findActor: FindActor,
  clock: Clock = systemClock,
): Promise<string> {
  const server = await createHttpServer({
    routes,
    findActor,
    clock,
    log: silentLog,
    publicUrl: undefined,
    secrets,
    checks: {},
  })
  afterUse(() => server.close())
  return `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`
}
