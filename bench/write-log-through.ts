import type { Database } from '@tollgate/server/platform/db.ts'

/**
 * Creates all WAL segments up to min_wal_size, as in a gateway that has run for a while and reuses its segments
 * (decision 13), so that no contestant has to create one. Throws when PostgreSQL does not keep them.
 */
export async function writeLogThrough({ pool }: Database): Promise<void> {
  const answer = await pool.query<{ megabytes: number }>(
    `select setting::int as megabytes from pg_settings where name = 'min_wal_size'`,
  )
  const megabytes = answer.rows[0]?.megabytes ?? 0
  // Segments written before the checkpoint are kept; a tenth more, since a checkpoint may start by itself.
  await pool.query(
    `select count(pg_logical_emit_message(false, 'bench', repeat('x', 1000000)))
     from generate_series(1, $1::int)`,
    [Math.ceil(megabytes * 1.1)],
  )
  await pool.query('checkpoint')
  const found = await pool.query<{ megabytes: number }>(
    `select (sum(size) / 1048576)::int as megabytes from pg_ls_waldir()`,
  )
  const kept = found.rows[0]?.megabytes ?? 0
  if (kept < megabytes * 0.9) throw new Error(`The log kept ${kept} MB of ${megabytes} MB for use again`)
}
