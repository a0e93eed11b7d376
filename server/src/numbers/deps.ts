// What the slice is built from.
import type { RawBuilder } from 'kysely'
import type { AssignedItem } from '@tollgate/contract/numbers/inventory.ts'
import type { NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import type { RequestStatus, StockOffer } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Actor, Caller } from '../http/handlers.ts'
import type { IdleWindows } from '../platform/load/idle-windows.ts'
import type { TableReader } from '../files/tables/table-reader.ts'
import type { ClientTermsSlice } from '../terms/index.ts'

/** A number's own price from `validFrom` on; null ends the own price. */
interface PriceChange {
  readonly numberId: number
  readonly rateMicro: bigint | null
  readonly validFrom: Date
  readonly setBy: number
}

/** A number's own price that starts at `startsAt` (ISO 8601); null ends the own price then. */
interface PriceToSchedule {
  readonly numberId: number
  readonly rateMicro: bigint | null
  readonly startsAt: string
  readonly now: Date
  readonly setBy: number
}

/** The price history and the prices that wait, which belong to the rates slice. Who calls has closed the traffic gate. */
export interface OwnPrices {
  /** Throws Refusal wrong_state when a price that waited starts within seconds. */
  append(tx: Db, change: PriceChange): Promise<void>
  /** Replaces one that waits for the number. Throws as `append`, and Refusal invalid with `fields.startsAt`. */
  schedule(tx: Db, price: PriceToSchedule): Promise<void>
  /** Removes the price that waits for a number; false when none did. */
  drop(tx: Db, numberId: number): Promise<boolean>
}

/** A number request was decided; for the user who made it. */
export interface RequestEvent {
  readonly requestId: string
  readonly userId: number
  readonly status: RequestStatus
  readonly assignedNumber: string
}

/** A holding that is to begin at `from`, where it would begin at `to`. */
export interface BackdatedHolding {
  readonly numberId: number
  readonly digits: string
  readonly userId: number
  readonly from: Date
  readonly to: Date
}

/** What a number received while nobody held it, as a credit that waits for a second person. */
export type WaitingCredit = NonNullable<AssignedItem['waitingCredit']>

/**
 * Reads what a number received from a time on while nobody held it. The returned function, called under the closed traffic
 * gate, asks for the credit of what falls into the holding; undefined when there is nothing to credit.
 */
export type CreditUnowned = (
  of: Pick<BackdatedHolding, 'numberId' | 'from'>,
) => Promise<(tx: Db, holding: BackdatedHolding, by: Caller) => Promise<WaitingCredit | undefined>>

/** Throws Refusal forbidden when an account is the person's own, or is paid to an address of the person. */
export type RefuseOwnAccount = (
  tx: Db,
  accounts: readonly { readonly userId: number }[],
  person: Pick<Actor, 'userId'>,
) => Promise<void>

/** What one range brought on some days. */
export interface EarnedFigures {
  readonly count: number
  readonly amountUsd: string
  /** Null when it is not known, and for whoever may not see margins. */
  readonly margin: string | null
}

/** The figures of the ranges that a condition matches, by id; a range without messages is not in the map. */
type ReadRangeEarnings = (
  db: Db,
  request: {
    readonly matching: RawBuilder<unknown>
    /** UTC, both included. */
    readonly dateFrom: string
    readonly dateTo: string
    readonly actor: Pick<Actor, 'userId' | 'role'>
  },
) => Promise<ReadonlyMap<string, EarnedFigures>>

export interface NumbersDeps {
  readonly db: Db
  /** The connections that heavy calls use; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly audit: Pick<Audit, 'record'>
  /** Reads import files. */
  readonly tables: TableReader
  readonly prices: OwnPrices
  /** What clients may hold; without it, as many numbers as there are. */
  readonly terms?: Pick<ClientTermsSlice, 'checkNumbers'>
  /** Nobody sets the price of a number that he holds. */
  readonly refuseOwnAccount: RefuseOwnAccount
  /** Tells the requester's programs of the request as it is now, in the transaction that made or decided it. */
  readonly announce?: (
    tx: Db,
    type: 'request.created' | 'request.updated',
    request: NumberRequest,
  ) => Promise<void>
  /** What clients may do with numbers in stock, and how many one may take in a day; by default nothing. */
  readonly stockOffer?: (db: Db) => Promise<StockOffer>
  readonly stockTakesPerDay?: (db: Db) => Promise<number>
  /** Without it, nothing is credited for the past. */
  readonly creditUnowned?: CreditUnowned
  /** Without it, exports of ranges say nothing of money. */
  readonly rangeEarnings?: ReadRangeEarnings
  /** Called after the commit. Must not throw. */
  readonly publish: (event: RequestEvent) => void
  /** When background work may run beside message traffic; by default at any time. */
  readonly idleWindows?: IdleWindows
}

/** The caller without the rest of the call's context, for spreading it into an audit entry. */
export function callerOf({ actor, ip }: Caller): Caller {
  return { actor, ip }
}

/** The object of an audit entry about one number. */
export const numberObject = (id: number) => ({ objectType: 'number', objectId: String(id) })
