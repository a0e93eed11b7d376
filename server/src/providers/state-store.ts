// SQL of the pollers' states: one statement stores those of all providers of a node, each guarded by its lease.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'
import type { Lease } from '../platform/work/leases.ts'

export interface WorkerReport {
  readonly providerId: number
  readonly lease: Pick<Lease, 'name' | 'token'>
  readonly status: 'running' | 'error'
  readonly runningSince: Date
  readonly lastSyncAt: Date | null
  readonly nextPollAt: Date | null
  /** Since the last report. */
  readonly errorCount: number
  readonly lastError: string
  readonly duplicates: number
}

/** Stores reports. A report whose lease is lost is skipped. Returns the ids of those that were stored. */
export async function writeWorkerReports(
  db: Db,
  node: string,
  reports: readonly WorkerReport[],
): Promise<Set<number>> {
  const found = await rows<{ id: number }>(
    db,
    sql`
      insert into provider_progress as s (provider_id, status, node, lease_token, running_since, last_sync_at,
        next_poll_at, error_count, last_error, failing_since, status_since, duplicates)
      select r.id, r.status, ${node}, r.token, r.running_since, r.last_sync_at, r.next_poll_at, r.errors, r.last_error,
        case when r.status = 'error' then clock_timestamp() end, clock_timestamp(), r.duplicates
      from unnest(
          ${reports.map(({ providerId }) => providerId)}::int[], ${reports.map(({ lease }) => lease.name)}::text[],
          ${reports.map(({ lease }) => lease.token)}::bigint[], ${reports.map(({ status }) => status)}::text[],
          ${reports.map(({ runningSince }) => runningSince)}::timestamptz[],
          ${reports.map(({ lastSyncAt }) => lastSyncAt)}::timestamptz[],
          ${reports.map(({ nextPollAt }) => nextPollAt)}::timestamptz[],
          ${reports.map(({ errorCount }) => errorCount)}::int[], ${reports.map(({ lastError }) => lastError)}::text[],
          ${reports.map(({ duplicates }) => duplicates)}::int[]
        ) as r (id, lease, token, status, running_since, last_sync_at, next_poll_at, errors, last_error, duplicates)
        join leases l on l.name = r.lease and l.token = r.token and l.expires_at > clock_timestamp()
        join providers p on p.id = r.id
      on conflict (provider_id) do update set status = excluded.status, node = excluded.node,
        lease_token = excluded.lease_token, running_since = excluded.running_since,
        last_sync_at = coalesce(excluded.last_sync_at, s.last_sync_at), next_poll_at = excluded.next_poll_at,
        error_count = s.error_count + excluded.error_count, last_error = excluded.last_error,
        failing_since = case when excluded.status = 'error' then coalesce(s.failing_since, excluded.failing_since) end,
        status_since = case when s.status = excluded.status then s.status_since else excluded.status_since end,
        duplicates = excluded.duplicates
      returning provider_id as id`,
  )
  return new Set(found.map(({ id }) => id))
}
