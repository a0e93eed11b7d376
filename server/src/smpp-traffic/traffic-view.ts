// What an account sent over SMPP by the hour: accepted, and refused with the status that it was answered.
import { sql } from 'kysely'
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import type { OwnTraffic } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { messageRefusalReasons, type MessageRefusalReason } from '@tollgate/contract/vocabulary.ts'
import { rows, type Db } from '../platform/db.ts'
import { maskNumber } from '../files/formats/mask-number.ts'
import { lastHours } from '../platform/hour-counts.ts'
import { failureStatuses } from '../gateway/index.ts'
import { ownGatewayIds } from './gateways.ts'

const hourMs = 3_600_000
const numbersMax = 100
/** The name under which further numbers are counted together. */
const otherNumbers = 'other'

interface RefusedReasonRow {
  readonly reason: string
  readonly status: string
  readonly count: number
  readonly lastAt: Date
}

interface RefusedHoursRow extends RefusedReasonRow {
  /** By the hour, in seconds since 1970. */
  readonly hours: Record<string, number>
}

interface RefusedNumberRow extends RefusedReasonRow {
  readonly number: string
}

/** The traffic of the last `hours` hours up to `now`; `masks` hides the numbers but for their last digits. */
export async function readOwnTraffic(
  db: Db,
  userId: number,
  { hours, now, masks }: { readonly hours: number; readonly now: Date; readonly masks: boolean },
): Promise<OwnTraffic> {
  const fromMs = (Math.floor(now.getTime() / hourMs) - hours + 1) * hourMs
  const span = Array.from({ length: hours }, (_, hour) => new Date(fromMs + hour * hourMs))
  const gatewayIds = await ownGatewayIds(db, userId)
  const [accepted, refused, numbers] = await Promise.all([
    acceptedByHour(db, gatewayIds, span),
    refusedByHour(db, gatewayIds, new Date(fromMs)),
    mostRefused(db, gatewayIds, new Date(fromMs)),
  ])
  return {
    from: new Date(fromMs).toISOString(),
    accepted: lastHours(accepted, now, hours),
    refused: refused.map((row) => ({ ...toReply(row), hours: lastHours(row.hours, now, hours) })),
    refusedNumbers: numbers.map((row) => ({
      number: masks && row.number !== otherNumbers ? maskAddress(row.number) : row.number,
      ...toReply(row),
    })),
  }
}

async function acceptedByHour(
  db: Db,
  gatewayIds: readonly number[],
  span: readonly Date[],
): Promise<Record<string, number>> {
  // Each hour and gateway by the whole key.
  const found = await rows<{ hour: Date; count: number }>(
    db,
    sql`select hour, sum(record_count)::float8 as count from traffic_hours
        where hour = any(${[...span]}::timestamptz[]) and kind = 'gateway' and item_id = any(${[...gatewayIds]}::int[])
        group by hour`,
  )
  return Object.fromEntries(found.map(({ hour, count }) => [String(hour.getTime() / 1_000), count]))
}

/** A number that is suspended is told as one that is not ours: the answer does not tell them apart, either. */
const reasonSql = sql`case reason when 'suspended' then 'unknown' else reason end`
const { unknown, unavailable, rejected } = failureStatuses
/** The status that was answered; where none is noted, the reason tells it. */
const statusSql = sql`case when command_status <> 0 then command_status
  when reason = 'unavailable' then ${unavailable}::bigint when reason = 'rejected' then ${rejected}::bigint
  else ${unknown}::bigint end`

function refusedByHour(db: Db, gatewayIds: readonly number[], from: Date): Promise<RefusedHoursRow[]> {
  return rows(
    db,
    sql`with hourly as (
          select ${reasonSql} as reason, ${statusSql} as status, hour, sum(refused_count)::float8 as count,
            max(last_at) as last_at
          from refusal_hours where gateway_id = any(${[...gatewayIds]}::int[]) and hour >= ${from}
          group by 1, 2, 3
        )
        select reason, status, sum(count)::float8 as count, max(last_at) as "lastAt",
          jsonb_object_agg(extract(epoch from hour)::bigint, count) as hours
        from hourly group by 1, 2 order by 3 desc, 1, 2`,
  )
}

function mostRefused(db: Db, gatewayIds: readonly number[], from: Date): Promise<RefusedNumberRow[]> {
  return rows(
    db,
    sql`select number, ${reasonSql} as reason, ${statusSql} as status, sum(refused_count)::float8 as count,
          max(last_at) as "lastAt"
        from refusal_hours
        where gateway_id = any(${[...gatewayIds]}::int[]) and hour >= ${from} and number <> ''
        group by 1, 2, 3 order by 4 desc, 1, 2, 3 limit ${numbersMax}`,
  )
}

function toReply({ reason, status, count, lastAt }: RefusedReasonRow) {
  return {
    reason: reasonOf(reason),
    status: Number(status),
    statusText: statusText(Number(status)),
    count,
    lastAt: lastAt.toISOString(),
  }
}

/** The word of a later version is told as a fault of the PDU; its status says the rest. */
function reasonOf(word: string): MessageRefusalReason {
  return messageRefusalReasons.find((known) => known === word) ?? 'malformed'
}

/** As {@link maskNumber}, also for what is no number but has the digits of one. */
function maskAddress(address: string): string {
  const digits = address.replace(/\D/g, '')
  return digits.length > 4 ? maskNumber(digits) : address
}
