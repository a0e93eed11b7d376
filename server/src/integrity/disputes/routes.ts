import { disputeRoutes } from '@tollgate/contract/integrity/disputes.ts'
import type { TableReader } from '../../files/tables/table-reader.ts'
import { sourceOf, tableOf } from '../../files/tables/uploaded-table.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import type { Db } from '../../platform/db.ts'
import { correctDispute, importDispute, openCases, type DisputeParts } from './disputes.ts'
import { readDispute } from './read-dispute.ts'
import { disputeClients, listDisputeLines, listDisputes } from './views.ts'

export interface DisputeRouteParts extends DisputeParts {
  readonly db: Db
  readonly tables: TableReader
}

export function bindDisputeRoutes(parts: DisputeRouteParts): BoundRoutes {
  const { db, tables } = parts
  return bindRoutes(disputeRoutes, {
    async importDispute({ query: { carrier, dryRun }, body }, by) {
      const source = sourceOf(body, by.file)
      const file = await readDispute(tables, tableOf(source), { userId: by.actor.userId, signal: by.signal })
      const of = { carrier, fileName: source.name, isTrial: dryRun === 'true' }
      return by.once(db, (tx) => importDispute(tx, parts, file, of, by))
    },
    listDisputes: ({ query }) => listDisputes(db, query),
    listDisputeLines: ({ params, query }) => listDisputeLines(db, params.id, query),
    listDisputeClients: ({ params }) => disputeClients(db, params.id),
    openDisputeCases: ({ params }, by) =>
      by.once(db, async (tx) => {
        await openCases(tx, parts, params.id, by)
        return disputeClients(tx, params.id)
      }),
    correctDispute: ({ params, body }, by) =>
      by.once(db, async (tx) => {
        await correctDispute(tx, parts, params.id, body, by)
        return disputeClients(tx, params.id)
      }),
  })
}
