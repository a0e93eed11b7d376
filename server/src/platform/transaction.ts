// One transaction around a piece of work, tried again where PostgreSQL says that another one got in the way.
import type { Db } from './db.ts'

const retryCodes = new Set(['40001', '40P01'])
const attemptsMax = 5

/**
 * Runs `work` in one transaction and commits when it resolves; any error rolls back and is thrown on.
 * Serialisation failures and deadlocks are tried again, so `work` must have no effect outside the database.
 */
export async function transaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt >= attemptsMax || !retryCodes.has(errorCode(error))) throw error
    }
  }
}

/** PostgreSQL's SQLSTATE of an error, or '' when it has none. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/** The violated constraint's name, or ''. */
export function violatedConstraint(error: unknown): string {
  const name = typeof error === 'object' && error !== null && 'constraint' in error ? error.constraint : undefined
  return typeof name === 'string' ? name : ''
}
