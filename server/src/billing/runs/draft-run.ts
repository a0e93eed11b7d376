// What a payment run could pay now: debts grouped into transfers, each with its warnings, or with the reason why not now.
import type { DraftLine } from '@tollgate/contract/payment-runs.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { transaction } from '../../platform/transaction.ts'
import { addressBytes } from '../../rates/index.ts'
import type { BillingDeps } from '../deps.ts'
import { setOffCredit } from '../debts/set-off.ts'
import { refusedAddress } from '../profile/refused-address.ts'
import { findLookAlikes } from '../profile/address-check.ts'
import { isBlacklisted } from '../tron/tron-node.ts'
import { listKnown, listUnpaid, type KnownAddress, type UnpaidDebt } from './draft-store.ts'
import { warningsOf } from './warnings.ts'

const rowsMax = 1_000
// A person waits for the list. An address that the node has not answered for in this time counts as not frozen.
const blacklistCheckMs = 8_000
const checksAtOnce = 5

/** Debts of one client to one address: one transfer, or several where they are not bundled. */
export interface Payee {
  readonly userId: number
  readonly userName: string
  /** Empty while the client has given none. */
  readonly address: string
  readonly amountMicro: bigint
  readonly debts: readonly { readonly reference: string; readonly dueMicro: bigint }[]
  /** Why it cannot be paid now; empty when it can. */
  readonly problem: string
  readonly known: KnownAddress | undefined
  readonly warnings: readonly string[]
}

/** Every unpaid debt, oldest first, or those of these references, as transfers. */
export async function draftPayees(deps: BillingDeps, references?: readonly string[]): Promise<Payee[]> {
  const { db, clock, settings } = deps
  const now = clock.now()
  const [unpaid, isNetted, minimumMicro, isBundled, treasury] = await Promise.all([
    listUnpaid(db, { limit: rowsMax, ...(references && { references }) }),
    isNetting(deps),
    settings.runMinimumMicro.get(db),
    isBundling(deps),
    deps.treasuryAddresses.get(db),
  ])
  const groups = groupDebts(isNetted ? netted(unpaid) : unpaid, { now, isBundled }).map((group) =>
    group.problem === '' && group.amountMicro < minimumMicro
      ? { ...group, problem: `Less than the smallest payment of ${formatMicro(minimumMicro, 2)} USDT.` }
      : group,
  )
  const addresses = groups.filter(({ problem }) => problem === '').map(({ address }) => address)
  const refused = await refusedAmong(deps, [...new Set(addresses)])
  const payees = groups.filter(({ address }) => address !== '')
  const found = await listKnown(db, payees, now)
  const known = new Map(found.map((each) => [`${each.user_id} ${each.address}`, each]))
  const alike = await findLookAlikes(db, [...new Set(payees.map(({ address }) => address))], treasury)
  return groups.map((group) => {
    const own = known.get(`${group.userId} ${group.address}`)
    return {
      ...group,
      problem: group.problem === '' ? (refused.get(group.address) ?? '') : group.problem,
      known: own,
      warnings:
        own === undefined
          ? []
          : warningsOf(
              own,
              alike.filter(({ of }) => of === group.address),
              now,
            ),
    }
  })
}

/** One transfer for several debts can only be told apart where the chain is read. */
export async function isBundling({ db, settings, tron }: BillingDeps): Promise<boolean> {
  return tron !== undefined && (await settings.runBundling.get(db)) === 'on'
}

/** Whether a run first sets credit off. */
export const isNetting = async ({ db, settings }: Pick<BillingDeps, 'db' | 'settings'>): Promise<boolean> =>
  (await settings.runNetting.get(db)) === 'on'

/**
 * The payees of a run of these debts, once the credit of their clients is set off. A debt that nothing is left of is in no
 * payee. Throws Refusal not_found for one that is none, or is paid, and wrong_state when nothing is left to pay.
 */
export async function payeesOf(deps: BillingDeps, references: readonly string[]): Promise<Payee[]> {
  const asked = await listUnpaid(deps.db, { limit: rowsMax, references })
  const unknown = references.find((each) => !asked.some(({ reference }) => reference === each))
  if (unknown !== undefined)
    throw new Refusal('not_found', `${unknown} is no bill or payout that waits for payment.`)
  // In a transaction of its own: the node is asked after it, and whatever becomes of the run, credit is used first.
  if (await isNetting(deps))
    await transaction(deps.db, async (tx) => {
      const withCredit = asked.filter(({ credit_micro: micro }) => micro !== '0')
      for (const userId of new Set(withCredit.map(({ user_id: id }) => id)))
        await setOffCredit(tx, deps, userId)
    })
  const payees = await draftPayees(deps, references)
  if (payees.length === 0)
    throw new Refusal('wrong_state', 'Nothing is left to pay: the credit of these clients covers it.')
  return payees
}

