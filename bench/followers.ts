// The followers of the log in a measurement: where they are, and when they have read all.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@tollgate/server/platform/db.ts'

// Those that read whole batches.
const followers = "follower not in ('webhooks', 'receipts', 'texts')"
// A follower that has nothing to read looks again at least so often; one that reads moves much sooner.
const restMs = 20_000

/** Where each follower is, as a text that changes when one of them moves. */
async function followerPositions({ pool }: Database): Promise<string> {
  const { rows } = await pool.query(
    `select follower, xid::text, batch from follower_positions where ${followers} order by follower`,
  )
  return JSON.stringify(rows)
}

/** Waits until no follower has moved for 20 seconds. Nothing may come in meanwhile. */
export async function untilFollowersRest(database: Database): Promise<void> {
  for (let last = ''; ; await sleep(restMs)) {
    const now = await followerPositions(database)
    if (now === last) return
    last = now
  }
}

/** Records that the follower furthest behind, but for some, has still to read. */
export async function recordsBehind(
  { pool }: Database,
  { without = [] as readonly string[] } = {},
): Promise<number> {
  const { rows } = await pool.query<{ behindMax: string }>(
    `select coalesce(max(records), 0) as "behindMax" from (
       select sum(b.record_count) as records
       from follower_positions p join record_batches b on (b.xid, b.id) > (p.xid, p.batch)
       where ${followers} and p.follower <> all($1) group by p.follower) behind`,
    [without],
  )
  return Number(rows[0]?.behindMax ?? 0)
}
