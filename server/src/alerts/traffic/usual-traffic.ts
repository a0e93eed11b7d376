// Suppliers and ranges that send nothing, or far more than usual, by the same hour of the days before.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { alertHours, alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { rows, type Db } from '../../platform/db.ts'
import { lastHours } from '../../platform/hour-counts.ts'
import { judgeHour, medianOf, type HourVerdict } from './judge-hour.ts'

const hourMs = 3_600_000
const daysBack = 7

interface ItemRow {
  readonly kind: 'gateway' | 'range'
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
      name: kind === 'range' ? sentence('Range {range}', { range: item.name }) : item.name,
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
      advice: !isSilence
        ? sentence('Look at the messages: a campaign, a loop, or somebody who inflates traffic.')
        : kind === 'range'
          ? sentence('Check whether the suppliers of the range are bound and what they were last answered.')
          : sentence('Check whether the supplier is bound and what it was last answered.'),
    }),
    key: `${isSilence ? 'silence' : 'burst'}:${kind}:${itemId}`,
    kind: isSilence ? 'silence' : 'burst',
    severity: isSilence ? 'critical' : 'warning',
    since: new Date(startMs).toISOString(),
    last: new Date(isSilence ? Math.max(startMs, last.getTime()) : startMs).toISOString(),
    count,
    hours: lastHours(hours, now, alertHours),
    about: {
      [kind === 'range' ? 'range' : 'supplier']: item.name,
      ...(userId === null ? {} : { userId: String(userId) }),
    },
  }
}
