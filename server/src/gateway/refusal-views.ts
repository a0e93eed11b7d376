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
  return rows<RefusalView>(
    db,
    sql`
      with refused as (
        select (hour at time zone 'UTC')::date::text as day, reason, number, coalesce(g.name, '') as gateway,
          case when g.source in (0, 1) then command_status else 0 end as status, sum(refused_count) as count,
          max(last_at) as last_at, (array_agg(detail order by octets <> '' desc, last_at desc))[1] as detail,
          (array_agg(octets order by octets <> '' desc, last_at desc))[1] as octets
        from refusal_hours r left join gateways g on g.id = r.gateway_id
        where (hour at time zone 'UTC')::date > (now() at time zone 'UTC')::date - 7 group by 1, 2, 3, 4, 5
      )
      select day, reason, number, gateway, sum(count) as count, max(last_at) as "lastAt",
        (array_agg(detail order by octets <> '' desc, last_at desc))[1] as detail,
        (array_agg(octets order by octets <> '' desc, last_at desc))[1] as octets,
        coalesce(
          json_agg(json_build_object('status', status, 'count', count) order by count desc, status)
            filter (where status <> 0), '[]') as statuses
      from refused group by 1, 2, 3, 4 order by "lastAt" desc, reason, number, gateway limit 1000`,
  )
}
