// Compares ledger, records, bills and payments every 20 seconds, and parks the accounts that differ. A parked account is
// paid nothing until it balances, because a transfer cannot be taken back.
import { Gauge } from 'prom-client'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { inEnglish, quote, sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import { systemActor } from '../../audit/index.ts'
import type { LedgerBreak, LedgerChecker } from '../../ledger/index.ts'
import type { Db } from '../../platform/db.ts'
import { registry } from '../../platform/metrics.ts'
import { transaction } from '../../platform/transaction.ts'
import { listLeftOut } from '../close/left-out.ts'
import type { BillingDeps } from '../deps.ts'
import { billBreaks } from './bill-breaks.ts'
import { findPark, listParks, park, putCheck, unpark } from './park-store.ts'

const parkedCount = new Gauge({
  name: 'tollgate_ledger_parked_accounts',
  help: 'Accounts that get no money: their ledger did not balance at the last check, or a period is not closed.',
  registers: [registry],
})
parkedCount.set(0)

/** Runs one check. Does nothing when the traffic gate is busy: the next check finds the same. */
export async function watchLedger(deps: BillingDeps, checker: LedgerChecker): Promise<void> {
  const findings = await checker.run((reader) => billBreaks(reader, deps.clock.now()))
  if (findings === undefined) return
  const { breaks, sumMicro } = findings
  const reasons = new Map<number, readonly Sentence[]>()
  for (const { userId, cycleId, reason } of await listLeftOut(deps.db))
    reasons.set(userId, [
      sentence('Period {period} could not be closed:', { period: String(cycleId) }),
      quote(reason),
    ])
  for (const found of breaks) if (!reasons.has(found.userId)) reasons.set(found.userId, [reasonOf(found)])
  const imbalance = breaks.reduce(
    (sum, { ledgerMicro, countedMicro }) => sum + absolute(ledgerMicro - countedMicro),
    absolute(sumMicro),
  )
  await transaction(deps.db, async (tx) => {
    const parked = new Map((await listParks(tx)).parks.map(({ user_id, reason }) => [user_id, reason]))
    for (const [userId, words] of reasons)
      if (!parked.has(userId) && (await park(tx, userId, words, deps.clock.now())))
        await record(tx, deps, 'account.park', userId, inEnglish(...words))
    for (const [userId, reason] of parked)
      if (!reasons.has(userId)) {
        await unpark(tx, userId)
        await record(tx, deps, 'account.unpark', userId, reason)
      }
    await putCheck(tx, deps.clock.now(), imbalance)
  })
  parkedCount.set(reasons.size)
}

const absolute = (micro: bigint) => (micro < 0n ? -micro : micro)

function reasonOf({ cycleId, settlement, ledgerMicro, countedMicro }: LedgerBreak): Sentence {
  const values = {
    period: String(cycleId),
    ledger: { amount: formatMicro(ledgerMicro, 2) },
    counted: { amount: formatMicro(countedMicro, 2) },
  }
  return settlements[settlement] === 'payout'
    ? sentence(
        'Payouts of period {period}: the ledger says {ledger} USDT, records and bills say {counted}.',
        values,
      )
    : sentence(
        'Bill of period {period}: the ledger says {ledger} USDT, records and bills say {counted}.',
        values,
      )
}

async function record(tx: Db, deps: BillingDeps, action: string, userId: number, reason: string) {
  await deps.audit.record(tx, {
    actor: systemActor,
    ip: '',
    action,
    objectType: 'user',
    objectId: String(userId),
    after: { reason },
  })
}

/** Throws Refusal wrong_state when the account is parked. */
export async function refuseParked(tx: Db, userId: number): Promise<void> {
  const words = await findPark(tx, userId)
  if (words !== undefined)
    throw new Refusal('wrong_state', [
      sentence(
        'Payments to this account are stopped, because its ledger does not balance or a period of it is not closed.',
      ),
      ...words,
      sentence('Tell an administrator.'),
    ])
}
