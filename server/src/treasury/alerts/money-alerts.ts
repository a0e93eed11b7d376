// What is wrong with money, or waits for a person, as alerts.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import { quote, sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import {
  alertTexts,
  unlistedOf,
  type FoundAlert,
  type FoundAlerts,
} from '@tollgate/contract/alerts/alerts.ts'
import { rows, type Db } from '../../platform/db.ts'
import { type BillingDeps, findWait, listParks } from '../../billing/index.ts'
import { differenceOf, findNewestProof, isEqual } from '../reader/proof-store.ts'
import { listReadings } from '../reader/reader-store.ts'

const clientsMax = 100
// A proof is made once a day. When the newest is older than this, a day of attempts has failed.
const proofAgeMaxMs = 2 * 86_400_000
const uncounted = { count: null, hours: [] }

/** Parked accounts, cycles that do not close, a wallet that differs or is not compared, late payments, and what waits for a second person. */
export async function moneyAlerts(deps: BillingDeps): Promise<FoundAlerts> {
  const { db } = deps
  const found = await Promise.all([
    parkedAccounts(db),
    all(waitingCycles(db)),
    leftOutAccounts(db),
    all(walletDifference(deps)),
    all(oldProof(deps)),
    latePayments(deps),
    all(waitingApprovals(db)),
  ])
  return {
    alerts: found.flatMap(({ alerts }) => alerts),
    unlisted: found.flatMap(({ unlisted }) => unlisted),
  }
}

const all = async (found: Promise<FoundAlert[]>): Promise<FoundAlerts> => ({
  alerts: await found,
  unlisted: [],
})

async function parkedAccounts(db: Db): Promise<FoundAlerts> {
  const { parks, total } = await listParks(db)
  const alerts = parks.map<FoundAlert>(({ user_id: userId, username, words, parked_at: at }) => ({
    ...uncounted,
    ...alertTexts({
      name: username,
      what: [sentence('Payments to this account are refused:'), ...words],
      advice: sentence(
        'Compare its bills and movements; it is released automatically once they agree. An adjustment corrects a difference.',
      ),
    }),
    key: `parked_account:${userId}`,
    kind: 'parked_account',
    severity: 'critical',
    since: at.toISOString(),
    last: at.toISOString(),
    about: { userId: String(userId), username },
  }))
  return {
    alerts,
    unlisted: unlistedOf('parked_account', 'critical', { total, listed: alerts.length }),
  }
}

async function waitingCycles(db: Db): Promise<FoundAlert[]> {
  const wait = await findWait(db)
  if (wait === undefined) return []
  const since = wait.since.toISOString()
  return [
    {
      ...alertTexts({
        name: sentence('Close of the billing period'),
        what: wait.words,
        advice: sentence(
          'Read why under Payment Management, and let an admin give the word once the clocks are right.',
        ),
      }),
      key: 'cycle:close',
      kind: 'cycle',
      severity: 'critical',
      since,
      last: since,
      count: wait.cycle_count,
      hours: [],
      about: {},
    },
  ]
}

async function leftOutAccounts(db: Db): Promise<FoundAlerts> {
  const found = await rows<{
    userId: number
    username: string
    reason: string
    at: Date
    count: number
    total: number
  }>(
    db,
    sql`select a.user_id as "userId", u.username, min(a.reason) as reason, min(a.noted_at) as at, count(*)::int as count,
          (count(*) over ())::int as total
        from unclosed_accounts a join users u on u.id = a.user_id group by 1, 2 order by at limit ${clientsMax}`,
  )
  const alerts = found.map<FoundAlert>(({ userId, username, reason, at, count }) => ({
    ...alertTexts({
      name: username,
      what: [sentence('Its bill could not be made at the close:'), quote(reason)],
      advice: sentence(
        'It is tried again each minute. If it stays, the log of the gateway says what is wrong.',
      ),
    }),
    key: `cycle:account:${userId}`,
    kind: 'cycle',
    severity: 'critical',
    since: at.toISOString(),
    last: at.toISOString(),
    count,
    hours: [],
    about: { userId: String(userId), username },
  }))
  return {
    alerts,
    unlisted: unlistedOf('cycle', 'critical', { total: found[0]?.total, listed: found.length }),
  }
}

async function walletDifference({ db, tron }: BillingDeps): Promise<FoundAlert[]> {
  if (tron === undefined) return []
  const proof = await findNewestProof(db, tron.usdtContract)
  if (proof === undefined || isEqual(proof)) return []
  return [
    {
      ...uncounted,
      ...alertTexts({
        name: sentence('Wallet and ledger'),
        what: [
          sentence(
            'What left our wallets differs from what the ledger says was paid by {difference} USDT, or is not booked in full.',
            { difference: { amount: formatMicro(differenceOf(proof), 2) } },
          ),
        ],
        advice: sentence('Match or explain the transfers that no payment asked for.'),
      }),
      key: 'wallet:proof',
      kind: 'wallet',
      severity: 'critical',
      since: proof.proved_at.toISOString(),
      last: proof.proved_at.toISOString(),
      about: {},
    },
  ]
}

