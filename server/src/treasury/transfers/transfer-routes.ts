import { Refusal } from '@tollgate/contract/errors.ts'
import { treasuryTransferRoutes, type TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../../files/formats/csv.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import type { BillingDeps } from '../../billing/index.ts'
import { decideTransfer, explainTransfer, matchTransfer } from './decide-transfer.ts'
import { readReader } from './reader-views.ts'
import { findTransfer, listTransfers, type TreasuryScope } from './transfer-views.ts'

const columns: readonly CsvColumn<TreasuryTransfer>[] = [
  ['Date', ({ at }) => at],
  ['Transaction Hash', ({ transactionHash }) => transactionHash],
  ['Log Index', ({ logIndex }) => String(logIndex)],
  ['From', ({ fromAddress }) => fromAddress],
  ['To', ({ toAddress }) => toAddress],
  ['Amount (USDT)', ({ amount }) => amount],
  ['Booked (USDT)', ({ bookedAmount }) => bookedAmount],
  ['State', ({ state }) => state],
  ['User', ({ userName }) => userName],
  ['Debts', ({ references }) => references.join(' ')],
  ['Reason', ({ decision }) => decision?.reason ?? ''],
  ['Said by', ({ decision }) => decision?.requestedBy ?? ''],
  ['Agreed by', ({ decision }) => decision?.decidedBy ?? ''],
]

export function bindTransferRoutes(deps: BillingDeps): BoundRoutes {
  const { db, tron } = deps

  async function scopeOf(): Promise<TreasuryScope> {
    return { network: tron?.usdtContract ?? '', wallets: await deps.treasuryAddresses.get(db) }
  }

  /** Throws Refusal not_found for a transfer that did not leave our wallets. */
  async function find(id: string): Promise<TreasuryTransfer> {
    const found = await findTransfer(db, await scopeOf(), id)
    if (found === undefined) throw new Refusal('not_found', 'There is no such transfer.')
    return found
  }

  return bindRoutes(treasuryTransferRoutes, {
    getTreasuryReader: () => readReader(deps),
    listTreasuryTransfers: async ({ query }) => listTransfers(db, await scopeOf(), query, query),
    async exportTreasuryTransfers({ query }) {
      const scope = await scopeOf()
      return csvOfList('treasury-transfers.csv', columns, (cursor) =>
        listTransfers(db, scope, query, { sort: 'at', order: 'desc', limit: exportPageRows, cursor }),
      )
    },
    async matchTransfer({ params, body }, by) {
      await find(params.id)
      await matchTransfer(deps, params.id, body, by)
      return find(params.id)
    },
    async explainTransfer({ params, body }, by) {
      await find(params.id)
      await explainTransfer(deps, params.id, body.reason, by)
      return find(params.id)
    },
    async decideTransfer({ params, body }, by) {
      await find(params.id)
      await decideTransfer(deps, params.id, body, by)
      return find(params.id)
    },
  })
}
