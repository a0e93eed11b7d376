// What each client earned in a cycle that is open or waits for its bills, as one table expression.
import { sql, type RawBuilder } from 'kysely'

/**
 * Columns user_id, sms_count, total_micro (the amount of the weekly bill) and residual_micro: the part of the total that
 * was released from holds on own-price numbers, and is not a message of this cycle. Held records are not counted. In a
 * closed cycle those are the records that were held at its close, even if they have been released since. With `clientId`
 * only this client's sums are right: the held records of others are not read. `asTold`: as clients see them, to whom what
 * was held since yesterday counts as if it were not.
 */
export function cycleSums(
  cycleId: RawBuilder<unknown>,
  clientId: RawBuilder<unknown> = sql`null`,
  { asTold = false }: { readonly asTold?: boolean } = {},
): RawBuilder<unknown> {
  // A sum of one account beyond the range of bigint must not end the query for all accounts. Such an account is not
  // closed.
  const sum = (column: string) =>
    sql`least(greatest(sum(${sql.ref(column)}), -9223372036854775807), 9223372036854775807)::bigint`
  const own = sql`case settlement when 2 then amount_micro else 0 end`
  return sql`(
    select user_id, ${sum('sms_count')} as sms_count, ${sum('total')} as total_micro, ${sum('residual')} as residual_micro
    from (
      select client_id as user_id, case settlement when 1 then record_count else 0 end as sms_count,
        case settlement when 1 then amount_micro else 0 end as total, 0 as residual
      from record_cycles where cycle_id = ${cycleId} and client_id <> 0
      union all select user_id, case settlement when 1 then -record_count else 0 end, ${own}, ${own}
      from hold_sums where cycle_id = ${cycleId} and (${clientId}::int is null or user_id = ${clientId}::int)
      ${asTold ? untold(cycleId, clientId) : sql``}
      union all select user_id, 0, amount_micro, ${own} from ledger_entries
        where cycle_id = ${cycleId} and kind <> 'traffic' and kind <> 'reserve' and account = 'payable'
          and user_id is not null
      union all select user_id, 0, -amount_micro, 0 from reserves where cycle_id = ${cycleId}
    ) parts (user_id, sms_count, total, residual)
    group by user_id
  )`
}

const untold = (cycleId: RawBuilder<unknown>, clientId: RawBuilder<unknown>) => sql`
  union all select user_id, record_count, amount_micro, 0 from untold_sums
  where cycle_id = ${cycleId} and settlement = 1 and (${clientId}::int is null or user_id = ${clientId}::int)`