/** What is left of each debt once the client's credit is set off, the oldest first. What nothing is left of goes out. */
function netted(unpaid: readonly UnpaidDebt[]): UnpaidDebt[] {
  const left = new Map<number, bigint>()
  return unpaid.flatMap((debt) => {
    // A payment may be on its way in full: such a debt is left alone, as by the set-off itself.
    if (debt.run_id !== null || debt.is_under_way) return [debt]
    const credit = left.get(debt.user_id) ?? BigInt(debt.credit_micro)
    const dueMicro = BigInt(debt.due_micro)
    const takenMicro = credit < dueMicro ? credit : dueMicro
    left.set(debt.user_id, credit - takenMicro)
    return takenMicro === dueMicro ? [] : [{ ...debt, due_micro: String(dueMicro - takenMicro) }]
  })
}

interface Rules {
  readonly now: Date
  readonly isBundled: boolean
}

type Group = Omit<Payee, 'known' | 'warnings'>

/** Debts of one client, address and problem become one transfer; without bundling each debt is its own. */
function groupDebts(unpaid: readonly UnpaidDebt[], rules: Rules): Group[] {
  const groups = new Map<string, Group>()
  for (const row of unpaid) {
    const problem = problemOf(row, rules)
    const address = row.usdt_address ?? ''
    const key = rules.isBundled ? `${row.user_id} ${address} ${problem}` : row.reference
    const dueMicro = BigInt(row.due_micro)
    const before = groups.get(key)
    groups.set(key, {
      userId: row.user_id,
      userName: row.username,
      address,
      problem,
      amountMicro: (before?.amountMicro ?? 0n) + dueMicro,
      debts: [...(before?.debts ?? []), { reference: row.reference, dueMicro }],
    })
  }
  return [...groups.values()]
}

function problemOf(row: UnpaidDebt, { now }: Rules): string {
  if (row.run_id !== null) return `It is in payment run ${row.run_id}.`
  if (row.parked_reason !== null) return `The ledger does not balance. ${row.parked_reason}`
  if (row.is_stopped) return 'It is withheld for review, or an amendment of it waits for a second person.'
  if (row.usdt_address === null) return 'The client has not given a USDT address yet.'
  if (row.payable_from > now) return `It may be paid from ${row.payable_from.toISOString()}.`
  if (row.is_under_way) return 'A payment of it is under way.'
  return ''
}

/** Why nothing may be sent to these addresses, of those where it is so. */
async function refusedAmong(deps: BillingDeps, addresses: readonly string[]): Promise<Map<string, string>> {
  const { egress, tron } = deps
  const refused = new Map<string, string>()
  const endMs = performance.now() + blacklistCheckMs
  const left = [...addresses]
  const worker = async () => {
    for (let address = left.pop(); address !== undefined; address = left.pop()) {
      const reason = await refusedAddress(deps, deps.db, address)
      const isFrozen =
        reason === undefined &&
        tron !== undefined &&
        performance.now() < endMs &&
        (await isBlacklisted(egress, tron, addressBytes(address) ?? '')) === true
      if (reason !== undefined || isFrozen) refused.set(address, reason ?? frozenText)
    }
  }
  await Promise.all(Array.from({ length: checksAtOnce }, worker))
  return refused
}

const frozenText =
  "USDT's contract has frozen this address: what is sent there is lost. Ask the client for another one."

/** When the client was first paid to the address, or changed to it. */
export const addressSince = (known: KnownAddress | undefined): Date | null =>
  known === undefined
    ? null
    : known.profile_address === known.address
      ? (known.changed_at ?? known.since)
      : known.since

export function toDraftLine({ known, ...payee }: Payee): DraftLine {
  return {
    userId: payee.userId,
    userName: payee.userName,
    usdtAddress: payee.address,
    amount: formatMicro(payee.amountMicro, 2),
    debts: payee.debts.map(({ reference, dueMicro }) => ({ reference, dueAmount: formatMicro(dueMicro, 2) })),
    heldAmount: formatMicro(BigInt(known?.held_micro ?? 0), 2),
    addressSince: addressSince(known)?.toISOString() ?? null,
    warnings: [...payee.warnings],
    problem: payee.problem,
  }
}
