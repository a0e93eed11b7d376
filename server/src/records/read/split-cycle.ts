// What the open cycle has come to: its bill, its payouts, what is held, and what came late. By counters.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { weekSchema } from '@tollgate/contract/records/records.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import type { z } from 'zod'
import { rows, type Db } from '../../platform/db.ts'
import { countedByDay } from '../query/counters.ts'
import { ofViewer, ownerScope, type Viewer } from './viewer.ts'

const dayMs = 86_400_000

interface OpenCycleRow {
  readonly id: number
  readonly starts_at: Date
}

type Week = z.infer<typeof weekSchema>
type Split = Pick<Week, 'count' | 'amountUsd' | 'earned' | 'bill' | 'payouts' | 'held' | 'late'>

interface PartRow {
  readonly part: 'all' | 'held' | 'dated'
  readonly settlement: number
  readonly count: string
  readonly amount: string
}

/** For the viewer's own records, or everybody's. */
export async function splitCycle(db: Db, viewer: Viewer, cycle: OpenCycleRow | undefined): Promise<Split> {
  const isDated = cycle === undefined || cycle.starts_at.getTime() % dayMs === 0
  const found = cycle === undefined ? [] : await readParts(db, viewer, cycle)
  const sum = (part: PartRow['part'], settlement?: (typeof settlements)[number]): Sum =>
    found
      .filter((row) => row.part === part)
      .filter((row) => settlement === undefined || row.settlement === settlements.indexOf(settlement))
      .reduce((total, row) => plus(total, { count: Number(row.count), micro: BigInt(row.amount) }), nothing)
  const [all, held] = [sum('all'), sum('held')]
  const bill = minus(sum('all', 'bill'), sum('held', 'bill'))
  const payouts = minus(sum('all', 'payout'), sum('held', 'payout'))
  // Everything that came since the cycle began belongs to it.
  const late = minus(all, sum('dated'))
  return {
    ...toPart(all),
    earned: toPart(plus(bill, payouts)),
    bill: toPart(bill),
    payouts: toPart(payouts),
    held: toPart(held),
    late: isDated ? toPart(late.count > 0 ? late : nothing) : null,
  }
}

/** In one statement, so that the parts fit together. */
function readParts(db: Db, viewer: Viewer, { id, starts_at: from }: OpenCycleRow): Promise<PartRow[]> {
  const [own, owner] = [ofViewer(viewer), ownerScope(viewer)]
  const clientIds = owner === undefined ? undefined : [owner]
  const inCycle = sql`cycle_id = ${id} and ${own}`
  return rows(
    db,
    sql`select part, settlement, sum(record_count)::text as count, sum(amount_micro)::text as amount from (
          select 'all' as part, settlement, record_count, amount_micro from record_cycles where ${inCycle}
          union all select 'held', settlement, record_count, amount_micro
            from (select *, user_id as client_id from hold_sums) s where ${inCycle}
              and (${owner === undefined}::boolean or is_told(told_from))
          union all select 'dated', 0, record_count, amount_micro from ${countedByDay({ clientIds, from })} c
        ) parts group by part, settlement`,
  )
}

interface Sum {
  readonly count: number
  readonly micro: bigint
}

const nothing: Sum = { count: 0, micro: 0n }
const plus = (a: Sum, b: Sum): Sum => ({ count: a.count + b.count, micro: a.micro + b.micro })
const minus = (a: Sum, b: Sum): Sum => ({ count: a.count - b.count, micro: a.micro - b.micro })
const toPart = ({ count, micro }: Sum) => ({ count, amountUsd: formatMicro(micro) })
