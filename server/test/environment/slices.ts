// All slices on a test database, not started.
import { compose, type Composition } from '../../src/compose.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/process/config.ts'
import { silentLog, type TestDatabase } from './database.ts'

/** The slices as the gateway runs them with its standard settings, and the routes of all. */
export function composeOn(database: TestDatabase): Promise<Composition> {
  return compose({
    config: readConfig({}),
    storage: {
      database,
      heavy: database,
      address: database.address,
      checks: {},
      close: async () => undefined,
    },
    log: silentLog,
    clock: systemClock,
    rootKey: 'x'.repeat(64),
  })
}
