// The data of a drill: clients, numbers that settle by bill and by payout, prices that change during the traffic, and a
// supplier. Billing cycles are short, so that they close during the traffic too.
import { sql } from 'kysely'
import { makeSupplier, signInAsAdmin, type Call } from '../test/http/operator.ts'
import { seedTraffic } from '../test/traffic/seed-traffic.ts'
import type { Database } from '../src/platform/db.ts'
import { until } from './conditions.ts'
import type { Random } from './random.ts'

export const cycleSeconds = 15

// Each tenth number has a price of its own and settles in payouts.
const ownPriceEvery = 10

/** Fills an empty, migrated database; returns the numbers. */
export async function fillBusiness({ db }: Database): Promise<string[]> {
  const digits = await seedTraffic(db)
  await sql`update numbers set price_micro = 70000 where id % ${ownPriceEvery} = 0`.execute(db)
  await sql`insert into rates (scope, number_id, rate_micro, valid_from)
    select 'number', id, price_micro, '2020-01-01' from numbers where price_micro is not null`.execute(db)
  await sql`insert into rates (scope, user_id, rate_micro, valid_from)
    select 'user', id, 30000, '2020-01-01' from users where id % 3 = 0`.execute(db)
  return digits
}

export interface Supplier {
  readonly systemId: string
  readonly password: string
}

/** Makes a supplier through the API. */
export async function addSupplier(url: string): Promise<Supplier> {
  return makeSupplier(await signInAsAdmin(url))
}

/**
 * Changes the global rate and one client's rate to new values: old records must keep the old ones. Repeats the call while
 * the gateway is not ready.
 */
export async function changePrices(url: string, random: Random): Promise<void> {
  await until('prices can be changed', async () => {
    try {
      await changeOnce(await signInAsAdmin(url), random)
      return true
    } catch (error) {
      if (/: 503 |fetch failed/.test(String(error))) return false
      throw error
    }
  })
}

async function changeOnce(call: Call, random: Random): Promise<void> {
  const rate = () => `0.0${random.between(1_000, 9_999)}`
  await call('PUT', '/api/admin/settings/global_sms_rate', { settingValue: rate() })
  await call('PUT', `/api/admin/users/${3 * random.between(1, 60)}/sms-rate`, { customSmsRate: rate() })
}
