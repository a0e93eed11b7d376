// Suppliers, ranges, clients and numbers with nothing, or far more than usual. Suppliers, ranges and clients by the same hour
// of the days before, numbers by whole days, since few have enough in an hour. Suppliers and ranges by the time of
// storing: they fail now. Clients and numbers by the time of the messages, so that a late file is no burst.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import {
  alertHours,
  alertTexts,
  unlistedOf,
  type FoundAlert,
  type FoundAlerts,
} from '@tollgate/contract/alerts/alerts.ts'
import { rows, type Db } from '../../platform/db.ts'
import { lastHours } from '../../platform/hour-counts.ts'
import { judgeHour, medianOf, type HourVerdict } from './judge-hour.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const daysBack = 7

// What is judged at once.
const spanMs = { gateway: hourMs, range: hourMs, client: hourMs, number: dayMs } as const

interface ItemRow {
  readonly kind: keyof typeof spanMs
  readonly itemId: number
  readonly name: string
  readonly userId: number | null
  readonly firstHour: Date
  readonly last: Date
  /** By the hour, of a number by the day, in seconds since 1970. */
  readonly hours: Record<string, number>
}

/** Silence is judged when an hour has ended, a burst as soon as it is one. */
export async function trafficAlerts(db: Db, now: Date): Promise<FoundAlert[]> {
  const found = await rows<ItemRow>(
    db,
    sql`
      select t.kind, t.item_id as "itemId", coalesce(min(g.name), min(r.range_number), '') as name,
        min(g.user_id) as "userId", min(t.hour) as "firstHour",
        max(t.hour) filter (where t.record_count > 0) as last,
        jsonb_object_agg(extract(epoch from t.hour)::bigint, t.record_count) as hours
      from traffic_hours t
        left join gateways g on t.kind = 'gateway' and g.id = t.item_id
        left join ranges r on t.kind = 'range' and r.id = t.item_id and r.status = 'active'
      where t.hour > ${now}::timestamptz - interval '8 days 2 hours' and coalesce(g.id, r.id) is not null
      group by 1, 2`,
  )
  return found.flatMap((item) => alertsOf(item, now))
}

// Of the clients with the most traffic at this time of day. The least that is judged is judge-hour's.
const clientsMax = 500
const listedMax = 20

/** The same for clients. At most 20 of a kind are listed, those with the most traffic; the others are counted. */
export async function clientTrafficAlerts(db: Db, now: Date): Promise<FoundAlerts> {
  const currentMs = Math.floor(now.getTime() / hourMs) * hourMs
  // The hours that are compared, and the day that the list draws.
  const compared = Array.from({ length: daysBack + 1 }, (_, day) => currentMs - day * 24 * hourMs).flatMap(
    (ms) => [new Date(ms), new Date(ms - hourMs)],
  )
  const counters = sql`record_hour_counters k where k.client_id > 0 and k.range_id = -1 and k.gateway_id = -1`
  const found = await rows<ItemRow>(
    db,
    sql`
      with ranked as (
        select client_id, sum(record_count) as rank_count from ${counters} and k.hour = any(${compared}::timestamptz[])
        group by client_id order by rank_count desc, client_id limit ${clientsMax}
      ), hourly as (
        select client_id, hour, sum(record_count)::bigint as record_count from ${counters}
          and k.client_id in (select client_id from ranked)
          and (k.hour = any(${compared}::timestamptz[]) or k.hour > ${new Date(currentMs - 24 * hourMs)}::timestamptz)
        group by client_id, hour
      )
      select 'client' as kind, h.client_id as "itemId", u.username as name, null as "userId",
        (select min(n.held_from) from number_holders n where n.user_id = h.client_id) as "firstHour",
        max(h.hour) filter (where h.record_count > 0) as last,
        jsonb_object_agg(extract(epoch from h.hour)::bigint, h.record_count) as hours
      from hourly h join users u on u.id = h.client_id join ranked r using (client_id)
      group by h.client_id, u.username, r.rank_count order by r.rank_count desc, h.client_id`,
  )
  const all = found.flatMap((item) => alertsOf({ ...item, firstHour: item.firstHour ?? new Date(0) }, now))
  return largest(all, listedMax)
}

