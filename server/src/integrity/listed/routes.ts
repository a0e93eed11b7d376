import { listedSenderRoutes, type ListedSender } from '@tollgate/contract/integrity/listed-senders.ts'
import type { TableReader } from '../../files/tables/table-reader.ts'
import { sourceOf, tableOf } from '../../files/tables/uploaded-table.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import type { Db } from '../../platform/db.ts'
import {
  addListed,
  dayOf,
  importListed,
  removeListed,
  tryListed,
  type ListedParts,
} from './listed-senders.ts'
import { readListed } from './read-listed.ts'
import { exportListed, listListed } from './views.ts'

export interface ListedRouteParts extends ListedParts {
  readonly db: Db
  readonly heavyDb?: Db | undefined
  readonly tables: TableReader
}

export function bindListedRoutes(parts: ListedRouteParts): BoundRoutes {
  const { db, clock, tables } = parts
  async function find(tx: Db, id: string): Promise<ListedSender> {
    const { items } = await listListed(tx, { ids: [id] }, { limit: 1 }, clock.now())
    const [entry] = items
    if (entry === undefined) throw new Error(`Entry ${id} of the hot list is gone`)
    return entry
  }
  return bindRoutes(listedSenderRoutes, {
    listListedSenders: ({ query }) => listListed(db, query, query, clock.now()),
    exportListedSenders: async ({ query }) => exportListed(db, query, clock.now()),
    addListedSender: ({ body: { sender, ...rest } }, by) =>
      by.once(db, async (tx) => find(tx, await addListed(tx, parts, { ...sender, ...rest }, by))),
    async importListedSenders({ query: { dryRun, ...defaults }, body }, by) {
      const source = sourceOf(body, by.file)
      const lines = await readListed(
        tables,
        tableOf(source),
        { ...defaults, today: dayOf(clock.now()) },
        { userId: by.actor.userId, signal: by.signal },
      )
      return by.once(db, (tx) =>
        dryRun === 'true' ? tryListed(tx, lines) : importListed(tx, parts, lines, source.name, by),
      )
    },
    removeListedSender: ({ params, body }, by) =>
      by.once(db, async (tx) => {
        await removeListed(tx, parts, params.id, body.reason, by)
        return find(tx, params.id)
      }),
  })
}
