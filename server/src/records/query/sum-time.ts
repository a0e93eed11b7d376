// A bound on reading records: a longer statement keeps a person waiting and slows down ingest.
import { Refusal } from '@tollgate/contract/errors.ts'
import { execute, sqlState, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'

const sumTimeoutMs = 20_000

/**
 * Does `work` in one snapshot, so that its parts neither overlap nor leave a gap. Throws Refusal unprocessable when a
 * statement of it takes more than 20 s.
 */
export async function withinSumTime<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  try {
    return await transaction(
      db,
      async (tx) => {
        await execute(tx, `set local statement_timeout = ${sumTimeoutMs}`)
        return work(tx)
      },
      { isolation: 'repeatable read' },
    )
  } catch (error) {
    // 57014: the statement was ended for taking too long.
    if (sqlState(error) !== '57014') throw error
    throw new Refusal(
      'unprocessable',
      'That is too much to add up at once. Choose fewer days or another filter.',
      {
        fields: { dateFrom: 'Choose fewer days' },
      },
    )
  }
}
