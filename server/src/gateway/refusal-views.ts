import { sql } from 'kysely'
import type { gatewayRoutes } from '@tollgate/contract/gateway/gateway.ts'
import type { RouteReply } from '@tollgate/contract/route.ts'
import { replyRows } from '../http/reply.ts'
import type { Db } from '../platform/db.ts'

/** Refused messages of the last seven days, the latest first; at most 1,000 rows, for a screen. */
export function recentRefusals(db: Db): Promise<RouteReply<typeof gatewayRoutes.listRefusals>> {
  return replyRows(
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
      select day, reason, number, gateway, sum(count)::float8 as count, max(last_at) as last_at,
        (array_agg(detail order by octets <> '' desc, last_at desc))[1] as detail,
        (array_agg(octets order by octets <> '' desc, last_at desc))[1] as octets,
        coalesce(
          json_agg(json_build_object('status', status, 'count', count) order by count desc, status)
            filter (where status <> 0), '[]') as statuses
      from refused group by 1, 2, 3, 4 order by max(last_at) desc, reason, number, gateway limit 1000`,
  )
}
