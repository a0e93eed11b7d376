import type { Database } from '../src/platform/db.ts'

/**
 * Fills the log's room once, so that nobody pays for making it while another does not: a gateway that has run for a
 * while uses its segments again (decision 15).
 */
export async function writeLogThrough({ pool }: Database): Promise<void> {
  const megabytes = 650
  for (let half = 0; half < 2; half += 1) {
    await pool.query(
      `select count(pg_logical_emit_message(false, 'bench', repeat('x', 1000000))) from generate_series(1, ${megabytes})`,
    )
    await pool.query('checkpoint')
  }
}
