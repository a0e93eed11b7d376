// What the slice is built from.
import type { NumberRequest } from '@tollgate/contract/number-requests.ts'
import type { RequestStatus } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../platform/http/handlers.ts'
import type { IdleWindows } from '../platform/load/idle-windows.ts'
import type { TableReader } from '../platform/tables/table-reader.ts'

/** A number's own price from `validFrom` on; null ends the own price. */
export interface PriceChange {
  readonly numberId: number
  readonly rateMicro: bigint | null
  readonly validFrom: Date
  readonly setBy: number
}

/** A number request was decided; for the user who made it. */
export interface RequestEvent {
  readonly requestId: string
  readonly userId: number
  readonly status: RequestStatus
  readonly assignedNumber: string
}

export interface NumbersDeps {
  readonly db: Db
  /** The connections that heavy calls use; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly audit: Pick<Audit, 'record'>
  /** Reads import files. */
  readonly tables: TableReader
  /** Adds to the price history, which belongs to the rates slice. */
  readonly appendPrice: (tx: Db, change: PriceChange) => Promise<void>
  /** Tells the requester's programs of the request as it is now, in the transaction that made or decided it. */
  readonly announce?: (
    tx: Db,
    type: 'request.created' | 'request.updated',
    request: NumberRequest,
  ) => Promise<void>
  /** Called after the commit. Must not throw. */
  readonly publish: (event: RequestEvent) => void
  /** When background work may run beside message traffic; by default at any time. */
  readonly idleWindows?: IdleWindows
  /** Called when reading the numbers into the search directory failed. It is tried again. */
  readonly onFault?: (error: unknown) => void
}

/** The caller without the rest of the call's context, for spreading it into an audit entry. */
export function callerOf({ actor, ip }: Caller): Caller {
  return { actor, ip }
}

/** The object of an audit entry about one number. */
export const numberObject = (id: number) => ({ objectType: 'number', objectId: String(id) })
