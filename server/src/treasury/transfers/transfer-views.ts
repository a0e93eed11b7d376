// What left our wallets, as screens show it: each transfer with what it is booked on, what a person said of it, and the
// debts that it may be for.
import { sql, type RawBuilder } from 'kysely'
import type { transferSorts, TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import type { TransferState } from '@tollgate/contract/vocabulary.ts'
import { isoOf, replyPage } from '../../http/reply.ts'
import { row, type Db } from '../../platform/db.ts'
import type { PageReply } from '../../http/handlers.ts'
import { prefixPattern } from '../../http/lists/search-pattern.ts'
import type { Sort, SortedPage } from '../../http/lists/sorted-page.ts'
import { findLookAlikes } from '../../billing/index.ts'
import { proposalsFor } from './propose.ts'
import { transferState } from '../reader/transfer-conditions.ts'

/** Transfers of the token that left one of our wallets for an address that is not ours. */
export interface TreasuryScope {
  readonly network: string
  readonly wallets: readonly string[]
}

const leftUs = ({ network, wallets }: TreasuryScope): RawBuilder<unknown> =>
  sql`t.network = ${network} and t.is_final and t.from_address = any(${[...wallets]}::text[])
    and t.to_address <> all(${[...wallets]}::text[])`

const sorts: Record<(typeof transferSorts)[number], Sort> = {
  at: { expression: sql`t.block_at`, kind: 'time' },
  amount: { expression: sql`t.amount_micro`, kind: 'id' },
}

export interface TransferFilter {
  readonly id?: string
  readonly state?: TransferState | undefined
  readonly search?: string | undefined
}

/** A page of transfers. */
export async function listTransfers(
  db: Db,
  scope: TreasuryScope,
  { id, state, search = '' }: TransferFilter,
  page: SortedPage<(typeof transferSorts)[number]>,
): Promise<PageReply<TreasuryTransfer[]>> {
  const conditions = [
    leftUs(scope),
    id !== undefined && sql`t.id = ${id}::bigint`,
    state !== undefined && sql`${transferState} = ${state}`,
    search !== '' &&
      sql`(t.txid like ${prefixPattern(search.replace(/^0x/i, ''))} or lower(t.to_address) like ${prefixPattern(search)})`,
  ]
  const columns = sql`t.id, t.txid as transaction_hash, t.log_index, t.from_address, t.to_address, t.amount_micro,
    t.booked_micro as booked_amount_micro, t.block_at as at, ${transferState} as state,
    coalesce(b.booked_on, '{}') as references, coalesce(b.username, '') as user_name, x.decision`
  const source = sql`transfers t
        cross join lateral (
          select array_agg(coalesce('payout-' || y.payout_id, y.cycle_id || '-' || y.user_id, 'payment-' || y.id)
              order by y.id) filter (where y.id is not null) as booked_on, min(u.username) as username
          from payment_transfers p join payments y on y.id = p.payment_id join users u on u.id = y.user_id
          where p.transfer_id = t.id
        ) b
        left join lateral (
          select json_build_object('kind', d.kind, 'references', d.debt_references, 'reason', d.reason,
            'requestedBy', q.username, 'requestedAt', ${isoOf('d.requested_at')}, 'decidedBy', coalesce(c.username, '')) as decision
          from transfer_decisions d join users q on q.id = d.requested_by left join users c on c.id = d.decided_by
          where d.transfer_id = t.id and d.status <> 'refused' order by d.id desc limit 1
        ) x on true`
  const list = { sort: sorts[page.sort], id: sql`t.id`, columns, source, conditions }
  const found = await replyPage<StoredTransfer>(db, list, page)
  return { items: await withProposals(db, scope, found.items), next: found.next }
}

type StoredTransfer = Omit<TreasuryTransfer, 'proposals' | 'lookAlikes'>

async function withProposals(
  db: Db,
  { wallets }: TreasuryScope,
  found: readonly StoredTransfer[],
): Promise<TreasuryTransfer[]> {
  const open = found.filter(({ state }) => state === 'open' || state === 'waiting')
  const addresses = [...new Set(open.map(({ toAddress }) => toAddress))]
  const [proposals, lookAlikes] = await Promise.all([
    proposalsFor(db, open),
    addresses.length === 0 ? [] : findLookAlikes(db, addresses, wallets),
  ])
  return found.map((transfer) => ({
    ...transfer,
    proposals: proposals.get(transfer.id) ?? [],
    lookAlikes: lookAlikes
      .filter(({ of }) => of === transfer.toAddress)
      .map(({ address, userName }) => ({ address, userName })),
  }))
}

export async function findTransfer(
  db: Db,
  scope: TreasuryScope,
  id: string,
): Promise<TreasuryTransfer | undefined> {
  return (await listTransfers(db, scope, { id }, { sort: 'at', order: 'desc', limit: 1 })).items[0]
}

/** Transfers that nobody knows a debt for, also those that wait for a second person. */
export async function sumOpen(
  db: Db,
  scope: TreasuryScope,
): Promise<{ readonly count: number; readonly micro: string }> {
  const found = await row<{ count: number; micro: string }>(
    db,
    sql`select count(*)::int as count, coalesce(sum(t.amount_micro - t.booked_micro), 0)::text as micro
        from transfers t where ${leftUs(scope)} and t.booked_micro < t.amount_micro and ${transferState} in ('open', 'waiting')`,
  )
  return found ?? { count: 0, micro: '0' }
}