/** The first ones of each kind; the others are counted. */
function largest(all: readonly FoundAlert[], listed: number): FoundAlerts {
  const each = (['silence', 'burst'] as const).map((kind) => all.filter((alert) => alert.kind === kind))
  return {
    alerts: each.flatMap((alerts) => alerts.slice(0, listed)),
    unlisted: each.flatMap((alerts) =>
      alerts
        .slice(0, 1)
        .flatMap(({ kind, severity }) => unlistedOf(kind, severity, { total: alerts.length, listed })),
    ),
  }
}

// Of the numbers that earned the most in the last two weeks. There may be thousands, and some are always odd, so few are
// listed.
const numbersMax = 2_000
const numbersListedMax = 10

/**
 * The same for numbers that one client has held for all the days that are compared: yesterday, when it is over, and what
 * came today. At most 10 of a kind are listed, those that earned the most; the others are counted.
 */
export async function numberTrafficAlerts(db: Db, now: Date): Promise<FoundAlerts> {
  const todayMs = Math.floor(now.getTime() / dayMs) * dayMs
  const days = Array.from({ length: daysBack + 2 }, (_, back) =>
    new Date(todayMs - back * dayMs).toISOString().slice(0, 10),
  )
  const found = await rows<ItemRow & { readonly client: string }>(
    db,
    sql`
      with ranked as (
        select number_id, sum(amount_micro) as amount, sum(record_count) as rank_count from record_number_weeks
        where week >= date_trunc('week', ${days.at(-1)}::date)::date and client_id > 0
        group by number_id order by amount desc, rank_count desc, number_id limit ${numbersMax}
      ), daily as (
        select d.number_id, d.client_id, d.day, sum(d.record_count)::bigint as record_count
        from ranked r
          join number_holders h on h.number_id = r.number_id and h.held_to is null
            and h.held_from < ${days.at(-1)}::date::timestamp at time zone 'UTC'
          join record_number_days d on d.client_id = h.user_id and d.number_id = r.number_id
            and d.day = any(${days}::date[])
        group by 1, 2, 3
      )
      select 'number' as kind, d.number_id as "itemId", n.number as name, u.username as client, null as "userId",
        to_timestamp(0) as "firstHour",
        max(d.day::timestamp at time zone 'UTC') filter (where d.record_count > 0) as last,
        jsonb_object_agg(extract(epoch from d.day)::bigint, d.record_count) as hours
      from daily d join numbers n on n.id = d.number_id and n.status = 'active' and n.deleted_at is null
        join users u on u.id = d.client_id join ranked r on r.number_id = d.number_id
      group by d.number_id, n.number, u.username, r.amount, r.rank_count
      order by r.amount desc, r.rank_count desc, d.number_id`,
  )
  const all = found.flatMap((item) =>
    alertsOf(item, now).map((alert) => ({ ...alert, about: { ...alert.about, client: item.client } })),
  )
  return largest(all, numbersListedMax)
}

function alertsOf(item: ItemRow, now: Date): FoundAlert[] {
  const span = spanMs[item.kind]
  const currentMs = Math.floor(now.getTime() / span) * span
  const current = { startMs: currentMs, ...figures(item, currentMs) }
  const ended = { startMs: currentMs - span, ...figures(item, currentMs - span) }
  if (verdictOn(item, ended) === 'silent') {
    // Traffic that has come back in the hour that is not over yet is no silence any more.
    const share = Math.max(0, now.getTime() - currentMs) / span
    const isBack = current.count > 0.1 * medianOf(current.usual) * share && current.count > 0
    return isBack ? [] : [toAlert(item, ended, 'silent', now)]
  }
  const loud = [current, ended].find((hour) => verdictOn(item, hour) === 'loud')
  return loud === undefined ? [] : [toAlert(item, loud, 'loud', now)]
}

