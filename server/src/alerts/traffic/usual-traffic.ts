// Suppliers, ranges and clients with nothing, or far more than usual, by the same hour of the days before. Suppliers and
// ranges by the time of storing: they fail now. Clients by the time of the messages, so that a late file is no burst.
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
const daysBack = 7

interface ItemRow {
  readonly kind: 'gateway' | 'range' | 'client'
  readonly itemId: number
  readonly name: string
  readonly userId: number | null
  readonly firstHour: Date
  readonly last: Date
  /** By the hour, in seconds since 1970. */
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
  const of = (kind: 'silence' | 'burst') => all.filter((alert) => alert.kind === kind)
  return {
    alerts: [...of('silence').slice(0, listedMax), ...of('burst').slice(0, listedMax)],
    unlisted: [
      ...unlistedOf('silence', 'warning', { total: of('silence').length, listed: listedMax }),
      ...unlistedOf('burst', 'warning', { total: of('burst').length, listed: listedMax }),
    ],
  }
}

function alertsOf(item: ItemRow, now: Date): FoundAlert[] {
  const currentMs = Math.floor(now.getTime() / hourMs) * hourMs
  const current = { startMs: currentMs, ...figures(item, currentMs) }
  const ended = { startMs: currentMs - hourMs, ...figures(item, currentMs - hourMs) }
  if (judgeHour(ended) === 'silent') {
    // Traffic that has come back in the hour that is not over yet is no silence any more.
    const share = Math.max(0, now.getTime() - currentMs) / hourMs
    const isBack = current.count > 0.1 * medianOf(current.usual) * share && current.count > 0
    return isBack ? [] : [toAlert(item, ended, 'silent', now)]
  }
  const loud = [current, ended].find((hour) => judgeHour(hour) === 'loud')
  return loud === undefined ? [] : [toAlert(item, loud, 'loud', now)]
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

const aboutNames = { gateway: 'supplier', range: 'range', client: 'client' } as const

const silenceAdvice = {
  gateway: sentence('Check whether the supplier is bound and what it was last answered.'),
  range: sentence('Check whether the suppliers of the range are bound and what they were last answered.'),
  client: sentence(
    'Check whether its suppliers are bound, and ask the client whether its service has ended.',
  ),
} as const

function nameOf({ kind, name }: ItemRow): FoundAlertName {
  if (kind === 'gateway') return name
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
  return {
    ...alertTexts({
      name: nameOf(item),
      what: [
        sentence(
          '{count} SMS came between {from} and {to}; usually {usual} do (the middle of {days} days, {least} to {most}).',
          {
            count,
            from: { time: new Date(startMs).toISOString() },
            to: { time: new Date(startMs + hourMs).toISOString() },
            usual: Math.round(medianOf(usual)),
            days: usual.length,
            least: Math.min(...usual),
            most: Math.max(...usual),
          },
        ),
      ],
      advice: isSilence
        ? silenceAdvice[kind]
        : sentence('Look at the messages: a campaign, a loop, or somebody who inflates traffic.'),
    }),
    key: `${isSilence ? 'silence' : 'burst'}:${kind}:${itemId}`,
    kind: isSilence ? 'silence' : 'burst',
    // A silent supplier or range may be losing messages; a silent client mostly has fewer callers.
    severity: isSilence && kind !== 'client' ? 'critical' : 'warning',
    since: new Date(startMs).toISOString(),
    last: new Date(isSilence ? Math.max(startMs, last.getTime()) : startMs).toISOString(),
    count,
    hours: lastHours(hours, now, alertHours),
    about: {
      [aboutNames[kind]]: item.name,
      ...(userId === null ? {} : { userId: String(userId) }),
    },
  }
}
