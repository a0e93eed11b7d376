import { booksRoutes, type ClientAccount } from '@tollgate/contract/books/books.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import type { BillingDeps } from '../billing/index.ts'
import { findAccount, listAccounts, sumAccounts } from './account-views.ts'
import { readAccruals } from './accruals.ts'
import { exportAccounts, exportAccruals, exportMovements } from './books-exports.ts'
import { listMovements, type DaySpan } from './movement-views.ts'

export function bindBooksRoutes({ db, clock }: BillingDeps): BoundRoutes {
  /** Throws Refusal not_found. */
  async function account(userId: number, span: DaySpan, asTold = false): Promise<ClientAccount> {
    // All sums are of one snapshot, so that they agree.
    const found = await transaction(db, (tx) => findAccount(tx, clock.now(), userId, span, { asTold }), {
      isolation: 'repeatable read',
    })
    if (found === undefined) throw new Refusal('not_found', 'There is no such account.')
    return found
  }
  const instantOf = ({ at }: { at?: string | undefined }) => (at === undefined ? undefined : new Date(at))

  return bindRoutes(booksRoutes, {
    getOwnAccount: ({ query }, { actor }) => account(actor.userId, query, true),
    listOwnMovements: ({ query }, { actor }) =>
      listMovements(db, actor.userId, { ...query, asTold: true }, query),
    exportOwnMovements: async ({ query }, { actor }) =>
      exportMovements(db, actor.userId, { ...query, asTold: true }),
    listAccounts: ({ query }) => listAccounts(db, clock.now(), query, query),
    getAccountTotals: () => sumAccounts(db, clock.now()),
    exportAccounts: async ({ query }) => exportAccounts(db, clock.now(), query),
    getAccount: ({ params, query }) => account(params.id, query),
    async listMovements({ params, query }) {
      await account(params.id, {})
      return listMovements(db, params.id, query, query)
    },
    async exportMovements({ params, query }) {
      await account(params.id, {})
      return exportMovements(db, params.id, query)
    },
    getAccruals: ({ query }) => readAccruals(db, clock.now(), instantOf(query)),
    exportAccruals: async ({ query }) => exportAccruals(db, clock.now(), instantOf(query)),
  })
}
