// Ranges of numbers. A range gives its numbers a name on records, and a tariff.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { RefusedRow } from '@tollgate/contract/fields.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { NumberRange, rangeEditSchema, rangeInputSchema } from '@tollgate/contract/numbers/ranges.ts'
import { labelled, sentence, messageFieldsOf, spoken, withStop } from '@tollgate/contract/sentences.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { z } from 'zod'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeChosen } from '../../http/lists/bulk-changes.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { Caller } from '../../http/handlers.ts'
import type { NumbersDeps } from '../deps.ts'
import { checkVersion, refuseWhereBroken, rowId, staleRefusal } from '../../platform/refusals.ts'
import { unknownRange } from '../refusals.ts'
import { startAhead } from '../start-ahead.ts'
import { setAndRecord, statusKind, type StatusTable } from '../statuses.ts'
import {
  insertRange,
  lockRange,
  lockRanges,
  markRangeDeleted,
  readRange,
  setNextTariff,
  setRangeStatuses,
  startTariffs,
  toScheduledTariff,
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
    scheduled: toScheduledTariff(row),
    status: row.status,
    createdAt: row.created_at.toISOString(),
    version: row.version,
  }
}

const rangeTaken = (rangeNumber: string) => (): Refusal =>
  new Refusal(
    'taken',
    sentence('There is already a range {rangeNumber}. Choose another name.', { rangeNumber }),
    {
      fields: { rangeNumber: 'Already in use' },
    },
  )

/** Throws Refusal invalid when start and end do not make a range. */
function checkEnds({ startNumber, endNumber }: RangeFields): void {
  const fault =
    startNumber.length !== endNumber.length
      ? 'Start and end need the same number of digits'
      : startNumber > endNumber
        ? 'The end must not be before the start'
        : undefined
  if (fault !== undefined) throw new Refusal('invalid', withStop(fault), { fields: { endNumber: fault } })
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

/**
 * With a start, the edit's rate waits for it and the present one stays. Returns what holds from now on. Throws Refusal
 * invalid with `fields.rate` or `fields.startsAt`.
 */
async function scheduleTariff(
  tx: Db,
  id: number,
  { startsAt, rate, ...others }: RangeEdit,
  { change, by }: { readonly change: CatalogChange; readonly by: Caller },
): Promise<RangeEdit> {
  if (startsAt === undefined) return { ...others, rate }
  const tariffMicro = rate === undefined ? undefined : parseMicro(rate)
  if (tariffMicro === undefined) {
    const fault = spoken('Enter the rate that starts then')
    throw new Refusal('invalid', labelled('rate', fault), { fields: { rate: fault } })
  }
  const from = startAhead(startsAt, change.now)
  await setNextTariff(tx, id, { tariffMicro, from, setBy: by.actor.userId })
  return others
}

/**
 * Changes a range from now on; with `startsAt` its rate then. Throws Refusal not_found, stale, taken, and invalid with
 * `fields`.
 */
export async function editRange(
  { db, audit }: NumbersDeps,
  idText: string,
  edit: RangeEdit,
  by: Caller,
): Promise<NumberRange> {
  const id = rowId(idText, unknownRange)
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    await startTariffs(tx, change)
    const row = await lockRange(tx, id)
    if (row === undefined) throw unknownRange()
    checkVersion(edit.version, row.version)
    const before = toRange(row)
    const present = await scheduleTariff(tx, id, edit, { change, by })
    const changes = Object.fromEntries(
      Object.entries(present).filter(([, value]) => value !== undefined),
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

export const rangeStatuses: StatusTable<RangeRow> = {
  noun: 'range',
  plural: 'ranges',
  table: sql`ranges`,
  nameOf: ({ range_number: name }) => name,
  lock: lockRanges,
  set: setRangeStatuses,
}

/** Changes each range by itself. A range that somebody else changed or deleted meanwhile is left unchanged and reported. */
export async function setStatusOfChosenRanges(deps: NumbersDeps, rows: readonly StatusChange[], by: Caller) {
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
      else if (refusal !== undefined)
        refused.push({ id: String(id), ...messageFieldsOf(refusal.words ?? refusal.message) })
    }
    let done: NumberRange[] = []
    const { changeId } = await changeChosen(tx, statusKind(rangeStatuses, deps), by, async (step) => {
      const set = await setAndRecord(rangeStatuses, deps, tx, { change, statuses }, step)
      done = set.rows.map(toRange)
      return set.changed
    })
    return { done, refused, changeId }
  })
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
