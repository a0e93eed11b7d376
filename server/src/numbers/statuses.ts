// The status of many numbers or ranges at once, and back.
import { sql, type RawBuilder } from 'kysely'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import {
  lockUntouched,
  type BulkKind,
  type BulkStep,
  type ChangedRow,
  type MatchingAct,
} from '../http/lists/bulk-changes.ts'
import { manyObjects, type BulkSet } from './bulk-set.ts'
import { changeCatalog, type CatalogChange } from './change-catalog.ts'
import type { NumbersDeps } from './deps.ts'

interface StatusRow {
  readonly id: number
  readonly status: AccountStatus
  readonly version: number
}

/** A table whose rows have a status, a version and `deleted_at`. */
export interface StatusTable<Row extends StatusRow> {
  /** `number`: the object of audit entries and the begin of their actions. */
  readonly noun: string
  readonly plural: string
  /** With the alias that filters of its list use. */
  readonly table: RawBuilder<unknown>
  /** How people call a row. */
  readonly nameOf: (row: Row) => string
  readonly lock: (tx: Db, ids: readonly number[]) => Promise<readonly Row[]>
  /** Sets statuses by id and returns the rows as they are then, each with a new version. */
  readonly set: (
    tx: Db,
    change: CatalogChange,
    statuses: ReadonlyMap<number, AccountStatus>,
  ) => Promise<readonly Row[]>
}

type Deps = Pick<NumbersDeps, 'audit'>

export function statusKind<Row extends StatusRow>(of: StatusTable<Row>, deps: Deps): BulkKind<CatalogChange> {
  return {
    name: `${of.noun}.status`,
    begin: changeCatalog,
    async restore(tx, change, requested, step) {
      const statuses = (await lockUntouched(tx, requested, of.lock)) as ReadonlyMap<Row, AccountStatus>
      await setAndRecord(of, deps, tx, { change, statuses }, step)
      return [...statuses.keys()].map(({ id }) => id)
    },
  }
}

/** Sets the status of all rows that a filter matches. */
export function matchingStatus<Row extends StatusRow>(
  of: StatusTable<Row>,
  deps: Deps,
  { filter, count, status }: BulkSet & { readonly status: AccountStatus },
): MatchingAct<CatalogChange> {
  return {
    kind: statusKind(of, deps),
    count,
    matching: sql`select id, case when status = ${status} then 'same' end as left_out
      from ${of.table} where deleted_at is null and ${filter}`,
    async change(tx, change, ids, step) {
      const statuses = othersTo(status, await of.lock(tx, ids))
      return (await setAndRecord(of, deps, tx, { change, statuses }, step)).changed
    },
  }
}

/** The rows that do not have the status yet, each with it. */
export function othersTo<Row extends StatusRow>(
  status: AccountStatus,
  rows: readonly Row[],
): ReadonlyMap<Row, AccountStatus> {
  return new Map(rows.filter((each) => each.status !== status).map((each) => [each, status]))
}

interface StatusSetting<Row> {
  readonly change: CatalogChange
  /** Of locked rows. */
  readonly statuses: ReadonlyMap<Row, AccountStatus>
}

/** Sets the statuses and makes one audit entry. */
export async function setAndRecord<Row extends StatusRow>(
  { noun, plural, nameOf, set }: StatusTable<Row>,
  { audit }: Deps,
  tx: Db,
  { change, statuses }: StatusSetting<Row>,
  { changeId, by }: BulkStep,
): Promise<{ rows: readonly Row[]; changed: ChangedRow[] }> {
  if (statuses.size === 0) return { rows: [], changed: [] }
  const before = new Map([...statuses.keys()].map((each) => [each.id, each.status]))
  const rows = await set(tx, change, new Map([...statuses].map(([{ id }, status]) => [id, status])))
  await audit.record(tx, {
    ...by,
    ...manyObjects(noun, plural, rows),
    action: `${noun}.set_status`,
    before: Object.fromEntries(rows.map((each) => [nameOf(each), before.get(each.id)])),
    after: { ...Object.fromEntries(rows.map((each) => [nameOf(each), each.status])), change: changeId },
  })
  const changed = rows.map(({ id, version }) => ({
    id,
    before: before.get(id) ?? '',
    mark: String(version),
  }))
  return { rows, changed }
}
