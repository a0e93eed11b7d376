// The dashboard's figures, from the counters: rollup plus tallies, so each is exact at the moment it is read.
import { sql } from 'kysely'
import type { z } from 'zod'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { activitySchema, statsSchema, weekSchema } from '@tollgate/contract/records.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { activityCodes } from './codes.ts'
import type { Fragment } from './condition.ts'
import type { ReadSurroundings } from './list-records.ts'
import { ownerScope, type Viewer } from './viewer.ts'

type Stats = z.infer<typeof statsSchema>
type Activity = z.infer<typeof activitySchema>
type Week = z.infer<typeof weekSchema>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
// Counting the records of a part of an hour one by one; above this the hour's count is taken in proportion.
const countedMost = 50_000
// The follower of the search tables is at most seconds behind; only after a flood is there more to catch up.
const tailBatchesMost = 200
// A drill's cycle may last seconds, a wrong setting years; the strip shows at most so many days.
const daysMost = 62

function ofViewer(viewer: Viewer): Fragment {
  const owner = ownerScope(viewer)
  return owner === undefined ? sql`true` : sql`client_id = ${owner}`
}

/** Counters of all of the viewer's records. */
export async function readStats({ db, clock }: ReadSurroundings, viewer: Viewer): Promise<Stats> {
  const now = clock.now()
  const today = startOfDay(now)
  const [statuses, hours, numberCount, gatewayCount] = await Promise.all([
    countStatuses(db, viewer),
    countHours(db, viewer, today, new Date(today.getTime() + dayMs)),
    countNumbers(db, viewer),
    countGateways(db, viewer, now),
  ])
  const total = activityOf(statuses)
  return {
    totalRecords: total.processed,
    completed: total.delivered,
    pending: total.pending,
    issues: total.failed,
    uniqueNumbers: numberCount,
    activeProviders: gatewayCount,
    today: activityOf(hours),
  }
}

/** A day by the hour, with the day before and, up to the same time of day, the same weekday a week ago. */
export async function readActivity(
  { db, clock }: ReadSurroundings,
  viewer: Viewer,
  query: { day?: string | undefined },
): Promise<Activity> {
  const now = clock.now()
  const day = query.day === undefined ? startOfDay(now) : new Date(`${query.day}T00:00:00Z`)
  const end = new Date(day.getTime() + dayMs)
  // A past day counts whole; of a day to come there is nothing to compare.
  const until = new Date(Math.max(day.getTime(), Math.min(now.getTime(), end.getTime())))
  const [hours, before, lastWeek] = await Promise.all([
    countHours(db, viewer, day, end),
    countHours(db, viewer, new Date(day.getTime() - dayMs), day),
    countUntil(db, viewer, new Date(day.getTime() - weekMs), new Date(until.getTime() - weekMs)),
  ])
  const perHour = Array.from({ length: 24 }, (_, hour) => day.getTime() + hour * hourMs)
  return {
    hours: perHour.map((at, hour) => {
      const { delivered, pending, failed } = activityOf(hours.filter((count) => count.at === at))
      return { hour, delivered, pending, failed }
    }),
    previous: perHour.map((at) => sumOf(before.filter((count) => count.at === at - dayMs))),
    today: activityOf(hours),
    lastWeek,
  }
}

/** The open cycle: what it has counted and earned so far, and its days by the hour. */
export async function readWeek({ db, clock }: ReadSurroundings, viewer: Viewer): Promise<Week> {
  const cycle = await row<{ id: number; starts_at: Date; ends_at: Date }>(
    db,
    sql`select id, starts_at, ends_at from cycles where closed_at is null`,
  )
  const start = cycle?.starts_at ?? startOfWeek(clock.now())
  const end = cycle?.ends_at ?? new Date(start.getTime() + weekMs)
  const [sum, hours] = await Promise.all([
    cycle === undefined ? undefined : sumCycle(db, viewer, cycle.id),
    countHours(db, viewer, new Date(Math.floor(start.getTime() / hourMs) * hourMs), end),
  ])
  const byHour = new Map<number, number>()
  for (const { at, count } of hours) byHour.set(at, (byHour.get(at) ?? 0) + count)
  return {
    periodStart: start.toISOString(),
    periodEnd: end.toISOString(),
    count: Number(sum?.count ?? 0),
    amountUsd: formatMicro(BigInt(sum?.amount ?? 0)),
    days: daysOf(start, end).map((day) => {
      const counts = Array.from({ length: 24 }, (_, hour) => byHour.get(day.getTime() + hour * hourMs) ?? 0)
      return { day: day.toISOString().slice(0, 10), count: counts.reduce((a, b) => a + b, 0), hours: counts }
    }),
  }
}

function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / dayMs) * dayMs)
}

/** Monday 00:00 UTC; 1970-01-01 was a Thursday. Spec §9: cycles are weeks. */
function startOfWeek(time: Date): Date {
  return new Date(Math.floor((time.getTime() - 4 * dayMs) / weekMs) * weekMs + 4 * dayMs)
}