/** While wallet and ledger are not compared, the newest proof says nothing of what has left the wallets since. */
async function oldProof({ db, clock, tron, treasuryAddresses }: BillingDeps): Promise<FoundAlert[]> {
  if (tron === undefined) return []
  const wallets = await treasuryAddresses.get(db)
  const readings = await listReadings(db, tron.usdtContract, wallets)
  const proof = await findNewestProof(db, tron.usdtContract)
  // Before the first proof, since the oldest wallet is read.
  const sinceMs =
    proof?.proved_at.getTime() ?? Math.min(...readings.map(({ reads_from: from }) => from.getTime()))
  if (readings.length === 0 || clock.now().getTime() - sinceMs <= proofAgeMaxMs) return []
  const since = new Date(sinceMs).toISOString()
  return [
    {
      ...uncounted,
      ...alertTexts({
        name: sentence('Comparison of wallet and ledger'),
        what: [
          sentence('What left our wallets was not compared with the ledger since {at}.', {
            at: { at: since },
          }),
        ],
        advice: sentence(
          'Payment Management, Transfers says what the node does not show. If it stays so, connect another node.',
        ),
      }),
      key: 'wallet:age',
      kind: 'wallet',
      severity: 'critical',
      since,
      last: since,
      about: {},
    },
  ]
}

/** By client: what could have been paid for longer than the setting overdue_after_days. */
async function latePayments({ db, clock, settings }: BillingDeps): Promise<FoundAlerts> {
  const afterDays = await settings.overdueAfterDays.get(db)
  const found = await rows<{
    userId: number
    username: string
    count: number
    micro: string
    since: Date
    total: number
  }>(
    db,
    sql`select d.user_id as "userId", u.username, count(*)::int as count, sum(d.due_micro)::text as micro,
          min(d.payable_from) as since, (count(*) over ())::int as total
        from debts d join users u on u.id = d.user_id
        where not d.is_settled and d.due_micro > 0 and d.usdt_address is not null
          and d.payable_from <= ${clock.now()}::timestamptz - ${afterDays}::int * interval '1 day'
        group by 1, 2 order by since limit ${clientsMax}`,
  )
  const alerts = found.map<FoundAlert>(({ userId, username, count, micro, since }) => ({
    ...alertTexts({
      name: username,
      what: [lateSentence(count, afterDays, { amount: formatMicro(BigInt(micro), 2) })],
      advice: sentence('Pay them, or withhold them with a reason that the client reads.'),
    }),
    key: `late_payment:${userId}`,
    kind: 'late_payment',
    severity: 'warning',
    since: since.toISOString(),
    last: since.toISOString(),
    count,
    hours: [],
    about: { userId: String(userId), username },
  }))
  return {
    alerts,
    unlisted: unlistedOf('late_payment', 'warning', { total: found[0]?.total, listed: found.length }),
  }
}

const lateSentence = (count: number, days: number, sum: { readonly amount: string }): Sentence =>
  count === 1
    ? sentence('1 bill or payout has waited more than {days} days to be paid: {sum} USDT.', { days, sum })
    : sentence('{count} bills and payouts have waited more than {days} days to be paid: {sum} USDT.', {
        count,
        days,
        sum,
      })

/** Kinds of acts that wait for a second person. */
const approvals: Readonly<Record<string, Sentence>> = {
  payments: sentence('Payments'),
  amendments: sentence('Changes to bills'),
  adjustments: sentence('Adjustments'),
  runs: sentence('Payment runs'),
  transfers: sentence('Decisions on transfers'),
}

async function waitingApprovals(db: Db): Promise<FoundAlert[]> {
  const found = await rows<{ way: string; count: number; since: Date; last: Date; run: string | null }>(
    db,
    sql`select way, count(*)::int as count, min(at) as since, max(at) as last, min(run)::text as run from (
          select 'payments' as way, created_at as at, null::bigint as run from payments where awaits_approval and status = 'pending'
          union all select 'amendments', requested_at, null from bill_amendments where status = 'pending'
          union all select 'adjustments', created_at, null from adjustments where status = 'pending'
          union all select 'runs', drafted_at, id from payment_runs where status = 'draft'
          union all select 'transfers', requested_at, null from transfer_decisions where status = 'pending'
        ) w group by way order by way`,
  )
  return found.map(({ way, count, since, last, run }) => ({
    ...alertTexts({
      name: approvals[way] ?? way,
      what: [
        count === 1
          ? sentence('1 is waiting for a second person.')
          : sentence('{count} are waiting for a second person.', { count }),
      ],
      advice: sentence('Somebody other than the person who asked approves or rejects.'),
    }),
    key: `approval:${way}`,
    kind: 'approval',
    severity: 'notice',
    since: since.toISOString(),
    last: last.toISOString(),
    count,
    hours: [],
    // The run that has waited longest.
    about: { way, ...(run !== null && { runId: run }) },
  }))
}
