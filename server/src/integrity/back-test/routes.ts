import { backTestRoutes } from '@tollgate/contract/integrity/back-tests.ts'
import type { Audit } from '../../audit/index.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { addBackTest, listBackTestClients, listBackTests } from './back-tests.ts'

export interface BackTestRouteParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
}

export function bindBackTestRoutes({ db, clock, audit }: BackTestRouteParts): BoundRoutes {
  return bindRoutes(backTestRoutes, {
    listBackTests: () => listBackTests(db),
    addBackTest: ({ body }, by) =>
      by.once(db, (tx) => addBackTest(tx, { audit, now: clock.now() }, body, by)),
    listBackTestClients: ({ params }) => listBackTestClients(db, params.id),
  })
}
