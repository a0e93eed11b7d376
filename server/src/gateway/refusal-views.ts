import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'

interface RefusalView {
  readonly day: string
  readonly reason: string
  readonly number: string
  readonly gateway: string
  readonly count: string
  readonly lastAt: Date
  readonly detail: string
  readonly octets: string
  readonly statuses: { readonly status: number; readonly count: number }[]
}

/** Refused messages of the last seven days, the latest first; at most 1,000 rows, for a screen. */
export async function recentRefusals(db: Db): Promise<RefusalView[]> {
  const isRecent = sql`(hour at time zone 'UTC')::date > (now() at time zone 'UTC')::date - 7`
  return rows<RefusalView>(
    db,
    sql`
      with refused as (
        select (hour at time zone 'UTC')::date::text as day, reason, number, gateway, sum(refused_count) as count,
          max(last_at) as last_at, (array_agg(detail order by octets <> '' desc, last_at desc))[1] as detail,
          (array_agg(octets order by octets <> '' desc, last_at desc))[1] as octets
        from refusal_hours where ${isRecent}
        group by 1, 2, 3, 4 order by last_at desc, reason, number, gateway limit 1000
      ), answered as (
        select day, reason, number, gateway,
          json_agg(json_build_object('status', status, 'count', count) order by count desc, status) as statuses
        from (
          select (s.hour at time zone 'UTC')::date::text as day, s.reason, s.number, g.name as gateway,
            s.command_status as status, sum(s.refused_count) as count
          from refusal_statuses s join gateways g on g.id = s.gateway_id
          where ${isRecent} and s.command_status <> 0 group by 1, 2, 3, 4, 5
        ) each group by 1, 2, 3, 4
      )
      select r.day, r.reason, r.number, r.gateway, r.count, r.last_at as "lastAt", r.detail, r.octets,
        coalesce(a.statuses, '[]') as statuses
      from refused r left join answered a using (day, reason, number, gateway)
      order by r.last_at desc, r.reason, r.number, r.gateway`,
  )
}
