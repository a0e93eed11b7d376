// Messages that were refused in the last 24 hours, as alerts.
import { sql } from 'kysely'
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import {
  alertHours,
  alertTexts,
  unlistedOf,
  type FoundAlert,
  type FoundAlerts,
  type AlertSeverity,
} from '@tollgate/contract/alerts/alerts.ts'
import { rows, type Db } from '../../platform/db.ts'
import { lastHours } from '../../platform/hour-counts.ts'

/** The most numbers that get an alert of their own. */
const numbersMax = 100
/** The most command_statuses that an alert about a supplier's faulty PDUs names. */
const statusesMax = 4

interface RefusedSourceRow {
  readonly reason: string
  readonly item: string
  readonly count: number
  readonly since: Date
  readonly last: Date
  /** By the hour, in seconds since 1970. */
  readonly hours: Record<string, number>
}

interface RefusedNumberRow extends RefusedSourceRow {
  readonly suppliers: string[]
  readonly supplierCount: number
  /** How many of all numbers are not ours, whether listed or not; beside it, how many take no messages. */
  readonly unknownTotal: number
  readonly suspendedTotal: number
}

interface RefusedTrafficRow extends RefusedSourceRow {
  readonly userId: number | null
  readonly connectionId: number | null
  /** How many rows there are in all, whether listed or not. */
  readonly total: number
  /** How often each command_status was answered, the most frequent first; of accounts and connections alone. */
  readonly statuses: readonly { readonly status: number; readonly count: number }[]
}

/**
 * Refusals of the last 24 hours as alerts. Refusals for numbers that are not ours, or that take no messages, by
 * number; all others by supplier and reason.
 */
export async function refusedAlerts(db: Db, now: Date): Promise<FoundAlerts> {
  const [numbers, traffic] = await Promise.all([refusedNumbers(db, now), refusedTraffic(db, now)])
  const listed = (reason: string) => numbers.filter((found) => found.reason === reason).length
  return {
    alerts: [
      ...numbers.map((found) => numberAlert(found, now)),
      ...traffic.map((found) => trafficAlert(found, now)),
    ],
    unlisted: [
      ...unlistedOf('refused_number', 'warning', {
        total: numbers[0]?.unknownTotal,
        listed: listed('unknown'),
      }),
      ...unlistedOf('refused_number', 'notice', {
        total: numbers[0]?.suspendedTotal,
        listed: listed('suspended'),
      }),
      ...unlistedOf('refused_traffic', 'warning', { total: traffic[0]?.total, listed: traffic.length }),
    ],
  }
}

const firstHour = (now: Date) => new Date(now.getTime() - (alertHours - 1) * 3_600_000)

/** A number that takes messages by now is no alert any more. */
function refusedNumbers(db: Db, now: Date): Promise<RefusedNumberRow[]> {
  return rows(
    db,
    sql`
      with hourly as (
        select reason, number, hour, sum(refused_count)::int as count, max(last_at) as last_at
        from refusal_hours
        where hour >= date_trunc('hour', ${firstHour(now)}::timestamptz, 'UTC') and reason in ('unknown', 'suspended')
        group by 1, 2, 3
      ), numbered as (
        select h.reason, h.number as item, sum(h.count)::int as count, min(h.hour) as since, max(h.last_at) as last,
          jsonb_object_agg(extract(epoch from h.hour)::bigint, h.count) as hours,
          (count(*) filter (where h.reason = 'unknown') over ())::int as "unknownTotal",
          (count(*) filter (where h.reason = 'suspended') over ())::int as "suspendedTotal"
        from hourly h left join numbers n on n.number = h.number
        where n.status is distinct from 'active' and (h.reason = 'suspended') = (n.id is not null)
        group by 1, 2 order by count desc, item limit ${numbersMax}
      )
      select n.*, s.suppliers, s.count as "supplierCount" from numbered n cross join lateral (
        select (array_agg(distinct coalesce(g.name, '')))[1:3] as suppliers,
          count(distinct coalesce(g.name, ''))::int as count
        from refusal_hours r left join gateways g on g.id = r.gateway_id where r.number = n.item and r.reason = n.reason
          and r.hour >= date_trunc('hour', ${firstHour(now)}::timestamptz, 'UTC')
      ) s`,
  )
}

/** Told for an hour after the last one: a supplier that has mended its messages is no alert any more. */
function refusedTraffic(db: Db, now: Date): Promise<RefusedTrafficRow[]> {
  return rows(
    db,
    sql`
      with refused as (
        select r.*, coalesce(g.name, '') as gateway, g.source
        from refusal_hours r left join gateways g on g.id = r.gateway_id
        where hour >= date_trunc('hour', ${firstHour(now)}::timestamptz, 'UTC')
          and reason not in ('unknown', 'suspended')
      ), hourly as (
        select reason, gateway, hour, sum(refused_count)::int as count, max(last_at) as last_at
        from refused group by 1, 2, 3
      )
      select reason, gateway as item, sum(count)::int as count, min(hour) as since, max(last_at) as last,
        jsonb_object_agg(extract(epoch from hour)::bigint, count) as hours,
        (select max(g.user_id) from gateways g where g.name = hourly.gateway) as "userId",
        (select max(c.id) from smpp_connections c where c.name = hourly.gateway) as "connectionId",
        (count(*) over ())::int as total,
        array(
          select json_build_object('status', s.command_status, 'count', sum(s.refused_count))
          from refused s where s.source in (0, 1) and s.gateway = hourly.gateway and s.reason = hourly.reason
            and s.command_status <> 0
          group by s.command_status order by sum(s.refused_count) desc, s.command_status limit ${statusesMax}
        ) as statuses
      from hourly group by 1, 2 having max(last_at) > ${now}::timestamptz - interval '1 hour'
      order by count desc, item limit ${numbersMax}`,
  )
}

