// What a number earns its holder, over time: its own price, else the holder's rate, else the global one (rates/README.md).
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { NumberPrice } from '@tollgate/contract/numbers/numbers.ts'
import { rows, type Db } from '../../platform/db.ts'

type Scope = NumberPrice['from']

interface PriceChange {
  readonly from: Scope
  readonly rate_micro: string | null
  readonly valid_from: Date
}

/** Far more than anybody sets; the newest count. */
const changesMax = 500

const scopes = ['number', 'client', 'global'] as const

/**
 * The prices of a number since `heldFrom`, the newest first; those that begin later, announced ones too, come before the one in
 * force. Without a number: of all of the holder's that have no price of their own. Times are
 * ISO 8601, prices USD per SMS.
 */
export async function pricesOf(
  db: Db,
  { id, holderId, heldFrom }: { id: number | null; holderId: number; heldFrom: Date },
): Promise<NumberPrice[]> {
  const changes = await rows<PriceChange>(
    db,
    sql`(select 'number' as "from", rate_micro, valid_from, id from rates where scope = 'number' and number_id = ${id}
          order by valid_from desc, id desc limit ${changesMax})
        union all (select 'client', rate_micro, valid_from, id from rates where scope = 'user' and user_id = ${holderId}
          order by valid_from desc, id desc limit ${changesMax})
        union all (select 'global', rate_micro, valid_from, id from rates where scope = 'global'
          order by valid_from desc, id desc limit ${changesMax})
        union all select case when user_id is null then 'global' else 'client' end, rate_micro, starts_at,
          2147483647 from scheduled_rates where user_id is null or user_id = ${holderId}
        order by valid_from desc, id desc`,
  )
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
