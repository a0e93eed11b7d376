// The followers of the log in a measurement: where they are, and when they have read all.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@tollgate/server/platform/db.ts'

const followerTables = [
  'record_search_position',
  'record_line_position',
  'record_number_position',
  'long_message_position',
  'sender_day_position',
]
// A follower that has nothing to read looks again at least so often; one that reads moves much sooner.
const restMs = 20_000

/** Where each follower is, as a text that changes when one of them moves. */
async function followerPositions({ pool }: Database): Promise<string> {
  const rows = followerTables.map((table) => `select row_to_json(p)::text as row from ${table} p`)
  return JSON.stringify((await pool.query(rows.join(' union all '))).rows)
}

/** Waits until no follower has moved for 20 seconds. Nothing may come in meanwhile. */
export async function untilFollowersRest(database: Database): Promise<void> {
  for (let last = ''; ; await sleep(restMs)) {
    const now = await followerPositions(database)
    if (now === last) return
    last = now
  }
}

/** Records that the follower furthest behind has still to read. */
export async function recordsBehind({ pool }: Database): Promise<number> {
  const behind = followerTables.map(
    (table) =>
      `select coalesce(sum(b.record_count), 0) as records
       from ${table} p join record_batches b on (b.xid, b.id) > (p.xid, p.batch)`,
  )
  const { rows } = await pool.query<{ behindMax: string }>(
    `select coalesce(max(records), 0) as "behindMax" from (${behind.join(' union all ')}) behind`,
  )
  return Number(rows[0]?.behindMax ?? 0)
}
