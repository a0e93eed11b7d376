// What people say of a transfer that nothing asked for: which debts of one client it paid, or why it pays none. Above
// the limit a second person agrees. Who loses when this is wrong: the platform, because a thief could explain his own
// transfer away.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  checkSecondPerson,
  needsSecondPerson,
  refuseOwnAddress,
  type BillingDeps,
  bookTransfer,
  lockDebt,
  lockTransfer,
  parseReference,
} from '../../billing/index.ts'
import { partsOf } from './parts.ts'
import {
  endDecision,
  hasDecision,
  insertDecision,
  lockPending,
  lockExplanationsBy,
  sumExplainedAlone,
} from './decision-store.ts'

const dayMs = 86_400_000
const wrongState = (message: string) => new Refusal('wrong_state', message)

interface Claim {
  readonly kind: 'match' | 'explain'
  readonly references: readonly string[]
  readonly reason: string
}

/**
 * Books what is left of a transfer on debts of one client in this order, or asks a second person. Throws Refusal
 * not_found, wrong_state, invalid, taken and forbidden.
 */
export function matchTransfer(
  deps: BillingDeps,
  id: string,
  { references, reason }: { readonly references: readonly string[]; readonly reason: string },
  by: Caller,
): Promise<void> {
  return claim(deps, id, { kind: 'match', references, reason }, by)
}

/** Notes why a transfer pays no debt, or asks a second person. Throws Refusal not_found, wrong_state and forbidden. */
export function explainTransfer(deps: BillingDeps, id: string, reason: string, by: Caller): Promise<void> {
  return claim(deps, id, { kind: 'explain', references: [], reason }, by)
}

async function claim(deps: BillingDeps, id: string, input: Claim, by: Caller): Promise<void> {
  await transaction(deps.db, async (tx) => {
    // Debts before the transfer, as everybody locks them.
    const debts = await lockDebts(tx, input.references)
    const transfer = { id, ...(await lockLeft(tx, id)) }
    if (await hasDecision(tx, id)) throw wrongState('Somebody has decided on this transfer, or has asked to.')
    const needsSecond =
      input.kind === 'match'
        ? await matchNeedsSecond(tx, deps, debts, transfer, by.actor)
        : await explainNeedsSecond(tx, deps, transfer, by.actor)
    if (input.kind === 'match' && !needsSecond)
      await book(tx, deps, transfer, { debts, reason: input.reason }, by)
    const at = deps.clock.now()
    await insertDecision(tx, {
      transfer_id: id,
      kind: input.kind,
      debt_references: input.references,
      reason: input.reason,
      requested_by: by.actor.userId,
      requested_at: at,
      ...(needsSecond ? { status: 'pending' } : { status: 'done', decided_at: at }),
    })
    await record(tx, deps, id, `${needsSecond ? 'ask_' : ''}${input.kind}`, input, by)
  })
}

interface LeftTransfer {
  readonly to: string
  readonly leftMicro: bigint
}

/** Locks the transfer. Throws Refusal not_found, and wrong_state when all of it is booked. */
async function lockLeft(tx: Db, id: string): Promise<LeftTransfer> {
  const found = await lockTransfer(tx, id)
  if (found === undefined) throw new Refusal('not_found', 'There is no such transfer.')
  const leftMicro = BigInt(found.amount_micro) - BigInt(found.booked_micro)
  if (leftMicro === 0n) throw wrongState('All of this transfer is booked already.')
  return { to: found.to_address, leftMicro }
}

type OneTransfer = LeftTransfer & { readonly id: string }

function matchNeedsSecond(
  tx: Db,
  deps: BillingDeps,
  debts: readonly LockedDebt[],
  { id, to, leftMicro }: OneTransfer,
  actor: Actor,
): Promise<boolean> {
  const userId = debts[0]?.userId ?? 0
  return needsSecondPerson(
    tx,
    deps,
    [{ userId, address: to, amountMicro: leftMicro, subject: `transfer ${id}` }],
    actor,
  )
}

