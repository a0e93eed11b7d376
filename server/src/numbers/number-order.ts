// The orders in which lists of numbers stand, and the indexes behind them.
import { sql, type RawBuilder } from 'kysely'
import { readCursor } from '../platform/lists/cursor.ts'
import { allOf, keyset, type Keyset, type Sort } from '../platform/lists/sorted-page.ts'

/** The least value of an order, whose numbers its index leaves out. */
interface Least {
  /** As a cursor has it. */
  readonly value: string
  readonly holds: RawBuilder<unknown>
  /** As the index says it. */
  readonly holdsNot: RawBuilder<unknown>
  /** Whether only numbers that nobody holds have it. */
  readonly isOfUnheld?: boolean
}

interface NumberSort extends Sort {
  readonly least?: Least
}

// What a number without them has. An import brings a hundred thousand such numbers, and each index that has them too
// costs it a twelfth of its log (decision 8).
const noHolder = {
  value: '',
  holds: sql`n.holder_name = ''`,
  holdsNot: sql`n.holder_name <> ''`,
  isOfUnheld: true,
}
// On the columns themselves: PostgreSQL knows how many are null, but nothing of an expression.
const noAccount = {
  value: '',
  holds: sql`(n.account_number is null or n.account_number = '')`,
  holdsNot: sql`n.account_number <> ''`,
  isOfUnheld: true,
}
const noPrice = {
  value: '0',
  holds: sql`(n.price_micro is null or n.price_micro = 0)`,
  holdsNot: sql`n.price_micro <> 0`,
}
const premium = { value: 'premium', holds: sql`n.type = 'premium'`, holdsNot: sql`n.type <> 'premium'` }

// Each has an index that ends with the id, so that a first page is read from it and nothing is sorted.
export const numberSorts = {
  createdAt: { expression: sql`n.created_at`, kind: 'time' },
  number: { expression: sql`n.number`, kind: 'text' },
  phoneNumber: { expression: sql`n.number`, kind: 'text' },
  country: { expression: sql`n.country`, kind: 'text' },
  operator: { expression: sql`n.operator`, kind: 'text' },
  type: { expression: sql`n.type`, kind: 'text', least: premium },
  rate: { expression: sql`n.sort_tariff_micro`, kind: 'id' },
  pricePerSms: { expression: sql`coalesce(n.price_micro, 0)`, kind: 'id', least: noPrice },
  status: { expression: sql`n.status`, kind: 'text' },
  inventoryStatus: { expression: sql`n.stock_status`, kind: 'text' },
  accountNumber: { expression: sql`coalesce(n.account_number, '')`, kind: 'text', least: noAccount },
  clientName: { expression: sql`n.holder_name`, kind: 'text', least: noHolder },
  assignedTo: { expression: sql`n.holder_name`, kind: 'text', least: noHolder },
} as const satisfies Record<string, NumberSort>

/** A stretch of a list that one index gives in its order. */
export interface Stretch {
  readonly listed: RawBuilder<unknown>
  readonly orderBy: RawBuilder<unknown>
}

export interface NumberOrder extends Pick<Keyset, 'key' | 'orderBy'> {
  /** What follows the cursor: all of the first stretch stands before the second. */
  readonly stretches: readonly [Stretch, Stretch?]
}

export interface OrderedPage {
  readonly sort: keyof typeof numberSorts
  readonly order: 'asc' | 'desc'
  readonly cursor?: string | undefined
  /** Whether somebody holds each number of the list, so that none lacks a holder's name or an account. */
  readonly isHeld?: boolean
}

/** The order of a page. Throws Refusal invalid for a cursor that is not of this sort. */
export function numberOrder({ sort, order, cursor, isHeld = false }: OrderedPage): NumberOrder {
  const given: NumberSort = numberSorts[sort]
  const { kind, least } = given
  const { key, after, orderBy } = keyset(given, sql`n.id`, order, cursor)
  if (least === undefined) return { key, orderBy, stretches: [{ listed: after, orderBy }] }
  const last = readCursor(cursor, [kind, 'id'])
  const [beyond, direction] = [sql.raw(order === 'asc' ? '>' : '<'), sql.raw(order)]
  const isInLeast = last?.[0] === least.value
  const ofLeast = {
    listed: allOf([least.holds, last !== undefined && isInLeast && sql`n.id ${beyond} ${last[1]}::bigint`]),
    orderBy: sql`n.id ${direction}`,
  }
  const ofOthers = {
    listed: allOf([least.holdsNot, last !== undefined && !isInLeast && after]),
    orderBy,
  }
  if (isHeld && least.isOfUnheld) return { key, orderBy, stretches: [ofOthers] }
  if (order === 'asc')
    return { key, orderBy, stretches: last === undefined || isInLeast ? [ofLeast, ofOthers] : [ofOthers] }
  return { key, orderBy, stretches: isInLeast ? [ofLeast] : [ofOthers, ofLeast] }
}
