// Ranges of numbers. A range gives its numbers a name on records, and a tariff.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { RefusedRow } from '@tollgate/contract/fields.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { NumberRange, rangeEditSchema, rangeInputSchema } from '@tollgate/contract/ranges.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { z } from 'zod'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  keepChange,
  untouched,
  type BulkKind,
  type ChangedRow,
  type MatchingAct,
} from '../../platform/lists/bulk-changes.ts'
import type { BulkSet } from '../bulk-set.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import type { NumbersDeps } from '../deps.ts'
import { checkVersion, refuseWhereBroken, rowId, staleRefusal } from '../../platform/refusals.ts'
import {
  insertRange,
  lockRange,
  lockRanges,
  markRangeDeleted,
  readRange,
  setRangeStatuses,
  updateRange,
  type RangeFields,
  type RangeRow,
} from './store.ts'

type RangeInput = z.output<typeof rangeInputSchema>
type RangeEdit = z.output<typeof rangeEditSchema>

export function toRange(row: RangeRow): NumberRange {
  return {
    id: String(row.id),
    rangeNumber: row.range_number,
    startNumber: row.start_number,
    endNumber: row.end_number,
    description: row.description,
    rate: formatMicro(BigInt(row.tariff_micro), 2),
    status: row.status,
    createdAt: row.created_at.toISOString(),
    version: row.version,
  }
}

const unknownRange = (): Refusal =>
  new Refusal('not_found', 'There is no such range. It may have been deleted; reload the list.')

const rangeTaken = (rangeNumber: string) => (): Refusal =>
  new Refusal('taken', `There is already a range ${rangeNumber}. Choose another name.`, {
    fields: { rangeNumber: 'Already in use' },
  })

/** Throws Refusal invalid when start and end do not make a range. */
function checkEnds({ startNumber, endNumber }: RangeFields): void {
  const fault =
    startNumber.length !== endNumber.length
      ? 'Start and end need the same number of digits'
      : startNumber > endNumber
        ? 'The end must not be before the start'
        : undefined
  if (fault !== undefined) throw new Refusal('invalid', `${fault}.`, { fields: { endNumber: fault } })
}

function fieldsOf(input: RangeInput): RangeFields {
  const { rangeNumber, startNumber, endNumber, description, rate, status } = input
  return { rangeNumber, startNumber, endNumber, description, tariffMicro: parseMicro(rate) ?? 0n, status }
}

/** One range. Throws Refusal not_found. */
export async function findRange(db: Db, idText: string): Promise<NumberRange> {
  const found = await readRange(db, rowId(idText, unknownRange))
  if (found === undefined) throw unknownRange()
  return toRange(found)
}

export async function createRange(
  { db, audit }: NumbersDeps,
  input: RangeInput,
  by: Caller,
): Promise<NumberRange> {
  const fields = fieldsOf(input)
  checkEnds(fields)
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const after = toRange(
      await refuseWhereBroken('ranges_range_number_key', rangeTaken(fields.rangeNumber), () =>
        insertRange(tx, change, fields),
      ),
    )
    await audit.record(tx, { ...by, action: 'range.create', objectType: 'range', objectId: after.id, after })
    return after
  })
}

export async function editRange(
  { db, audit }: NumbersDeps,
  idText: string,
  edit: RangeEdit,
  by: Caller,
): Promise<NumberRange> {
  const id = rowId(idText, unknownRange)
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockRange(tx, id)
    if (row === undefined) throw unknownRange()
    checkVersion(edit.version, row.version)
    const before = toRange(row)
    const changes = Object.fromEntries(
      Object.entries(edit).filter(([, value]) => value !== undefined),
    ) as RangeEdit
    const fields = fieldsOf({ ...before, ...changes } as RangeInput)
    checkEnds(fields)
    const after = toRange(
      await refuseWhereBroken('ranges_range_number_key', rangeTaken(fields.rangeNumber), () =>
        updateRange(tx, change, id, fields),
      ),
    )
    await audit.record(tx, {
      ...by,
      action: 'range.edit',
      objectType: 'range',
      objectId: after.id,
      before,
      after,
    })
    return after
  })
}

interface StatusChange {
  readonly id: string
  readonly version?: number | undefined
  readonly status: AccountStatus
}

