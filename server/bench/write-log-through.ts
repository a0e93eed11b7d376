import type { Database } from '../src/platform/db.ts'

/**
 * Makes all the segments that the log has room for, so that nobody pays for making one while another does not: a gateway
 * that has run for a while uses its segments again (decision 15). Throws when the log does not keep them.
 */
export async function writeLogThrough({ pool }: Database): Promise<void> {
  const asked = await pool.query<{ megabytes: number }>(
    `select setting::int as megabytes from pg_settings where name = 'min_wal_size'`,
  )
  const megabytes = asked.rows[0]?.megabytes ?? 0
  // What is written before the checkpoint stays as segments; a tenth more, since a checkpoint may come of its own.
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
