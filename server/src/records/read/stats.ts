// The dashboard's figures, from the counters and their buffers, so each is exact at the moment it is read.
import { sql } from 'kysely'
import type { z } from 'zod'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { activitySchema, statsSchema, weekSchema } from '@tollgate/contract/records/records.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { activityCodes } from '../../ingest/index.ts'
import { conjunctionOf, rowPredicates, type Condition } from '../query/condition.ts'
import { countedByDay, countedByHour, countedEver } from '../query/counters.ts'
import { testRecords } from '../query/test-records.ts'
import type { ReadDeps } from './list-records.ts'
import { splitCycle } from './split-cycle.ts'
import { ofViewer, ownerScope, type Viewer } from './viewer.ts'

type Stats = z.infer<typeof statsSchema>
type RecordActivity = z.infer<typeof activitySchema>
type Week = z.infer<typeof weekSchema>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
// Up to so many records of an hour are counted one by one; of more, the hour's count is taken in proportion.
const countedMax = 50_000
// The search index is at most seconds behind, except after an overload.
const tailBatchesMax = 200
// A drill's cycle may last seconds, that of a wrong setting years; the week strip shows at most so many days.
const daysMax = 62

/** Counters of all of the viewer's records. */
export async function readStats({ db, clock }: ReadDeps, viewer: Viewer): Promise<Stats> {
  const [{ ever, today, gatewayCount }, numberCount, tests] = await Promise.all([
    countNow(db, viewer, startOfDay(clock.now())),
    countNumbers(db, viewer),
    countTests(db, viewer),
  ])
  const total = activityOf(ever)
  return {
    totalRecords: total.processed,
    completed: total.delivered,
    pending: total.pending,
    issues: total.failed,
    uniqueNumbers: numberCount,
    activeProviders: gatewayCount,
    tests,
    today: activityOf(today),
  }
}

/** A day by the hour, with the day before and, up to the same time of day, the same weekday a week ago. */
export async function readActivity(
  { db, clock }: ReadDeps,
  viewer: Viewer,
  query: { day?: string | undefined },
): Promise<RecordActivity> {
  const now = clock.now()
  const day = query.day === undefined ? startOfDay(now) : new Date(`${query.day}T00:00:00Z`)
  const end = new Date(day.getTime() + dayMs)
  // A past day counts in full; for a future day there is nothing to compare.
  const until = new Date(Math.max(day.getTime(), Math.min(now.getTime(), end.getTime())))
  const before = new Date(day.getTime() - dayMs)
  const weekAgo = new Date(day.getTime() - weekMs)
  const hours = await countHours(db, viewer, [
    { from: before, to: end },
    { from: weekAgo, to: new Date(weekAgo.getTime() + dayMs) },
  ])
  const ofDay = hours.filter(({ at }) => at >= day.getTime())
  const perHour = Array.from({ length: 24 }, (_, hour) => day.getTime() + hour * hourMs)
  return {
    hours: perHour.map((at, hour) => {
      const { delivered, pending, failed } = activityOf(ofDay.filter((count) => count.at === at))
      return { hour, delivered, pending, failed }
    }),
    previous: perHour.map((at) => sumOf(hours.filter((count) => count.at === at - dayMs))),
    today: activityOf(ofDay),
    lastWeek: await countUntil(
      db,
      viewer,
      hours.filter(({ at }) => at < before.getTime()),
      new Date(until.getTime() - weekMs),
    ),
  }
}

/** The open cycle: what it has counted and earned so far, and its days by the hour. */
export async function readWeek({ db, clock }: ReadDeps, viewer: Viewer): Promise<Week> {
  const cycle = await row<{ id: number; starts_at: Date; ends_at: Date }>(
    db,
    sql`select id, starts_at, ends_at from cycles where closed_at is null`,
  )
  const start = cycle?.starts_at ?? startOfWeek(clock.now())
  const end = cycle?.ends_at ?? new Date(start.getTime() + weekMs)
  const [split, pace, hours] = await Promise.all([
    splitCycle(db, viewer, cycle),
    readPace(db, viewer, start, end, clock.now()),
    countHours(db, viewer, [{ from: new Date(Math.floor(start.getTime() / hourMs) * hourMs), to: end }]),
  ])
  const byHour = new Map<number, number>()
  for (const { at, count } of hours) byHour.set(at, (byHour.get(at) ?? 0) + count)
  return {
    cycleId: cycle?.id ?? null,
    periodStart: start.toISOString(),
    periodEnd: end.toISOString(),
    ...split,
    pace,
    days: daysOf(start, end).map((day) => {
      const counts = Array.from({ length: 24 }, (_, hour) => byHour.get(day.getTime() + hour * hourMs) ?? 0)
      return { day: day.toISOString().slice(0, 10), count: counts.reduce((a, b) => a + b, 0), hours: counts }
    }),
  }
}

