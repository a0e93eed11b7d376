// The status of many numbers at once.
import { sql } from 'kysely'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { Caller } from '../../http/handlers.ts'
import { changeChosenNumbers } from '../bulk-set.ts'
import type { NumbersDeps } from '../deps.ts'
import { othersTo, setAndRecord, statusKind, type StatusTable } from '../statuses.ts'
import { lockNumbers, setStatuses, type NumberRow } from '../store.ts'

export const numberStatuses: StatusTable<NumberRow> = {
  noun: 'number',
  plural: 'numbers',
  table: sql`numbers n`,
  nameOf: ({ number }) => number,
  lock: lockNumbers,
  set: setStatuses,
}

/** Sets the status of all chosen numbers or of none. */
export function setStatusOfChosen(
  deps: Pick<NumbersDeps, 'db' | 'audit'>,
  { ids, status }: { readonly ids: readonly string[]; readonly status: AccountStatus },
  by: Caller,
): Promise<{ changed: number; changeId: string | null }> {
  return changeChosenNumbers(
    deps.db,
    statusKind(numberStatuses, deps),
    ids,
    async (tx, change, numbers, step) => {
      const setting = { change, statuses: othersTo(status, numbers) }
      return (await setAndRecord(numberStatuses, deps, tx, setting, step)).changed
    },
    by,
  )
}
