// Tells every node that an account changed, so that what hangs on it (binds, feeds, caches) is put right within 5 s.
import { sql } from 'kysely'
import pg from 'pg'
import { driverOf, rows, type Db } from '../platform/db.ts'
import { afterCommit } from '../platform/transaction.ts'

const channel = 'account_changed'
// A notice may be lost with the connection that waited for it; then the change is found this much later.
const pollEveryMs = 3_000
// Commits come in another order than their times, so each look goes back a little; what was told is remembered.
const lookBackSeconds = 30

export interface AccountNews {
  /** Tells of a change once the transaction commits. */
  announce(tx: Db, userId: number): Promise<void>
  /** Calls `listener` for each change, sometimes twice. Gives how to stop it. It must not throw. */
  onAccountChanged(listener: (userId: number) => void): () => void
  start(): Promise<void>
  stop(): Promise<void>
}

/** `onFault` hears of database faults while waiting; the next look comes anyway. */
export function createAccountNews(db: Db, onFault: (error: unknown) => void): AccountNews {
  const listeners = new Set<(userId: number) => void>()
  const tell = (userId: number) => {
    for (const listener of listeners) listener(userId)
  }
  const watch = new Watch(db, tell, onFault)
  return {
    async announce(tx, userId) {
      await sql`select pg_notify(${channel}, ${String(userId)})`.execute(tx)
      // This node need not wait for its own notice.
      afterCommit(tx, () => tell(userId))
    },
    onAccountChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start: () => watch.start(),
    stop: () => watch.stop(),
  }
}

class Watch {
  readonly #db: Db
  readonly #tell: (userId: number) => void
  readonly #onFault: (error: unknown) => void
  #told = new Map<number, string>()
  #client: pg.PoolClient | undefined
  #timer: NodeJS.Timeout | undefined
  #look: Promise<void> = Promise.resolve()
  #isRunning = false

  constructor(db: Db, tell: (userId: number) => void, onFault: (error: unknown) => void) {
    this.#db = db
    this.#tell = tell
    this.#onFault = onFault
  }

  async start(): Promise<void> {
    this.#isRunning = true
    // What changed before we listened concerns nobody here: nothing hangs on an account yet.
    for (const { id, changed_at: at } of await this.#recent()) this.#told.set(id, at)
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
      const fresh = recent.filter(({ id, changed_at: at }) => this.#told.get(id) !== at)
      this.#told = new Map(recent.map(({ id, changed_at: at }) => [id, at]))
      for (const { id } of fresh) this.#tell(id)
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
    client.on('notification', ({ payload }) => this.#tell(Number(payload)))
    // The connection is gone; the next look opens another one.
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
    // Destroyed and not given back: another borrower must not hear our notices.
    client?.release(true)
  }
}