/** This cycle beside the one before, both up to the same hour: other weekdays would say nothing. */
async function readPace(db: Db, viewer: Viewer, start: Date, end: Date, now: Date): Promise<Week['pace']> {
  const until = new Date(Math.floor(Math.min(now.getTime(), end.getTime()) / hourMs) * hourMs)
  const isWeek = end.getTime() - start.getTime() === weekMs && start.getTime() % hourMs === 0
  if (!isWeek || until <= start) return null
  const weekBefore = (time: Date) => new Date(time.getTime() - weekMs)
  const isNow = sql`hour >= ${start}`
  const found = await rows<{ is_now: boolean; count: string; amount: string }>(
    db,
    sql`select ${isNow} as is_now, sum(record_count)::text as count, sum(amount_micro)::text as amount
        from ${countedByHour(ownCondition(viewer))} c
        where hour >= ${start} and hour < ${until} or hour >= ${weekBefore(start)} and hour < ${weekBefore(until)}
        group by 1`,
  )
  const part = (isOfNow: boolean) => {
    const sum = found.find(({ is_now }) => is_now === isOfNow)
    return { count: Number(sum?.count ?? 0), amountUsd: formatMicro(BigInt(sum?.amount ?? 0)) }
  }
  return { until: until.toISOString(), now: part(true), before: part(false) }
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
  const count = Math.min(daysMax, Math.max(1, Math.ceil((end.getTime() - first) / dayMs)))
  return Array.from({ length: count }, (_, day) => new Date(first + day * dayMs))
}

interface HourCount {
  readonly at: number
  readonly status: number
  readonly count: number
}

/** Staff see the counters of all clients together, which are far fewer rows. */
function ownCondition(viewer: Viewer): Condition {
  const owner = ownerScope(viewer)
  return owner === undefined ? {} : { clientIds: [owner] }
}

async function countHours(
  db: Db,
  viewer: Viewer,
  spans: readonly { from: Date; to: Date }[],
): Promise<HourCount[]> {
  const isIn = sql.join(
    spans.map(({ from, to }) => sql`hour >= ${from} and hour < ${to}`),
    sql` or `,
  )
  const found = await rows<{ hour: Date; status: number; count: string }>(
    db,
    sql`select hour, status, sum(record_count)::text as count from ${countedByHour(ownCondition(viewer))} c
        where ${isIn} group by hour, status`,
  )
  return found.map(({ hour, status, count }) => ({ at: hour.getTime(), status, count: Number(count) }))
}

function sumOf(counts: readonly Pick<HourCount, 'count'>[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/** These counts by the words of the dashboard. Spec §4. */
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

/** The records of these hours up to `to`, which may lie within one of them. */
async function countUntil(db: Db, viewer: Viewer, hours: readonly HourCount[], to: Date): Promise<number> {
  const lastHour = new Date(Math.floor(to.getTime() / hourMs) * hourMs)
  const whole = sumOf(hours.filter(({ at }) => at < lastHour.getTime()))
  const partial = sumOf(hours.filter(({ at }) => at === lastHour.getTime()))
  const passedMs = to.getTime() - lastHour.getTime()
  if (partial === 0 || passedMs === 0) return whole
  if (partial > countedMax) return whole + Math.round((partial * passedMs) / hourMs)
  const counted = await row<{ count: string }>(
    db,
    sql`select count(*) from records r where ${conjunctionOf(rowPredicates({ isTest: false }))}
          and created_at >= ${lastHour} and created_at < ${to} and ${ofViewer(viewer)}`,
  )
  return whole + Number(counted?.count ?? 0)
}

type StatusCount = Pick<HourCount, 'status' | 'count'>

/**
 * How many records have each status, in all and today, and how many gateways brought records today or yesterday. It is one
 * statement, since unpacking the buffers is most of the work.
 */
async function countNow(
  db: Db,
  viewer: Viewer,
  today: Date,
): Promise<{ ever: StatusCount[]; today: StatusCount[]; gatewayCount: number }> {
  const own = ownCondition(viewer)
  const buffered = sql`buffered`
  // A record has the time of its source's clock, so it may already belong to tomorrow.
  const [yesterday, tomorrow, dayAfter] = [-dayMs, dayMs, 2 * dayMs].map(
    (ms) => new Date(today.getTime() + ms),
  )
  const found = await rows<{ kind: 'ever' | 'today' | 'gateways'; status: number; count: string }>(
    db,
    sql`with buffered as materialized (select * from buffered_counters where ${ofViewer(viewer)})
        select 'ever' as kind, status, sum(record_count)::text as count from ${countedEver(own, { buffered })} c group by status
        union all
        select 'today', status, sum(record_count)::text
        from ${countedByDay({ ...own, from: today, to: tomorrow }, { buffered })} c group by status
        union all
        select 'gateways', 0, count(distinct gateway_id)::text
        from ${countedByDay({ ...own, from: yesterday, to: dayAfter }, { by: ['gateway'], buffered })} c
        where record_count > 0`,
  )
  const of = (kind: 'ever' | 'today' | 'gateways') =>
    found
      .filter((count) => count.kind === kind)
      .map(({ status, count }) => ({ status, count: Number(count) }))
  return { ever: of('ever'), today: of('today'), gatewayCount: sumOf(of('gateways')) }
}

async function countTests(db: Db, viewer: Viewer): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from ${testRecords({})} r where ${ofViewer(viewer)}`,
  )
  return found?.count ?? 0
}

/** How many numbers have had a message; for those that are not indexed yet, the records are read. */
async function countNumbers(db: Db, viewer: Viewer): Promise<number> {
  const owner = ownerScope(viewer)
  // Numbers that were only tested stand there under a client below 0.
  const isOwn = (alias: string) =>
    owner === undefined
      ? sql`${sql.ref(`${alias}.client_id`)} >= 0`
      : sql`${sql.ref(`${alias}.client_id`)} = ${owner}`
  const found = await row<{ count: string }>(
    db,
    sql`select coalesce((select number_count from record_number_counts where client_id = ${owner ?? -1}), 0) + (
          select count(distinct number_id) from numbers_behind(${tailBatchesMax}) b
          where ${isOwn('b')} and not exists (
            select from record_numbers n where n.number_id = b.number_id and ${isOwn('n')}
          )
        ) as count`,
  )
  return Number(found?.count ?? 0)
}
