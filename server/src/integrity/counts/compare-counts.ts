// Compares a carrier's counts with the counters: by day and number, by day and status, or by day. No record is read.
import { sql } from 'kysely'
import { countsShownMax, type CountComparison } from '@tollgate/contract/integrity/carrier-counts.ts'
import { messageFieldsOf } from '@tollgate/contract/sentences.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { CountFile } from './read-counts.ts'

interface CountRow {
  readonly day: string
  readonly number: string
  readonly status: number | null
  readonly theirs: string
  readonly ours: string
}

/** Throws Refusal invalid for a supplier that nobody knows. */
export async function compareCounts(
  db: Db,
  file: CountFile,
  gateway: string | undefined,
): Promise<CountComparison> {
  const gatewayIds = gateway === undefined ? null : await idsOf(db, gateway)
  const { counts, faults, lineCount } = file
  const found = await rows<CountRow>(
    db,
    sql`with theirs as materialized (
          select day, number, status, count from unnest(${counts.map(({ day }) => day)}::date[],
            ${counts.map(({ number }) => number)}::text[],
            ${counts.map(({ status }) => (status === null ? null : recordStatuses.indexOf(status)))}::int[],
            ${counts.map(({ count }) => count)}::bigint[]) each (day, number, status, count)
        ),
        days as materialized (select distinct day from theirs where number <> ''),
        known as materialized (
          select n.id, n.number from numbers n join (select distinct number from theirs where number <> '') t using (number)
        ),
        by_number as (
          select d.day, k.number, sum(d.record_count) as count
          from record_number_days d join days using (day) join known k on k.id = d.number_id
          where (${gatewayIds}::int[] is null or d.gateway_id = any(${gatewayIds}::int[])) group by d.day, k.number
        ),
        by_day as (
          select t.day, t.status, coalesce(sum(d.record_count), 0) as count
          from (select distinct day, status from theirs where number = '') t
          left join record_day_counters d on d.day = t.day and d.client_id = -1 and d.range_id = -1
            and (${gatewayIds}::int[] is null and d.gateway_id = -1 or d.gateway_id = any(${gatewayIds}::int[]))
            and (t.status is null or d.status = t.status)
          group by t.day, t.status
        )
        select coalesce(t.day, o.day)::text as day, coalesce(t.number, o.number) as number, null::int as status,
          coalesce(t.count, 0)::bigint as theirs, coalesce(o.count, 0)::bigint as ours
        from (select * from theirs where number <> '') t full join by_number o on o.day = t.day and o.number = t.number
        union all
        select t.day::text, '', t.status, t.count, o.count::bigint from theirs t
        join by_day o on o.day = t.day and o.status is not distinct from t.status where t.number = ''`,
  )
  const differing = found.filter(({ theirs, ours }) => theirs !== ours)
  const gap = ({ theirs, ours }: CountRow) => Math.abs(Number(theirs) - Number(ours))
  const sum = (of: (each: CountRow) => string) => found.reduce((total, each) => total + Number(of(each)), 0)
  return {
    lineCount,
    faults: faults
      .slice(0, countsShownMax)
      .map(({ line, number, fault }) => ({ line, number, ...messageFieldsOf(fault) })),
    faultCount: faults.length,
    sameCount: found.length - differing.length,
    theirCount: sum(({ theirs }) => theirs),
    ourCount: sum(({ ours }) => ours),
    differenceCount: differing.length,
    differences: differing
      .toSorted((one, other) => gap(other) - gap(one) || one.day.localeCompare(other.day))
      .slice(0, countsShownMax)
      .map(({ day, number, status, theirs, ours }) => ({
        day,
        number,
        status: status === null ? null : (recordStatuses[status] ?? null),
        theirCount: Number(theirs),
        ourCount: Number(ours),
      })),
  }
}

/** A supplier's sources: an account, a connection and a provider may have one name. */
async function idsOf(db: Db, gateway: string): Promise<number[]> {
  const found = await row<{ ids: number[] | null }>(
    db,
    sql`select array_agg(id) as ids from gateways where name = ${gateway}`,
  )
  const ids = found?.ids ?? []
  if (ids.length > 0) return ids
  throw new Refusal('invalid', 'There is no supplier of this name.', {
    fields: { gateway: 'Enter the name as SMS Records shows it' },
  })
}