/**
 * There is no client whose limit it counts for, so it has a sum of 24 hours of its own. Throws Refusal forbidden for a
 * transfer to the person's own address.
 */
async function explainNeedsSecond(
  tx: Db,
  { settings, clock }: BillingDeps,
  { to, leftMicro }: OneTransfer,
  { userId }: Actor,
): Promise<boolean> {
  await refuseOwnAddress(tx, to, { userId })
  // Two calls at once would each see only its own sum.
  await lockExplanationsBy(tx, userId)
  const before = await sumExplainedAlone(tx, userId, new Date(clock.now().getTime() - dayMs))
  return before + leftMicro > (await settings.secondPersonAboveMicro.get(tx))
}

interface LockedDebt {
  readonly reference: string
  readonly userId: number
  readonly dueMicro: bigint
}

/** In the order of the references, locked in one order. Throws Refusal not_found. */
async function lockDebts(tx: Db, references: readonly string[]): Promise<LockedDebt[]> {
  const found = new Map<string, LockedDebt>()
  for (const reference of references.toSorted()) {
    const debtId = parseReference(reference)
    const debt = debtId && (await lockDebt(tx, debtId))
    if (debt === undefined)
      throw new Refusal('not_found', sentence('There is no bill or payout {reference}.', { reference }))
    found.set(reference, { reference, userId: debt.user_id, dueMicro: BigInt(debt.due_micro) })
  }
  return references.flatMap((reference) => found.get(reference) ?? [])
}

interface TransferBooking {
  readonly debts: readonly LockedDebt[]
  readonly reason: string
}

async function book(
  tx: Db,
  deps: BillingDeps,
  { id, leftMicro }: OneTransfer,
  { debts, reason }: TransferBooking,
  { actor, ip }: Caller,
): Promise<void> {
  const parts = partsOf(debts, leftMicro)
  if (parts.length < debts.length)
    throw new Refusal('invalid', 'The transfer does not reach the last of these debts. Leave that one out.', {
      fields: { references: 'More than the transfer pays' },
    })
  await bookTransfer(tx, deps, {
    transferId: id,
    parts,
    isOurs: true,
    requestedBy: actor.userId,
    actor,
    ip,
    notes: reason,
  })
}

/** A second person agrees or refuses; whoever asked may take it back. Throws Refusal wrong_state and forbidden. */
export async function decideTransfer(
  deps: BillingDeps,
  id: string,
  { action, reason }: { readonly action: 'accept' | 'reject'; readonly reason: string },
  by: Caller,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const pending = await lockPending(tx, id)
    if (pending === undefined) throw wrongState('Nobody asks about this transfer.')
    const { kind, debt_references: references } = pending
    const debts = await lockDebts(tx, references)
    const transfer = { id, ...(await lockLeft(tx, id)) }
    const isAccepted = action === 'accept'
    if (isAccepted) {
      await refuseOwnAddress(tx, transfer.to, by.actor)
      const acts = debts.map(({ userId }) => ({ userId, address: transfer.to }))
      await checkSecondPerson(
        tx,
        {
          requestedBy: pending.requested_by,
          ownRequestText: 'You asked for it. A second person must agree to it.',
        },
        acts,
        by.actor,
      )
      if (kind === 'match') await book(tx, deps, transfer, { debts, reason: pending.reason }, by)
    }
    await endDecision(tx, pending.id, {
      status: isAccepted ? 'done' : 'refused',
      by: by.actor.userId,
      at: deps.clock.now(),
    })
    await record(tx, deps, id, `${action}_${kind}`, { kind, references, reason }, by)
  })
}

async function record(
  tx: Db,
  deps: BillingDeps,
  id: string,
  verb: string,
  { references, reason }: Claim,
  by: Caller,
) {
  await deps.audit.record(tx, {
    ...by,
    action: `transfer.${verb}`,
    objectType: 'transfer',
    objectId: id,
    after: { reason, ...(references.length > 0 && { debts: references.join(', ') }) },
  })
}