/** A number that rests, or is loud, on this day of each week is as usual. */
function verdictOn({ kind }: ItemRow, judged: JudgedHour): HourVerdict {
  const verdict = judgeHour(judged)
  const lastWeek = judged.usual[daysBack - 1] ?? 0
  const wasSo = verdict === 'silent' ? lastWeek <= medianOf(judged.usual) / 10 : judged.count < lastWeek * 3
  return kind === 'number' && wasSo ? 'usual' : verdict
}

interface JudgedHour {
  readonly startMs: number
  readonly count: number
  /** The same hour of the days before, as far as this supplier or range sent anything by then. */
  readonly usual: readonly number[]
}

function figures({ hours, firstHour }: ItemRow, startMs: number): Omit<JudgedHour, 'startMs'> {
  const at = (ms: number) => hours[String(ms / 1_000)] ?? 0
  const usual = Array.from({ length: daysBack }, (_, day) => startMs - (day + 1) * 24 * hourMs)
    .filter((ms) => ms >= firstHour.getTime())
    .map(at)
  return { count: at(startMs), usual }
}

const aboutNames = { gateway: 'supplier', range: 'range', client: 'client', number: 'number' } as const

const silenceAdvice = {
  gateway: sentence('Check whether the supplier is bound and what it was last answered.'),
  range: sentence('Check whether the suppliers of the range are bound and what they were last answered.'),
  client: sentence(
    'Check whether its suppliers are bound, and ask the client whether its service has ended.',
  ),
  number: sentence('Send it a message, and ask its client whether the service has ended.'),
} as const

// A silent supplier or range may be losing messages; a silent client mostly has fewer callers, and a number may be out of use.
const silenceSeverity = {
  gateway: 'critical',
  range: 'critical',
  client: 'warning',
  number: 'notice',
} as const

function nameOf({ kind, name }: ItemRow): FoundAlertName {
  if (kind === 'gateway') return name
  if (kind === 'number') return sentence('Number {number}', { number: name })
  return kind === 'range'
    ? sentence('Range {range}', { range: name })
    : sentence('Client {client}', { client: name })
}

type FoundAlertName = Parameters<typeof alertTexts>[0]['name']

function toAlert(
  item: ItemRow,
  { startMs, count, usual }: JudgedHour,
  verdict: Exclude<HourVerdict, 'usual'>,
  now: Date,
): FoundAlert {
  const { kind, itemId, userId, hours, last } = item
  const isSilence = verdict === 'silent'
  const figuresToSay = {
    count,
    usual: Math.round(medianOf(usual)),
    days: usual.length,
    least: Math.min(...usual),
    most: Math.max(...usual),
  }
  return {
    ...alertTexts({
      name: nameOf(item),
      what: [
        kind === 'number'
          ? sentence(
              '{count} SMS came on {day}; usually {usual} do (the middle of {days} days, {least} to {most}).',
              { day: { day: new Date(startMs).toISOString().slice(0, 10) }, ...figuresToSay },
            )
          : sentence(
              '{count} SMS came between {from} and {to}; usually {usual} do (the middle of {days} days, {least} to {most}).',
              {
                from: { time: new Date(startMs).toISOString() },
                to: { time: new Date(startMs + hourMs).toISOString() },
                ...figuresToSay,
              },
            ),
      ],
      advice: isSilence
        ? silenceAdvice[kind]
        : sentence('Look at the messages: a campaign, a loop, or somebody who inflates traffic.'),
    }),
    key: `${isSilence ? 'silence' : 'burst'}:${kind}:${itemId}`,
    kind: isSilence ? 'silence' : 'burst',
    severity: isSilence ? silenceSeverity[kind] : 'warning',
    since: new Date(startMs).toISOString(),
    last: new Date(isSilence ? Math.max(startMs, last.getTime()) : startMs).toISOString(),
    count,
    hours: kind === 'number' ? [] : lastHours(hours, now, alertHours),
    about: {
      [aboutNames[kind]]: item.name,
      ...(userId === null ? {} : { userId: String(userId) }),
    },
  }
}
