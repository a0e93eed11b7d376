// What a period would have come to under another rate, before that rate is set. A closed period is computed from bill
// lines, an open one from the counters. Records are read only for clients who ever had their own rate.
import type { WhatIf } from '@tollgate/contract/billing/close.ts'
import { createdBetween } from '../../records/index.ts'
import { sql, type RawBuilder } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { row, rows, type Db } from '../../platform/db.ts'

interface WhatIfQuery {
  readonly rate: string
  readonly periodsBack: number
  /** Try it as this client's own rate; undefined: as the global rate, which does not change clients with own rates. */
  readonly userId?: number | undefined
}

const clientsMax = 500

/** Throws Refusal not_found when there was no such period. Own-price numbers are not included. */
export async function whatIf(db: Db, { rate, periodsBack, userId }: WhatIfQuery): Promise<WhatIf> {
  const cycle = await row<{ id: number; starts_at: Date; ends_at: Date; closed_at: Date | null }>(
    db,
    sql`select id, starts_at, ends_at, closed_at from cycles order by starts_at desc offset ${periodsBack} limit 1`,
  )
  if (cycle === undefined) throw new Refusal('not_found', 'There was no period so long ago.')
  const rateMicro = parseMicro(rate) ?? 0n
  const isOpen = cycle.closed_at === null
  const counted = isOpen ? await openCounts(db, cycle.id, userId) : closedCounts(cycle.id, userId)
  const found = await rows<{ user_id: number; username: string; sms_count: string; amount_micro: string }>(
    db,
    sql`select s.user_id, u.username, sum(s.sms_count)::text as sms_count, sum(s.amount_micro)::text as amount_micro
        from ${counted} s join users u on u.id = s.user_id group by 1, 2 having sum(s.sms_count) > 0`,
  )
  const clients = found.map((client) => {
    const [count, beforeMicro] = [BigInt(client.sms_count), BigInt(client.amount_micro)]
    return { client, count, beforeMicro, afterMicro: count * rateMicro }
  })
  const total = (amountOf: (client: (typeof clients)[number]) => bigint) =>
    clients.reduce((sum, each) => sum + amountOf(each), 0n)
  const [beforeMicro, afterMicro] = [total((each) => each.beforeMicro), total((each) => each.afterMicro)]
  return {
    periodStart: cycle.starts_at.toISOString(),
    periodEnd: cycle.ends_at.toISOString(),
    isOpen,
    rate: formatMicro(rateMicro, 2),
    smsCount: Number(total(({ count }) => count)),
    ...figures(beforeMicro, afterMicro),
    clientCount: clients.length,
    clients: clients
      .toSorted((a, b) => compare(sizeOf(b), sizeOf(a)) || a.client.user_id - b.client.user_id)
      .slice(0, clientsMax)
      .map((each) => ({
        userId: each.client.user_id,
        userName: each.client.username,
        smsCount: Number(each.count),
        ...figures(each.beforeMicro, each.afterMicro),
      })),
  }
}

function figures(beforeMicro: bigint, afterMicro: bigint) {
  return {
    before: formatMicro(beforeMicro, 2),
    after: formatMicro(afterMicro, 2),
    difference: formatMicro(afterMicro - beforeMicro, 2),
  }
}

function sizeOf({ beforeMicro, afterMicro }: { beforeMicro: bigint; afterMicro: bigint }): bigint {
  const difference = afterMicro - beforeMicro
  return difference < 0n ? -difference : difference
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

/** Bill lines that were priced by the global rate, or all lines of one client. */
function closedCounts(cycleId: number, userId: number | undefined): RawBuilder<unknown> {
  return sql`(select l.user_id, l.sms_count, l.amount_micro from billing_lines l join rates t on t.id = l.rate_id
    where l.cycle_id = ${cycleId} and ${userId === undefined ? sql`t.scope = 'global'` : sql`l.user_id = ${userId}`})`
}

/** The same for a period that is still open. Held records are not counted, as they will not be at the close. */
async function openCounts(db: Db, cycleId: number, userId: number | undefined): Promise<RawBuilder<unknown>> {
  const all = (client: RawBuilder<unknown>) =>
    userId === undefined
      ? sql`not exists (select from own where own.user_id = ${client})`
      : sql`${client} = ${userId}`
  const globalOfOwnRateClients = sql`
    union all select r.client_id, count(*), sum(r.amount_micro)
    from own join records r on r.client_id = own.user_id join rates t on t.id = r.rate_id
    where r.cycle_id = ${cycleId} and r.settlement = 1 and not r.is_held and t.scope = 'global'
      and ${await createdBetween(db, cycleId)} group by 1`
  return sql`(
    with own as materialized (select distinct user_id from rates where scope = 'user')
    select client_id as user_id, record_count as sms_count, amount_micro from record_cycles c
      where cycle_id = ${cycleId} and settlement = 1 and client_id <> 0 and ${all(sql`c.client_id`)}
    union all select user_id, -record_count, -amount_micro from hold_sums s
      where cycle_id = ${cycleId} and settlement = 1 and ${all(sql`s.user_id`)}
    ${userId === undefined ? globalOfOwnRateClients : sql``}
  )`
}
