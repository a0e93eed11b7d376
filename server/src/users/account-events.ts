// Tells every node that an account changed, so that its binds, feeds and caches are updated within 5 s.
import { sql } from 'kysely'
import pg from 'pg'
import { driverOf, rows, type Db } from '../platform/db.ts'
import { afterCommit } from '../platform/transaction.ts'

const channel = 'account_changed'
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

/** `onFault` gets database faults while listening; the next poll follows all the same. */
export function createAccountEvents(db: Db, onFault: (error: unknown) => void): AccountEvents {
  const listeners = new Set<(userId: number) => void>()
  const notify = (userId: number) => {
    for (const listener of listeners) listener(userId)
  }
  const watch = new AccountWatch(db, notify, onFault)
  return {
    async announce(tx, userId) {
      await sql`select pg_notify(${channel}, ${String(userId)})`.execute(tx)
      // This node need not wait for its own notification.
      afterCommit(tx, () => notify(userId))
    },
    onAccountChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start: () => watch.start(),
    stop: () => watch.stop(),
  }
}

class AccountWatch {
  readonly #db: Db
  readonly #notify: (userId: number) => void
  readonly #onFault: (error: unknown) => void
  /** The last change of each account that listeners know. */
  #known = new Map<number, string>()
  #client: pg.PoolClient | undefined
  #timer: NodeJS.Timeout | undefined
  #look: Promise<void> = Promise.resolve()
  #isRunning = false

  constructor(db: Db, notify: (userId: number) => void, onFault: (error: unknown) => void) {
    this.#db = db
    this.#notify = notify
    this.#onFault = onFault
  }

  async start(): Promise<void> {
    this.#isRunning = true
    // Earlier changes concern nobody on this node: nothing depends on an account yet.
    for (const { id, changed_at: at } of await this.#recent()) this.#known.set(id, at)
    await this.#listen()
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#timer)
    await this.#look
    this.#drop()
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#look = this.#lookOnce().finally(() => {
        if (this.#isRunning) this.#schedule()
      })
    }, pollEveryMs)
    this.#timer.unref()
  }

  async #lookOnce(): Promise<void> {
    try {
      if (this.#client === undefined) await this.#listen()
      const recent = await this.#recent()
      const fresh = recent.filter(({ id, changed_at: at }) => this.#known.get(id) !== at)
      this.#known = new Map(recent.map(({ id, changed_at: at }) => [id, at]))
      for (const { id } of fresh) this.#notify(id)
    } catch (error) {
      this.#onFault(error)
    }
  }

  #recent(): Promise<{ id: number; changed_at: string }[]> {
    return rows(
      this.#db,
      sql`select id, updated_at::text as changed_at from users
        where updated_at > clock_timestamp() - make_interval(secs => ${lookBackSeconds})`,
    )
  }

  async #listen(): Promise<void> {
    const driver = driverOf(this.#db)
    if (!(driver instanceof pg.Pool)) throw new Error('Listening needs the pool, not a transaction')
    const client = await driver.connect()
    this.#client = client
    client.on('notification', ({ payload }) => this.#notify(Number(payload)))
    // The connection is lost; the next poll opens another one.
    client.once('error', () => this.#drop())
    client.once('end', () => this.#drop())
    try {
      await client.query(`listen ${channel}`)
    } catch (error) {
      this.#drop()
      throw error
    }
  }

  #drop(): void {
    const client = this.#client
    this.#client = undefined
    // Destroyed instead of returned to the pool: no other user of the connection may get our notifications.
    client?.release(true)
  }
}
