// What the parts of this slice are given from outside it.
import type { RequestStatus } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Actor } from '../platform/http/handlers.ts'
import type { IdleWindows } from '../platform/load/idle-windows.ts'
import type { TableReader } from '../platform/tables/table-reader.ts'

/** A number's own price from an instant on; null ends it. */
export interface PriceChange {
  readonly numberId: number
  readonly rateMicro: bigint | null
  readonly validFrom: Date
  readonly setBy: number
}

/** What became of a number request, for the one who made it. */
export interface RequestNews {
  readonly requestId: string
  readonly userId: number
  readonly status: RequestStatus
  readonly assignedNumber: string
}

export interface NumbersDeps {
  readonly db: Db
  /** What heavy calls work on; `db` unless given. */
  readonly heavyDb?: Db | undefined
  readonly audit: Pick<Audit, 'record'>
  /** Takes import files apart. */
  readonly tables: TableReader
  /** Adds to the price history, which the rates slice owns. */
  readonly appendPrice: (tx: Db, change: PriceChange) => Promise<void>
  /** Called after the commit. Must not throw. */
  readonly publish: (news: RequestNews) => void
  /** When to do what can wait for the messages; there are none unless given. */
  readonly idleWindows?: IdleWindows
  /** Hears when following the numbers failed; it is tried again. */
  readonly onFault?: (error: unknown) => void
}

/** Who does something, and from where. */
export interface By {
  readonly actor: Actor
  readonly ip: string
}

/** Takes the caller out of what surrounds a call, so that spreading it into an audit entry adds nothing else. */
export function byOf({ actor, ip }: By): By {
  return { actor, ip }
}
