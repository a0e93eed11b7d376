// What a payment run could pay now: debts grouped into transfers, each with its warnings, or with the reason why not now.
import type { DraftLine } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { inEnglish, quote, sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { transaction } from '../platform/transaction.ts'
import { addressBytes } from '../rates/index.ts'
import { type BillingDeps, setOffCredit, refusedAddress, findLookAlikes } from '../billing/index.ts'
import { isBlacklisted } from '../tron/index.ts'
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
  readonly problem: readonly Sentence[]
  readonly known: KnownAddress | undefined
  readonly warnings: readonly Sentence[]
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
    isPayable(group) && group.amountMicro < minimumMicro
      ? { ...group, problem: [belowMinimum(minimumMicro)] }
      : group,
  )
  const addresses = groups.filter(isPayable).map(({ address }) => address)
  const refused = await refusedAmong(deps, [...new Set(addresses)])
  const payees = groups.filter(({ address }) => address !== '')
  const found = await listKnown(db, payees, now)
  const known = new Map(found.map((each) => [`${each.user_id} ${each.address}`, each]))
  const alike = await findLookAlikes(db, [...new Set(payees.map(({ address }) => address))], treasury)
  return groups.map((group) => {
    const own = known.get(`${group.userId} ${group.address}`)
    return {
      ...group,
      problem: isPayable(group) ? (refused.get(group.address) ?? []) : group.problem,
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

export const isPayable = ({ problem }: Pick<Payee, 'problem'>): boolean => problem.length === 0

const belowMinimum = (micro: bigint): Sentence =>
  sentence('Less than the smallest payment of {amount} USDT.', { amount: { amount: formatMicro(micro, 2) } })

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
  const requested = await listUnpaid(deps.db, { limit: rowsMax, references })
  const unknown = references.find((each) => !requested.some(({ reference }) => reference === each))
  if (unknown !== undefined)
    throw new Refusal(
      'not_found',
      sentence('{reference} is no bill or payout that waits for payment.', { reference: unknown }),
    )
  // In a transaction of its own: the node is asked after it, and whatever becomes of the run, credit is used first.
  if (await isNetting(deps))
    await transaction(deps.db, async (tx) => {
      const withCredit = requested.filter(({ credit_micro: micro }) => micro !== '0')
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
    const key = rules.isBundled ? `${row.user_id} ${address} ${inEnglish(...problem)}` : row.reference
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

function problemOf(row: UnpaidDebt, { now }: Rules): Sentence[] {
  if (row.run_id !== null) return [sentence('It is in payment run {run}.', { run: row.run_id })]
  if (row.parked_reason !== null)
    return [sentence('The ledger does not balance.'), ...(row.parked_words ?? [quote(row.parked_reason)])]
  if (row.is_stopped)
    return [sentence('It is withheld for review, or an amendment of it waits for a second person.')]
  if (row.usdt_address === null) return [sentence('The client has not given a USDT address yet.')]
  if (row.payable_from > now)
    return [sentence('It may be paid from {time}.', { time: { at: row.payable_from.toISOString() } })]
  return row.is_under_way ? [sentence('A payment of it is under way.')] : []
}

/** Why nothing may be sent to these addresses, of those where it is so. */
async function refusedAmong(
  deps: BillingDeps,
  addresses: readonly string[],
): Promise<Map<string, Sentence[]>> {
  const { egress, tron } = deps
  const refused = new Map<string, Sentence[]>()
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
      if (reason !== undefined || isFrozen)
        refused.set(address, [reason === undefined ? frozen : quote(reason)])
    }
  }
  await Promise.all(Array.from({ length: checksAtOnce }, worker))
  return refused
}

const frozen = sentence(
  "USDT's contract has frozen this address: what is sent there is lost. Ask the client for another one.",
)

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
    warnings: payee.warnings.map((warning) => inEnglish(warning)),
    warningWords: [...payee.warnings],
    problem: inEnglish(...payee.problem),
    problemWords: [...payee.problem],
  }
}