/** Changes each range by itself. A range that somebody else changed or deleted meanwhile is left unchanged and reported. */
export async function setStatuses(deps: NumbersDeps, rows: readonly StatusChange[], by: Caller) {
  const requested = new Map(rows.map((row) => [rowId(row.id, unknownRange), row]))
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const found = new Map((await lockRanges(tx, [...requested.keys()])).map((row) => [row.id, row]))
    const refused: RefusedRow[] = []
    const statuses = new Map<RangeRow, AccountStatus>()
    for (const [id, { version, status }] of requested) {
      const row = found.get(id)
      const refusal = row === undefined ? unknownRange() : staleRefusal(version, row.version)
      if (refusal === undefined && row !== undefined) statuses.set(row, status)
      else if (refusal !== undefined) refused.push({ id: String(id), message: refusal.message })
    }
    const { done, changed } = await setAndRecord(deps, tx, { change, statuses }, { by })
    return { done, refused, changeId: await keepChange(tx, rangeStatusKind(deps), changed, by) }
  })
}

/** Sets the status of all ranges that a filter of the list matches. */
export function matchingRangeStatus(
  deps: NumbersDeps,
  { filter, count, status }: BulkSet & { readonly status: AccountStatus },
): MatchingAct<CatalogChange> {
  return {
    kind: rangeStatusKind(deps),
    count,
    matching: sql`select id, case when status = ${status} then 'same' end as left_out
      from ranges where deleted_at is null and ${filter}`,
    async change(tx, change, ids, step) {
      const found = (await lockRanges(tx, ids)).filter((range) => range.status !== status)
      const statuses = new Map(found.map((range) => [range, status]))
      return (await setAndRecord(deps, tx, { change, statuses }, step)).changed
    },
  }
}

export function rangeStatusKind(deps: NumbersDeps): BulkKind<CatalogChange> {
  return {
    name: 'range.status',
    begin: changeCatalog,
    async restore(tx, change, asked, step) {
      const found = await lockRanges(
        tx,
        asked.map(({ id }) => id),
      )
      const open = untouched(asked, new Map(found.map(({ id, version }) => [id, String(version)])))
      const before = new Map(open.map((each) => [each.id, each.before as AccountStatus]))
      const statuses = new Map(
        found.flatMap((range) => {
          const status = before.get(range.id)
          return status === undefined ? [] : [[range, status] as const]
        }),
      )
      await setAndRecord(deps, tx, { change, statuses }, step)
      return open.map(({ id }) => id)
    },
  }
}

interface RangeStatuses {
  readonly change: CatalogChange
  /** Of locked ranges. */
  readonly statuses: ReadonlyMap<RangeRow, AccountStatus>
}

async function setAndRecord(
  { audit }: NumbersDeps,
  tx: Db,
  { change, statuses }: RangeStatuses,
  { changeId, by }: { readonly changeId?: string; readonly by: Caller },
): Promise<{ done: NumberRange[]; changed: ChangedRow[] }> {
  if (statuses.size === 0) return { done: [], changed: [] }
  const found = new Map([...statuses.keys()].map((range) => [range.id, range]))
  const byId = new Map([...statuses].map(([{ id }, status]) => [id, status]))
  const rows = await setRangeStatuses(tx, change, byId)
  const done = rows.map(toRange)
  await audit.record(tx, {
    ...by,
    action: 'range.set_status',
    objectType: 'range',
    // One click makes one entry, which contains all the ranges.
    objectId: done.length === 1 ? (done[0]?.id ?? '') : `${done.length} ranges`,
    before: Object.fromEntries(
      done.map(({ id, rangeNumber }) => [rangeNumber, found.get(Number(id))?.status]),
    ),
    after: {
      ...Object.fromEntries(done.map(({ rangeNumber, status }) => [rangeNumber, status])),
      ...(changeId !== undefined && { change: changeId }),
    },
  })
  const changed = rows.map(({ id, version }) => ({
    id,
    before: found.get(id)?.status ?? '',
    mark: String(version),
  }))
  return { done, changed }
}

/** Deletes the range; records keep its name. */
export async function deleteRange({ db, audit }: NumbersDeps, idText: string, by: Caller): Promise<void> {
  const id = rowId(idText, unknownRange)
  await transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockRange(tx, id)
    if (row === undefined) throw unknownRange()
    await markRangeDeleted(tx, change, id)
    await audit.record(tx, {
      ...by,
      action: 'range.delete',
      objectType: 'range',
      objectId: String(id),
      before: toRange(row),
    })
  })
}
