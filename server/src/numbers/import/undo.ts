// Undoes an import: removes the numbers that it added and that nothing has happened to since. An import changes no number
// that was there before it, so there is nothing else to restore.
import { Refusal } from '@tollgate/contract/errors.ts'
import { changedRowsMax } from '@tollgate/contract/fields.ts'
import type { NumberImport, NumberImportDetail } from '@tollgate/contract/numbers/import.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller, PageReply } from '../../http/handlers.ts'
import { cutPage, readCursor } from '../../http/lists/cursor.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeCatalog } from '../change-catalog.ts'
import type { NumbersDeps } from '../deps.ts'
import { lockNumbers } from '../store.ts'
import {
  countUntouched,
  findImport,
  finishUndoing,
  listImports,
  lockUndoing,
  nextUntouched,
  removeNumbers,
  toImport,
  withRecords,
  type ImportRow,
} from './undo-store.ts'

type UndoDeps = Pick<NumbersDeps, 'db' | 'audit' | 'idleWindows'>

const importObject = (id: number) => ({ objectType: 'number_import', objectId: String(id) })

async function readImport(db: Db, id: string): Promise<ImportRow> {
  const found = await findImport(db, id)
  if (found === undefined) throw new Refusal('not_found', 'This import is not known.')
  return found
}

export async function pageOfImports(
  db: Db,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<PageReply<NumberImport[]>> {
  const found = await listImports(db, limit + 1, readCursor(cursor, ['id'])?.[0])
  const page = cutPage(found, limit, ({ id }) => [id])
  return { items: page.rows.map(toImport), next: page.next }
}

/** An import with what undoing it would remove and keep. */
export async function viewImport(db: Db, id: string): Promise<NumberImportDetail> {
  const found = await readImport(db, id)
  return { ...toImport(found), ...(await countUntouched(db, found)) }
}

/**
 * Removes some numbers at a time, so that messages wait for a short change only. When it is interrupted, what was removed
 * stays removed, and the next call goes on. Throws Refusal not_found, wrong_state when it is undone already, unavailable.
 */
export async function undoImport(deps: UndoDeps, id: string, by: Caller): Promise<NumberImportDetail> {
  const found = await readImport(deps.db, id)
  const undone = () => new Refusal('wrong_state', 'This import is undone already.')
  if (found.undone_at !== null) throw undone()
  for (let after = 0; ;) {
    const ids = await nextUntouched(deps.db, found, { after, limit: changedRowsMax })
    if (ids.length === 0) break
    await deps.idleWindows?.next()
    if (!(await removePortion(deps, found, ids, by))) throw undone()
    after = ids.at(-1) ?? after
  }
  const detail = await viewImport(deps.db, id)
  await transaction(deps.db, async (tx) => {
    if (!(await finishUndoing(tx, found.id, by.actor.userId))) throw undone()
    await deps.audit.record(tx, {
      ...by,
      ...importObject(found.id),
      action: 'number.import_undo',
      before: { file: found.file_name, added: found.added_count },
      after: {
        removed: detail.removedCount,
        ...Object.fromEntries(detail.kept.map(({ reason, count }) => [`kept ${reason}`, count])),
      },
    })
  })
  return viewImport(deps.db, id)
}

/** Looks at the numbers once more under the closed traffic gate, where no message can come, and removes the untouched. */
function removePortion(
  { db, audit }: UndoDeps,
  found: ImportRow,
  ids: readonly number[],
  by: Caller,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    if (!(await lockUndoing(tx, found.id, change.now))) return false
    const busy = await withRecords(tx, ids)
    if (busy === undefined)
      throw new Refusal(
        'unavailable',
        'Records are still being indexed, so it is not known which numbers have some. Try again in a moment.',
        { retryAfterSeconds: 5 },
      )
    const numbers = await lockNumbers(tx, ids)
    const free = numbers.filter(
      ({ id, version, holder_id }) => version === 1 && holder_id === null && !busy.has(id),
    )
    if (free.length === 0) return true
    await removeNumbers(
      tx,
      change,
      found.id,
      free.map(({ id }) => id),
    )
    await audit.record(tx, {
      ...by,
      ...importObject(found.id),
      action: 'number.import_remove',
      after: { count: free.length, first: free[0]?.number ?? '', last: free.at(-1)?.number ?? '' },
    })
    return true
  })
}
