// What left our wallets, as screens show it: each transfer with what it is booked on, what a person said of it, and the
// debts that it may be for.
import { sql, type RawBuilder } from 'kysely'
import type { transferSorts, TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { TransferState } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../../http/lists/cursor.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { PageReply } from '../../http/handlers.ts'
import { prefixPattern } from '../../http/lists/search-pattern.ts'
import { allOf, keyset, type Sort, type SortedPage } from '../../http/lists/sorted-page.ts'
import { findLookAlikes } from '../../billing/index.ts'
import { proposalsFor } from './propose.ts'
import { transferState } from '../reader/transfer-conditions.ts'

interface TransferViewRow {
  readonly id: string
  readonly txid: string
  readonly log_index: number
  readonly from_address: string
  readonly to_address: string
  readonly amount_micro: string
  readonly booked_micro: string
  readonly block_at: Date
  readonly state: TransferState
  readonly booked_on: readonly string[]
  readonly username: string | null
  readonly decision: {
    readonly kind: 'match' | 'explain'
    readonly references: string[]
    readonly reason: string
    readonly requested_by: string
    readonly requested_at: string
    readonly decided_by: string | null
  } | null
}

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
  const set = keyset(sorts[page.sort], sql`t.id`, page.order, page.cursor)
  const condition = allOf([
    leftUs(scope),
    id !== undefined && sql`t.id = ${id}::bigint`,
    state !== undefined && sql`${transferState} = ${state}`,
    search !== '' &&
      sql`(t.txid like ${prefixPattern(search.replace(/^0x/i, ''))} or lower(t.to_address) like ${prefixPattern(search)})`,
    set.after,
  ])
  const found = await rows<TransferViewRow & { sort_key: string }>(
    db,
    sql`select t.id, t.txid, t.log_index, t.from_address, t.to_address, t.amount_micro, t.booked_micro, t.block_at,
          ${transferState} as state, b.booked_on, b.username, x.decision, ${set.key} as sort_key
        from transfers t
        cross join lateral (
          select array_agg(coalesce('payout-' || y.payout_id, y.cycle_id || '-' || y.user_id, 'payment-' || y.id)
              order by y.id) filter (where y.id is not null) as booked_on, min(u.username) as username
          from payment_transfers p join payments y on y.id = p.payment_id join users u on u.id = y.user_id
          where p.transfer_id = t.id
        ) b
        left join lateral (
          select json_build_object('kind', d.kind, 'references', d.debt_references, 'reason', d.reason,
            'requested_by', q.username, 'requested_at', d.requested_at, 'decided_by', c.username) as decision
          from transfer_decisions d join users q on q.id = d.requested_by left join users c on c.id = d.decided_by
          where d.transfer_id = t.id and d.status <> 'refused' order by d.id desc limit 1
        ) x on true
        where ${condition} order by ${set.orderBy} limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ sort_key: key, id: last }) => [key, last])
  return { items: await withProposals(db, scope, cut.rows), next: cut.next }
}

async function withProposals(
  db: Db,
  { wallets }: TreasuryScope,
  found: readonly TransferViewRow[],
): Promise<TreasuryTransfer[]> {
  const open = found.filter(({ state }) => state === 'open' || state === 'waiting')
  const addresses = [...new Set(open.map(({ to_address: to }) => to))]
  const [proposals, lookAlikes] = await Promise.all([
    proposalsFor(db, open),
    addresses.length === 0 ? [] : findLookAlikes(db, addresses, wallets),
  ])
  return found.map((transfer) => ({
    ...toTransfer(transfer),
    proposals: proposals.get(transfer.id) ?? [],
    lookAlikes: lookAlikes
      .filter(({ of }) => of === transfer.to_address)
      .map(({ address, userName }) => ({ address, userName })),
  }))
}

function toTransfer(transfer: TransferViewRow): Omit<TreasuryTransfer, 'proposals' | 'lookAlikes'> {
  const { decision } = transfer
  return {
    id: transfer.id,
    transactionHash: transfer.txid,
    logIndex: transfer.log_index,
    fromAddress: transfer.from_address,
    toAddress: transfer.to_address,
    amount: formatMicro(BigInt(transfer.amount_micro), 2),
    bookedAmount: formatMicro(BigInt(transfer.booked_micro), 2),
    at: transfer.block_at.toISOString(),
    state: transfer.state,
    references: [...(transfer.booked_on ?? [])],
    userName: transfer.username ?? '',
    decision: decision && {
      kind: decision.kind,
      references: decision.references,
      reason: decision.reason,
      requestedBy: decision.requested_by,
      requestedAt: new Date(decision.requested_at).toISOString(),
      decidedBy: decision.decided_by ?? '',
    },
  }
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