function daysOf(start: Date, end: Date): Date[] {
  const first = startOfDay(start).getTime()
  const count = Math.min(daysMost, Math.max(1, Math.ceil((end.getTime() - first) / dayMs)))
  return Array.from({ length: count }, (_, day) => new Date(first + day * dayMs))
}

interface HourCount {
  readonly at: number
  readonly status: number
  readonly count: number
}

async function countHours(db: Db, viewer: Viewer, from: Date, to: Date): Promise<HourCount[]> {
  const where = sql`hour >= ${from} and hour < ${to} and ${ofViewer(viewer)}`
  const found = await rows<{ hour: Date; status: number; count: string }>(
    db,
    sql`select hour, status, sum(record_count)::text as count from (
          select hour, status, record_count from record_hours where ${where}
          union all select hour, status, record_count from record_tallies where ${where}
        ) c group by hour, status`,
  )
  return found.map(({ hour, status, count }) => ({ at: hour.getTime(), status, count: Number(count) }))
}

function sumOf(counts: readonly Pick<HourCount, 'count'>[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/** The dashboard's words for these counts. Spec §4. */
function activityOf(counts: readonly Pick<HourCount, 'status' | 'count'>[]): Stats['today'] {
  const of = (word: 'delivered' | 'pending' | 'failed'): number => {
    const codes = activityCodes(word)
    return sumOf(counts.filter(({ status }) => codes.includes(status)))
  }
  return {
    processed: sumOf(counts),
    delivered: of('delivered'),
    pending: of('pending'),
    failed: of('failed'),
  }
}

/** Records from `from` up to `to`, which may lie within an hour. */
async function countUntil(db: Db, viewer: Viewer, from: Date, to: Date): Promise<number> {
  const lastHour = new Date(Math.floor(to.getTime() / hourMs) * hourMs)
  const hours = await countHours(db, viewer, from, new Date(lastHour.getTime() + hourMs))
  const whole = sumOf(hours.filter(({ at }) => at < lastHour.getTime()))
  const partial = sumOf(hours.filter(({ at }) => at === lastHour.getTime()))
  const passedMs = to.getTime() - lastHour.getTime()
  if (partial === 0 || passedMs === 0) return whole
  if (partial > countedMost) return whole + Math.round((partial * passedMs) / hourMs)
  const counted = await row<{ count: string }>(
    db,
    sql`select count(*) from records where created_at >= ${lastHour} and created_at < ${to} and ${ofViewer(viewer)}`,
  )
  return whole + Number(counted?.count ?? 0)
}

/** How many records are in each state. */
async function countStatuses(db: Db, viewer: Viewer): Promise<Pick<HourCount, 'status' | 'count'>[]> {
  const found = await rows<{ status: number; count: string }>(
    db,
    sql`select status, sum(record_count)::text as count from (
          select status, record_count from record_totals where ${ofViewer(viewer)}
          union all select status, record_count from record_tallies where ${ofViewer(viewer)}
        ) c group by status`,
  )
  return found.map(({ status, count }) => ({ status, count: Number(count) }))
}

/** Numbers that have had a record; the few that the search tables have not reached yet are taken from the records. */
async function countNumbers(db: Db, viewer: Viewer): Promise<number> {
  const owner = ownerScope(viewer)
  const found = await row<{ count: string }>(
    db,
    sql`select count(*) from (
          select number_id from record_numbers where ${ofViewer(viewer)}
          union
          select r.number_id from record_search_position p
          cross join lateral (
            select id, created_from, created_to from record_batches t where (t.xid, t.id) > (p.xid, p.batch)
            order by t.xid, t.id limit ${tailBatchesMost}
          ) b
          cross join lateral (
            select number_id from records r
            where r.created_at between b.created_from and b.created_to
              and r.id >= b.id * 4096 and r.id < (b.id + 1) * 4096
              and ${owner === undefined ? sql`true` : sql`r.client_id = ${owner}`}
            offset 0
          ) r
        ) n`,
  )
  return Number(found?.count ?? 0)
}

/** Gateways that brought the viewer records today or yesterday. */
async function countGateways(db: Db, viewer: Viewer, now: Date): Promise<number> {
  const since = new Date(startOfDay(now).getTime() - dayMs)
  const found = await row<{ count: string }>(
    db,
    sql`select count(*) from (
          select gateway_id from (
            select gateway_id, record_count from record_gateway_days
            where day >= ${since.toISOString().slice(0, 10)}::date and ${ofViewer(viewer)}
            union all
            select gateway_id, record_count from record_tallies where hour >= ${since} and ${ofViewer(viewer)}
          ) c group by gateway_id having sum(record_count) > 0
        ) g`,
  )
  return Number(found?.count ?? 0)
}

interface CycleSum {
  readonly count: string | null
  readonly amount: string | null
}

async function sumCycle(db: Db, viewer: Viewer, cycleId: number): Promise<CycleSum | undefined> {
  const where = sql`cycle_id = ${cycleId} and ${ofViewer(viewer)}`
  return row<CycleSum>(
    db,
    sql`select sum(record_count)::text as count, sum(amount_micro)::text as amount from (
          select record_count, amount_micro from record_cycles where ${where}
          union all select record_count, amount_micro from record_tallies where ${where}
        ) c`,
  )
}
