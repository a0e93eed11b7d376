// The status of many numbers at once.
import { sql } from 'kysely'
import { accountStatuses, type AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  keepChange,
  untouched,
  type BulkKind,
  type ChangedRow,
  type MatchingAct,
} from '../../platform/lists/bulk-changes.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { NumbersDeps } from '../deps.ts'
import { lockNumbers, setStatuses, type NumberRow } from '../store.ts'
import { lockAll, manyNumbers, marksOf, type BulkSet } from '../bulk-set.ts'

type Deps = Pick<NumbersDeps, 'db' | 'audit'>

export function numberStatusKind(deps: Deps): BulkKind<CatalogChange> {
  return {
    name: 'number.status',
    begin: changeCatalog,
    async restore(tx, change, asked, step) {
      const found = await lockNumbers(
        tx,
        asked.map(({ id }) => id),
      )
      const open = untouched(asked, marksOf(found))
      for (const status of accountStatuses) {
        const ids = new Set(open.filter(({ before }) => before === status).map(({ id }) => id))
        const numbers = found.filter(({ id }) => ids.has(id))
        if (numbers.length > 0) await setAndRecord(deps, tx, { change, numbers, status }, step)
      }
      return open.map(({ id }) => id)
    },
  }
}

/** Sets the status of all numbers that a filter matches. */
export function matchingStatus(
  deps: Deps,
  { filter, count, status }: BulkSet & { readonly status: AccountStatus },
): MatchingAct<CatalogChange> {
  return {
    kind: numberStatusKind(deps),
    count,
    matching: sql`select n.id, case when n.status = ${status} then 'same' end as left_out
      from numbers n where n.deleted_at is null and ${filter}`,
    change: async (tx, change, ids, step) =>
      changeStatuses(deps, tx, { change, numbers: await lockNumbers(tx, ids), status }, step),
  }
}

/** Sets the status of all chosen numbers or of none. */
export async function setStatusOfChosen(
  deps: Deps,
  { ids, status }: { readonly ids: readonly string[]; readonly status: AccountStatus },
  by: Caller,
): Promise<{ changed: number; changeId: string | null }> {
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const numbers = await lockAll(tx, ids)
    const changed = await changeStatuses(deps, tx, { change, numbers, status }, { by })
    return { changed: changed.length, changeId: await keepChange(tx, numberStatusKind(deps), changed, by) }
  })
}

interface Setting {
  readonly change: CatalogChange
  /** Locked. */
  readonly numbers: readonly NumberRow[]
  readonly status: AccountStatus
}

interface Of {
  readonly changeId?: string
  readonly by: Caller
}

async function changeStatuses(deps: Deps, tx: Db, setting: Setting, of: Of): Promise<ChangedRow[]> {
  const numbers = setting.numbers.filter((number) => number.status !== setting.status)
  if (numbers.length > 0) await setAndRecord(deps, tx, { ...setting, numbers }, of)
  return numbers.map(({ id, status, version }) => ({ id, before: status, mark: String(version + 1) }))
}

async function setAndRecord({ audit }: Deps, tx: Db, setting: Setting, { changeId, by }: Of): Promise<void> {
  const { change, numbers, status } = setting
  await setStatuses(
    tx,
    change,
    numbers.map(({ id }) => id),
    status,
  )
  await audit.record(tx, {
    ...by,
    ...manyNumbers(numbers),
    action: 'number.set_status',
    before: Object.fromEntries(numbers.map((number) => [number.number, number.status])),
    after: { status, ...(changeId !== undefined && { change: changeId }) },
  })
}
