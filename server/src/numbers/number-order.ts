// How lists of numbers are sorted, and from which indexes.
import { sql, type RawBuilder } from 'kysely'
import { readCursor } from '../http/lists/cursor.ts'
import { allOf, keyset, type Keyset, type Sort } from '../http/lists/sorted-page.ts'

/** The default value of a sort column. It is the smallest value, and the column's index leaves out numbers that have it. */
interface DefaultValue {
  /** As it is in a cursor. */
  readonly value: string
  readonly isDefault: RawBuilder<unknown>
  /** The predicate of the partial index. */
  readonly isOther: RawBuilder<unknown>
  /** Whether only numbers without a holder can have the default. */
  readonly meansNoHolder?: boolean
}

interface NumberSort extends Sort {
  readonly defaultValue?: DefaultValue
}

// The partial indexes exist for imports: an import adds a hundred thousand numbers with default values, and each index
// that contained them too would add a twelfth to its write-ahead log (decision 8).
const noHolder = {
  value: '',
  isDefault: sql`n.holder_name = ''`,
  isOther: sql`n.holder_name <> ''`,
  meansNoHolder: true,
}
// Conditions on the column itself: PostgreSQL has statistics of its nulls, but none of an expression.
const noAccount = {
  value: '',
  isDefault: sql`(n.account_number is null or n.account_number = '')`,
  isOther: sql`n.account_number <> ''`,
  meansNoHolder: true,
}
const noPrice = {
  value: '0',
  isDefault: sql`(n.price_micro is null or n.price_micro = 0)`,
  isOther: sql`n.price_micro <> 0`,
}
const premium = { value: 'premium', isDefault: sql`n.type = 'premium'`, isOther: sql`n.type <> 'premium'` }

// Each sort has an index that ends with the id, so that a page is read from the index and nothing is sorted.
export const numberSorts = {
  createdAt: { expression: sql`n.created_at`, kind: 'time' },
  number: { expression: sql`n.number`, kind: 'text' },
  phoneNumber: { expression: sql`n.number`, kind: 'text' },
  country: { expression: sql`n.country`, kind: 'text' },
  operator: { expression: sql`n.operator`, kind: 'text' },
  type: { expression: sql`n.type`, kind: 'text', defaultValue: premium },
  rate: { expression: sql`n.sort_tariff_micro`, kind: 'id' },
  pricePerSms: { expression: sql`coalesce(n.price_micro, 0)`, kind: 'id', defaultValue: noPrice },
  status: { expression: sql`n.status`, kind: 'text' },
  inventoryStatus: { expression: sql`n.stock_status`, kind: 'text' },
  accountNumber: { expression: sql`coalesce(n.account_number, '')`, kind: 'text', defaultValue: noAccount },
  clientName: { expression: sql`n.holder_name`, kind: 'text', defaultValue: noHolder },
  assignedTo: { expression: sql`n.holder_name`, kind: 'text', defaultValue: noHolder },
} as const satisfies Record<string, NumberSort>

/** A section of a list that can be read in order from one index. */
export interface ListSection {
  readonly condition: RawBuilder<unknown>
  readonly orderBy: RawBuilder<unknown>
}

interface NumberOrder extends Pick<Keyset, 'key' | 'orderBy'> {
  /** The rest of the list after the cursor; the whole first section comes before the second. */
  readonly sections: readonly [ListSection, ListSection?]
}

export interface OrderedPage {
  readonly sort: keyof typeof numberSorts
  readonly order: 'asc' | 'desc'
  readonly cursor?: string | undefined
  /** Whether every number of the list has a holder, so that each has a holder's name and an account. */
  readonly isHeld?: boolean
}

/** The order of a page. Throws Refusal invalid for a cursor of another sort. */
export function numberOrder({ sort: name, order, cursor, isHeld = false }: OrderedPage): NumberOrder {
  const sort: NumberSort = numberSorts[name]
  const { kind, defaultValue } = sort
  const { key, after, orderBy } = keyset(sort, sql`n.id`, order, cursor)
  if (defaultValue === undefined) return { key, orderBy, sections: [{ condition: after, orderBy }] }
  const last = readCursor(cursor, [kind, 'id'])
  const [isAfter, direction] = [sql.raw(order === 'asc' ? '>' : '<'), sql.raw(order)]
  const isAtDefault = last?.[0] === defaultValue.value
  const defaults = {
    condition: allOf([
      defaultValue.isDefault,
      last !== undefined && isAtDefault && sql`n.id ${isAfter} ${last[1]}::bigint`,
    ]),
    orderBy: sql`n.id ${direction}`,
  }
  const others = {
    condition: allOf([defaultValue.isOther, last !== undefined && !isAtDefault && after]),
    orderBy,
  }
  if (isHeld && defaultValue.meansNoHolder) return { key, orderBy, sections: [others] }
  if (order === 'asc')
    return { key, orderBy, sections: last === undefined || isAtDefault ? [defaults, others] : [others] }
  return { key, orderBy, sections: isAtDefault ? [defaults] : [others, defaults] }
}