function numberAlert(found: RefusedNumberRow, now: Date): FoundAlert {
  const { reason, item, suppliers, supplierCount } = found
  const isOurs = reason === 'suspended'
  const isOther = item === 'other'
  const what = isOurs
    ? sentence('The number is suspended or inactive, so its messages are refused.')
    : isOther
      ? sentence('So many other numbers were tried that they are counted together: somebody may be guessing.')
      : sentence('It is not one of our numbers, so its messages are refused.')
  const advice = isOurs
    ? sentence('Activate the number, or tell the supplier to stop sending to it.')
    : isOther
      ? sentence('Ask the supplier what it sends.')
      : sentence('Add the number if it is ours, or tell the supplier to stop sending to it.')
  return {
    ...shared(found, now),
    ...alertTexts({
      name: isOther ? sentence('Other numbers') : item,
      what: [what, ...sendersOf(suppliers, supplierCount)],
      advice,
    }),
    key: `refused_number:${reason}:${item}`,
    kind: 'refused_number',
    severity: isOurs ? 'notice' : 'warning',
    about: {
      ...(isOther ? {} : { number: item }),
      reason,
      ...(suppliers[0] === undefined ? {} : { supplier: suppliers[0] }),
    },
  }
}

function sendersOf(suppliers: readonly string[], count: number): Sentence[] {
  const names = suppliers.filter((name) => name !== '').join(', ')
  if (names === '') return []
  return count > suppliers.length
    ? [sentence('From {names} and {count} more.', { names, count: count - suppliers.length })]
    : [sentence('From {names}.', { names })]
}

interface ReasonWords {
  readonly what: Sentence
  readonly advice: Sentence
  readonly severity: AlertSeverity
}

const reasonWords: Readonly<Record<string, ReasonWords>> = {
  throttled: {
    what: sentence(
      'It sends more messages a second than its account may, and those above it are refused (0x58).',
    ),
    advice: sentence('Raise the throughput of the account, or ask the supplier to send more slowly.'),
    severity: 'warning',
  },
  bad_destination: {
    what: sentence('It sends destination addresses that are no telephone numbers (0x0B).'),
    advice: sentence('Look at the PDUs in the flight recorder, and ask the supplier to fix them.'),
    severity: 'warning',
  },
  bad_sender: {
    what: sentence('It sends source addresses that SMPP does not allow (0x0A).'),
    advice: sentence(
      'Look at the PDUs in the flight recorder; a lenient profile of the account takes more of them.',
    ),
    severity: 'warning',
  },
  unavailable: {
    what: sentence('Messages could not be stored, and the peer was told to send them again (0x14).'),
    advice: sentence('Check the database: the disk, its load and the log of the gateway.'),
    severity: 'critical',
  },
  window_exceeded: {
    what: sentence('It sends more messages at once than its window allows (0x58).'),
    advice: sentence('Raise the window of the account, or ask the supplier to wait for answers.'),
    severity: 'warning',
  },
  not_permitted: {
    what: sentence(
      'It sends commands that its bind does not permit (0x04), as messages over a bind that only receives.',
    ),
    advice: sentence('Ask the supplier to bind as transmitter or transceiver.'),
    severity: 'warning',
  },
  rejected: {
    what: sentence(
      'The database refused some of its messages, and the peer was told not to send them again (0x45).',
    ),
    advice: sentence('Look at the log of the gateway: it names the cause.'),
    severity: 'critical',
  },
  malformed: {
    what: sentence('It sends PDUs that cannot be read or taken.'),
    advice: sentence('Look at the PDUs in the flight recorder, and ask the supplier to fix them.'),
    severity: 'warning',
  },
}

function trafficAlert(found: RefusedTrafficRow, now: Date): FoundAlert {
  const { reason, item, userId, connectionId, statuses } = found
  const { severity, what, advice } = reasonWords[reason] ?? {
    what: sentence('Its messages are refused: {reason}.', { reason: reason.replaceAll('_', ' ') }),
    advice: sentence('Look at the PDUs in the flight recorder, and ask the supplier to fix them.'),
    severity: 'warning',
  }
  return {
    ...shared(found, now),
    ...alertTexts({
      name: item === '' ? sentence('Unknown source') : item,
      // The other reasons name their status themselves.
      what: [what, ...(reason === 'malformed' ? statuses.map(statusSentence) : [])],
      advice,
    }),
    severity,
    key: `refused_traffic:${reason}:${item}`,
    kind: 'refused_traffic',
    about: {
      reason,
      supplier: item,
      ...(userId === null ? {} : { userId: String(userId) }),
      ...(connectionId === null ? {} : { connectionId: String(connectionId) }),
    },
  }
}

function statusSentence({ status, count }: RefusedTrafficRow['statuses'][number]): Sentence {
  const text = { text: statusText(status) }
  return count === 1
    ? sentence('Answered once: {status}.', { status: text })
    : sentence('Answered {count} times: {status}.', { count, status: text })
}

function shared({ count, since, last, hours }: RefusedSourceRow, now: Date) {
  return {
    since: since.toISOString(),
    last: last.toISOString(),
    count,
    hours: lastHours(hours, now, alertHours),
  }
}
