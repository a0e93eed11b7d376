// Tells every node that an account changed, so that its binds, feeds and caches are updated within 5 s.
import { sql } from 'kysely'
import { NotificationChannel } from '../platform/database/notification-channel.ts'
import { rows, type Db } from '../platform/db.ts'
import { afterCommit } from '../platform/transaction.ts'
import { Recurring } from '../platform/work/recurring.ts'

// A notification may be lost with the listening connection; the poll then finds the change this much later.
const pollEveryMs = 3_000
// Transactions do not commit in the order of their timestamps, so each poll looks back a little and skips known changes.
const lookBackSeconds = 30

export interface AccountEvents {
  /** Publishes a change when the transaction commits. */
  announce(tx: Db, userId: number): Promise<void>
  /** Calls `listener` for each change, sometimes twice. Returns how to unsubscribe. The listener must not throw. */
  onAccountChanged(listener: (userId: number) => void): () => void
  start(): Promise<void>
  stop(): Promise<void>
}

/** `onFault` gets database faults while listening; the next poll finds the changes all the same. */
export function createAccountEvents(db: Db, onFault: (error: unknown) => void): AccountEvents {
  const listeners = new Set<(userId: number) => void>()
  const notify = (userId: number) => {
    for (const listener of listeners) listener(userId)
  }
  const channel = new NotificationChannel({
    db,
    name: 'account_changed',
    onNotification: (payload) => notify(Number(payload)),
    onFault,
  })
  /** The last change of each account that listeners know. */
  let known = new Map<number, string>()
  const poll = async () => {
    const recent = await recentChanges(db)
    const fresh = recent.filter(({ id, changedAt }) => known.get(id) !== changedAt)
    known = new Map(recent.map(({ id, changedAt }) => [id, changedAt]))
    for (const { id } of fresh) notify(id)
  }
  const polling = new Recurring({ run: poll, everyMs: pollEveryMs, onFault })
  return {
    async announce(tx, userId) {
      await channel.send(String(userId), tx)
      // This node need not wait for its own notification.
      afterCommit(tx, () => notify(userId))
    },
    onAccountChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async start() {
      // Earlier changes concern nobody on this node: nothing depends on an account yet.
      for (const { id, changedAt } of await recentChanges(db)) known.set(id, changedAt)
      await channel.start()
      polling.start(pollEveryMs)
    },
    async stop() {
      await polling.stop()
      channel.stop()
    },
  }
}

function recentChanges(db: Db): Promise<{ id: number; changedAt: string }[]> {
  return rows(
    db,
    sql`select id, updated_at::text as "changedAt" from users
      where updated_at > clock_timestamp() - make_interval(secs => ${lookBackSeconds})`,
  )
}
