// What a number earns its holder, over time: its own price, else the holder's rate, else the global one (rates/README.md).
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { NumberPrice } from '@tollgate/contract/numbers/numbers.ts'
import { rows, type Db } from '../../platform/db.ts'

type Scope = NumberPrice['from']

interface PriceChange {
  /** Null for what holds for every number of the holder. */
  readonly number_id: number | null
  readonly from: Scope
  readonly rate_micro: string | null
  readonly valid_from: Date
}

/** Far more than anybody sets; the newest count. */
const changesMax = 500

const scopes = ['number', 'client', 'global'] as const

interface Held {
  readonly id: number
  readonly heldFrom: Date
}

/**
 * The prices of a number since `heldFrom`, the newest first; those that begin later, announced ones too, come before the one in
 * force. Without a number: of all of the holder's that have no price of their own. Times are
 * ISO 8601, prices USD per SMS.
 */
export async function pricesOf(
  db: Db,
  { id, holderId, heldFrom }: { id: number | null; holderId: number; heldFrom: Date },
): Promise<NumberPrice[]> {
  return toPrices(await readChanges(db, id === null ? [] : [id], holderId), heldFrom)
}

/** The same of several numbers of one holder, by their ids. */
export async function pricesByNumber(
  db: Db,
  { holderId, numbers }: { holderId: number; numbers: readonly Held[] },
): Promise<ReadonlyMap<number, NumberPrice[]>> {
  const changes = await readChanges(
    db,
    numbers.map(({ id }) => id),
    holderId,
  )
  const byNumber = new Map<number | null, PriceChange[]>()
  for (const change of changes) {
    const seen = byNumber.get(change.number_id)
    if (seen === undefined) byNumber.set(change.number_id, [change])
    else seen.push(change)
  }
  const ofAll = byNumber.get(null) ?? []
  return new Map(
    numbers.map(({ id, heldFrom }) => [id, toPrices([...(byNumber.get(id) ?? []), ...ofAll], heldFrom)]),
  )
}

/** What changed the prices of these numbers, announced changes included, the newest first. */
function readChanges(db: Db, ids: readonly number[], holderId: number): Promise<PriceChange[]> {
  return rows<PriceChange>(
    db,
    sql`select r.number_id, 'number' as "from", r.rate_micro, r.valid_from, r.id
          from unnest(${[...ids]}::int[]) as n (id) cross join lateral (
            select number_id, rate_micro, valid_from, id from rates where scope = 'number' and number_id = n.id
            order by valid_from desc, id desc limit ${changesMax}) r
        union all (select null, 'client', rate_micro, valid_from, id from rates where scope = 'user' and user_id = ${holderId}
          order by valid_from desc, id desc limit ${changesMax})
        union all (select null, 'global', rate_micro, valid_from, id from rates where scope = 'global'
          order by valid_from desc, id desc limit ${changesMax})
        union all select number_id,
          case when number_id is not null then 'number' when user_id is not null then 'client' else 'global' end,
          rate_micro, starts_at, 2147483647 from scheduled_rates
          where user_id = ${holderId} or number_id = any(${[...ids]}::int[]) or (user_id is null and number_id is null)
        order by valid_from desc, id desc`,
  )
}

/** `changes` are of one number, those of each scope the newest first. */
function toPrices(changes: readonly PriceChange[], heldFrom: Date): NumberPrice[] {
  const prices: NumberPrice[] = []
  for (const at of momentsOf(changes, heldFrom)) {
    const price = priceAt(changes, at)
    const last = prices.at(-1)
    if (price === undefined) continue
    if (last?.usdPerSms === price.usdPerSms && last.from === price.from) continue
    if (last !== undefined) last.validTo = at.toISOString()
    prices.push({ ...price, validFrom: at.toISOString(), validTo: null })
  }
  return prices.toReversed()
}

/** When a price may have begun: when the holder got the number, and at each change after that. */
function momentsOf(changes: readonly PriceChange[], heldFrom: Date): Date[] {
  const times = changes.map(({ valid_from: validFrom }) => validFrom.getTime())
  const later = times.filter((time) => time > heldFrom.getTime())
  return [...new Set([heldFrom.getTime(), ...later])].toSorted((a, b) => a - b).map((time) => new Date(time))
}

function priceAt(changes: readonly PriceChange[], at: Date): { usdPerSms: string; from: Scope } | undefined {
  for (const from of scopes) {
    // The changes of a scope are sorted, the newest first. A change to null ends an own price.
    const change = changes.find((each) => each.from === from && each.valid_from <= at)
    if (change?.rate_micro != null) return { usdPerSms: formatMicro(BigInt(change.rate_micro)), from }
  }
  return undefined
}
