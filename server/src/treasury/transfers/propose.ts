// Which debts a transfer may be for: by its address, its amount and its time. A proposal books nothing.
import { sql } from 'kysely'
import type { TransferProposal, TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { rows, type Db } from '../../platform/db.ts'

/** A debt that is not paid in full, or that was settled a short while ago and may have been paid twice. */
interface NearDebt {
  readonly reference: string
  readonly user_id: number
  readonly username: string
  readonly address: string
  readonly due_micro: string
  readonly owed_since: Date
  /** The exported run that asked for it, and which of its transfers; null without one. */
  readonly run_id: string | null
  readonly line_id: string | null
}

const proposalsMax = 5
// Blocks and we have different clocks.
const toleranceMs = 300_000

/** The fields of a transfer by which a debt is found. */
type OpenTransfer = Pick<TreasuryTransfer, 'id' | 'toAddress' | 'amount' | 'bookedAmount' | 'at'>

/** Proposals by transfer, best first. */
export async function proposalsFor(
  db: Db,
  transfers: readonly OpenTransfer[],
): Promise<ReadonlyMap<string, TransferProposal[]>> {
  if (transfers.length === 0) return new Map()
  const debts = await listNear(db, [...new Set(transfers.map(({ toAddress }) => toAddress))])
  return new Map(
    transfers.map((transfer) => [
      transfer.id,
      propose(
        (parseMicro(transfer.amount) ?? 0n) - (parseMicro(transfer.bookedAmount) ?? 0n),
        debts.filter(
          ({ address, owed_since: since }) =>
            address === transfer.toAddress && since.getTime() <= Date.parse(transfer.at) + toleranceMs,
        ),
      ),
    ]),
  )
}

function listNear(db: Db, addresses: readonly string[]): Promise<NearDebt[]> {
  return rows(
    db,
    sql`select d.reference, d.user_id, u.username, d.usdt_address as address, d.due_micro, d.owed_since, r.run_id, r.line_id
        from debts d join users u on u.id = d.user_id
        left join lateral (
          select b.run_id, b.line_id from payment_run_debts b join payment_runs n on n.id = b.run_id
          where b.reference = d.reference and b.is_live and n.status = 'exported'
        ) r on true
        where d.usdt_address = any(${[...addresses]}::text[]) and not d.is_settled and d.due_micro > 0
        order by d.owed_since, d.reference limit 5000`,
  )
}

/** What fits exactly first, then what a run asked for, then each client's debts together. */
function propose(amountMicro: bigint, debts: readonly NearDebt[]): TransferProposal[] {
  const groups = [
    ...groupBy(
      debts.filter(({ line_id: line }) => line !== null),
      ({ line_id: line }) => String(line),
    ),
    ...groupBy(debts, ({ user_id: user }) => String(user)),
    ...debts.map((debt) => [debt]),
  ]
  const seen = new Set<string>()
  const found = groups.flatMap((group) => {
    const references = group.map(({ reference }) => reference)
    if (seen.has(references.join())) return []
    seen.add(references.join())
    const dueMicro = group.reduce((sum, { due_micro: micro }) => sum + BigInt(micro), 0n)
    return [
      {
        group,
        references,
        dueMicro,
        distance: dueMicro > amountMicro ? dueMicro - amountMicro : amountMicro - dueMicro,
      },
    ]
  })
  return found
    .toSorted((a, b) => (a.distance === b.distance ? 0 : a.distance < b.distance ? -1 : 1))
    .slice(0, proposalsMax)
    .map(({ group, references, dueMicro }) => ({
      userId: group[0]?.user_id ?? 0,
      userName: group[0]?.username ?? '',
      references,
      dueAmount: formatMicro(dueMicro, 2),
      fit: amountMicro === dueMicro ? 'exact' : amountMicro < dueMicro ? 'less' : 'more',
      runId: group[0]?.run_id ?? null,
    }))
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups.values()]
}
