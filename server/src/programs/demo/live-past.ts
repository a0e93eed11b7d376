// Lives through the weeks before the demo's first start: messages go through ingest with their times, billing closes the
// cycles, and staff work through the API. Only the clock is told what time it is.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import type { ComposeOptions } from '../../compose.ts'
import { findOpenCycle, type Cycle } from '../../ledger/index.ts'
import { giveTestNumbers, makeBusiness, type Business } from './make-business.ts'
import { ensureRecordWeek, recountHours } from '../../ingest/index.ts'
import { perHourMax } from './messages.ts'
import { inPast, type Past, type PastParts } from './open-past.ts'
import { pastWeeks, type Closed } from './past-weeks.ts'
import { strangeNumbers } from './plan.ts'
import { seededRandom } from './seeded-random.ts'
import { writeHistory } from './write-history.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
// Long enough for the dashboard's comparison with the same day a week ago.
const historyDays = 8
// Alert compares hours with those of the week before.
const recountedDays = 14

/** Makes the business and its past, up to now. The clock shows the present afterwards. Stops early on `stopping`. */
export async function livePast(
  parts: Omit<ComposeOptions, 'clock'>,
  pastParts: PastParts,
  stopping: AbortSignal,
): Promise<void> {
  const { clock } = pastParts
  const { db } = parts.storage.database
  // Shorter cycles are for watching one close: weeks of them would be thousands.
  const weeks = parts.config.billingCycleSeconds * 1_000 === weekMs ? pastWeeks : []
  // Batches are stored now, whatever the clock of their messages says.
  await ensureRecordWeek(db, new Date())
  clock.begin(new Date(Date.now() - weeks.length * weekMs))
  try {
    await inPast(parts, pastParts, async (past) => {
      const open = await findOpenCycle(db)
      const fromMs =
        weeks.length === 0 || open === undefined ? Date.now() - historyDays * dayMs : open.startsAt.getTime()
      const business = await makeBusiness(past, new Date(fromMs - dayMs))
      const write = historyWriter({ past, parts, business, stopping })
      for (const week of weeks) {
        const cycle = await findOpenCycle(db)
        if (cycle === undefined || stopping.aborted) return
        await write(cycle.startsAt.getTime(), cycle.endsAt.getTime(), week.perHourMax)
        clock.goTo(new Date(cycle.endsAt.getTime() + 1_000))
        await past.billing.closeDueCycles()
        // Beside the work, as in a gateway.
        const signing = past.billing.signStatements()
        for (const { atHour, run } of week.acts) {
          clock.goTo(new Date(cycle.endsAt.getTime() + atHour * hourMs))
          await work(past, cycle, run)
        }
        await signing
      }
      const last = await findOpenCycle(db)
      const thisWeekMs = weeks.length === 0 || last === undefined ? fromMs : last.startsAt.getTime()
      await giveTestNumbers(past, business, new Date(thisWeekMs))
      await write(thisWeekMs, Date.now(), perHourMax)
    })
    // All of it was stored within this hour.
    await recountHours(db, new Date(Date.now() - recountedDays * dayMs))
  } finally {
    clock.end()
  }
}

function historyWriter({
  past,
  parts,
  business: { userIds, numbers },
  stopping,
}: {
  readonly past: Past
  readonly parts: Omit<ComposeOptions, 'clock'>
  readonly business: Business
  readonly stopping: AbortSignal
}) {
  const history = {
    db: parts.storage.database.db,
    ingest: past.ingest,
    clock: past.clock,
    suppliers: ['supplier1', 'supplier2'].map((systemId) => ({
      systemId,
      userId: userIds.get(systemId) ?? 0,
    })),
    numbers: numbers.filter(({ status }) => status === 'active'),
    strangeNumbers,
    random: seededRandom(2026),
  }
  return (fromMs: number, toMs: number, perHourMax: number) =>
    writeHistory({ ...history, fromMs, toMs, perHourMax }, stopping)
}

async function work(
  past: Past,
  { id: cycleId }: Cycle,
  run: (typeof pastWeeks)[number]['acts'][number]['run'],
): Promise<void> {
  const { chain, billing } = past
  if (chain === undefined) return
  const [support, admin] = await Promise.all([past.as('support'), past.as('admin')])
  const staff = { ...past, chain, support, admin }
  await run(staff, await closedOf(support, cycleId))
  await billing.proveWallet()
}

async function closedOf(support: Awaited<ReturnType<Past['as']>>, cycleId: number): Promise<Closed> {
  const isOf = (id: string) => id.startsWith(`${cycleId}-`)
  const bills = (await support.call<BillingPeriod[]>('GET', '/api/billing/all-periods?limit=500')).filter(
    ({ id }) => isOf(id),
  )
  const starts = bills[0]?.periodStart
  const payouts = await support.call<Payout[]>('GET', '/api/payouts?limit=500')
  return {
    bill(username) {
      const found = bills.find(({ userName }) => userName === username)
      if (found === undefined) throw new Error(`${username} has no bill of cycle ${cycleId}`)
      return found
    },
    payouts: payouts.filter(({ periodStart, usdtAddress }) => periodStart === starts && usdtAddress !== ''),
  }
}
