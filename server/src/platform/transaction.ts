// Transactions: all or nothing, tried again when PostgreSQL says that only the timing was unlucky.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { driverOf, execute, handleOn, sqlState, type Db } from './db.ts'
import { backoffMs } from './work/backoff.ts'

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** Not tried again: `work` passes on what it reads while it reads. */
  readonly isOnce?: boolean
}

// 40001 serialization_failure, 40P01 deadlock_detected: the server undid everything and asks for another try.
const retriable = new Set(['40001', '40P01'])
const tries = 6

const afterCommits = new WeakMap<Db, (() => void)[]>()

/**
 * Runs `work` in one transaction and gives its result. Inside another transaction it joins that one. `work` may run
 * several times (serialization failure, deadlock), so it must have no effect outside the database, and use up nothing
 * that is read once: use {@link afterCommit} for effects. Throws what `work` or the commit throws; nothing is kept then.
 */
export async function transaction<T>(
  db: Db,
  work: (tx: Db) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const driver = driverOf(db)
  if (!(driver instanceof pg.Pool)) return work(db)
  for (let turn = 1; ; turn++) {
    try {
      return await once(driver, work, options)
    } catch (error) {
      if (options.isOnce === true || turn >= tries || !retriable.has(sqlState(error) ?? '')) throw error
      // Jitter, so that the two do not conflict again.
      await sleep(Math.random() * backoffMs(turn, { firstMs: 20, maxMs: 320 }))
    }
  }
}

async function once<T>(pool: pg.Pool, work: (tx: Db) => Promise<T>, options: TransactionOptions): Promise<T> {
  const client = await pool.connect()
  const tx = handleOn(client)
  const effects: (() => void)[] = []
  afterCommits.set(tx, effects)
  let fault: Error | undefined
  let result: T
  try {
    await client.query(`begin isolation level ${options.isolation ?? 'read committed'}`)
    result = await work(tx)
    // A transaction that failed inside answers COMMIT with ROLLBACK and no error: that must not look like success.
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('The transaction had failed and was rolled back')
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => (fault = cause))
    throw error
  } finally {
    // A connection that cannot even roll back does not go back to the pool.
    client.release(fault)
  }
  for (const effect of effects) effect()
  return result
}

/**
 * Lets readers of the log not wait for this transaction, however long it runs. Only for one that writes
 * nothing into the log, and before it writes anything at all (decision 17).
 */
export async function excludeFromLogHorizon(tx: Db): Promise<void> {
  await execute(tx, `set local application_name = 'tollgate-aside'`)
}

/**
 * Calls `effect` after the commit, and not at all after a rollback: for events to screens and workers.
 * Outside a transaction it is called at once. It must not throw.
 */
export function afterCommit(tx: Db, effect: () => void): void {
  const effects = afterCommits.get(tx)
  if (effects === undefined) effect()
  else effects.push(effect)
}
