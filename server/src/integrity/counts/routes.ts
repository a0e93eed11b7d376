import { carrierCountRoutes } from '@tollgate/contract/integrity/carrier-counts.ts'
import type { TableReader } from '../../files/tables/table-reader.ts'
import { sourceOf, tableOf } from '../../files/tables/uploaded-table.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import type { Db } from '../../platform/db.ts'
import { compareCounts } from './compare-counts.ts'
import { readCounts } from './read-counts.ts'

export function bindCountRoutes({
  db,
  tables,
}: {
  readonly db: Db
  readonly tables: TableReader
}): BoundRoutes {
  return bindRoutes(carrierCountRoutes, {
    async compareCounts({ query, body }, by) {
      const caller = { userId: by.actor.userId, signal: by.signal }
      return compareCounts(
        db,
        await readCounts(tables, tableOf(sourceOf(body, by.file)), caller),
        query.gateway,
      )
    },
  })
}
