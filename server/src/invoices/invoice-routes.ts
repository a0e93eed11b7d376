import { Refusal } from '@tollgate/contract/errors.ts'
import { invoiceRoutes, type LegalEntity } from '@tollgate/contract/invoices/invoices.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { bindRoutes, type Actor, type BoundRoutes } from '../http/handlers.ts'
import { findAmendment } from '../amendments/index.ts'
import { findPeriod } from '../billing/index.ts'
import type { InvoiceDeps } from './deps.ts'
import { countWithoutEntity, findEntity, listWithoutEntity } from './entity-store.ts'
import { readEntity, saveEntity } from './entities.ts'
import { exportInvoices } from './export-invoices.ts'
import { findInvoice, listInvoices } from './invoice-views.ts'
import { writeCreditNote, writeInvoice } from './write-invoice.ts'

// As many as a person looks through; the count says how many there are.
const namedMax = 20

/** A client does not read which of the staff saved its legal entity. */
function withoutStaff(entity: LegalEntity, { username, role }: Actor): LegalEntity {
  const isShown = entity.savedBy === username || isPermitted(role, 'paymentManagement')
  return isShown ? entity : { ...entity, savedBy: '' }
}

export function bindInvoiceRoutes(deps: InvoiceDeps): BoundRoutes {
  const { db, clock } = deps
  return bindRoutes(invoiceRoutes, {
    getLegalEntity: async (_, { actor }) => withoutStaff(await readEntity(deps, actor.userId), actor),
    putLegalEntity: ({ body }, by) => saveEntity(deps, by.actor.userId, body, by),
    getOwnCompany: () => readEntity(deps, 'own'),
    putOwnCompany: ({ body }, by) => saveEntity(deps, 'own', body, by),
    getClientEntity: ({ params }) => readEntity(deps, params.id),
    putClientEntity: ({ params, body }, by) => saveEntity(deps, params.id, body, by),
    listInvoices: ({ query }, { actor }) => listInvoices(db, { ...query, userId: actor.userId }, query),
    exportInvoices: async ({ query }, { actor }) => exportInvoices(db, { ...query, userId: actor.userId }),
    listAllInvoices: ({ query }) => listInvoices(db, query, query),
    exportAllInvoices: async ({ query }) => exportInvoices(db, query),
    async getInvoice({ params }, { actor }) {
      const invoice = await findInvoice(db, params.id)
      const isSeen = invoice?.user_id === actor.userId || isPermitted(actor.role, 'paymentManagement')
      if (invoice === undefined || !isSeen) throw new Refusal('not_found', 'There is no such document.')
      return writeInvoice(db, invoice)
    },
    async getMissingEntities() {
      return {
        isOwnCompanyMissing: (await findEntity(db, 'own')) === undefined,
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
