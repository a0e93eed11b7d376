import { Refusal } from '@tollgate/contract/errors.ts'
import { paperRoutes, type LegalEntity } from '@tollgate/contract/invoices/invoices.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { bindRoutes, type Actor, type BoundRoutes } from '../http/handlers.ts'
import { findAmendment } from '../amendments/index.ts'
import { findPeriod } from '../billing/index.ts'
import type { InvoiceDeps } from './deps.ts'
import { countWithoutEntity, findEntity, listWithoutEntity } from './entity-store.ts'
import { readEntity, saveEntity } from './entities.ts'
import { exportPapers } from './export-papers.ts'
import { findPaper, listPapers } from './paper-views.ts'
import { writeCreditNote, writePaper } from './write-paper.ts'

// As many as a person looks through; the count says how many there are.
const namedMax = 20

/** A client does not read which of the staff saved its legal entity. */
function withoutStaff(entity: LegalEntity, { username, role }: Actor): LegalEntity {
  const isShown = entity.savedBy === username || isPermitted(role, 'paymentManagement')
  return isShown ? entity : { ...entity, savedBy: '' }
}

export function bindPaperRoutes(deps: InvoiceDeps): BoundRoutes {
  const { db, clock } = deps
  return bindRoutes(paperRoutes, {
    getLegalEntity: async (_, { actor }) => withoutStaff(await readEntity(deps, actor.userId), actor),
    putLegalEntity: ({ body }, by) => saveEntity(deps, by.actor.userId, body, by),
    getHouseEntity: () => readEntity(deps, 'house'),
    putHouseEntity: ({ body }, by) => saveEntity(deps, 'house', body, by),
    getClientEntity: ({ params }) => readEntity(deps, params.id),
    putClientEntity: ({ params, body }, by) => saveEntity(deps, params.id, body, by),
    listPapers: ({ query }, { actor }) => listPapers(db, { ...query, userId: actor.userId }, query),
    exportPapers: async ({ query }, { actor }) => exportPapers(db, { ...query, userId: actor.userId }),
    listAllPapers: ({ query }) => listPapers(db, query, query),
    exportAllPapers: async ({ query }) => exportPapers(db, query),
    async getPaper({ params }, { actor }) {
      const paper = await findPaper(db, params.id)
      const isSeen = paper?.user_id === actor.userId || isPermitted(actor.role, 'paymentManagement')
      if (paper === undefined || !isSeen) throw new Refusal('not_found', 'There is no such document.')
      return writePaper(db, paper)
    },
    async getMissingEntities() {
      return {
        isHouseMissing: (await findEntity(db, 'house')) === undefined,
        clientCount: await countWithoutEntity(db),
        clients: await listWithoutEntity(db, namedMax),
      }
    },
    async getCreditNote({ params }, { actor }) {
      const note = await findAmendment(db, params.id)
      const isSeen = note?.user_id === actor.userId || isPermitted(actor.role, 'paymentManagement')
      if (note === undefined || !isSeen || note.kind !== 'credit_note' || note.status !== 'done')
        throw new Refusal('not_found', 'There is no such credit note.')
      const period = await findPeriod(db, {
        cycleId: note.cycle_id,
        userId: note.user_id,
        now: clock.now(),
      })
      if (period === undefined) throw new Error('The bill of the credit note is missing')
      const { periodStart: startsAt, periodEnd: endsAt, userName } = period
      return writeCreditNote(db, note, { startsAt, endsAt, userName })
    },
  })
}
