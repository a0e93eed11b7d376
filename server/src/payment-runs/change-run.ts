// The steps of a payment run: drafted by one person, approved by a second one, exported for the wallet, closed.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import { brokenConstraint, type Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import {
  checkSecondPerson,
  refuseOwnAccount,
  type BillingDeps,
  isUnderWay,
  lockDebt,
  lockDebts,
  parseReference,
} from '../billing/index.ts'
import { addressSince, isPayable, type Payee } from './draft-run.ts'
import {
  endRun,
  insertLine,
  insertRun,
  listReferences,
  listRunDebts,
  lockRun,
  setApproved,
  setExported,
  type RunRow,
} from './run-store.ts'

const wrongState = (message: Words) => new Refusal('wrong_state', message)

/**
 * Drafts a run of these payees, as `draftPayees` found them. Returns its id. Throws Refusal wrong_state when one cannot
 * be paid, or has changed since, and forbidden for the person's own account.
 */
export async function createRun(
  deps: BillingDeps,
  { payees, note }: { readonly payees: readonly Payee[]; readonly note: string },
  by: Caller,
): Promise<string> {
  const bad = payees.find((payee) => !isPayable(payee))
  if (bad !== undefined)
    throw wrongState([
      sentence('{references} of {name}:', {
        references: bad.debts.map(({ reference }) => reference).join(', '),
        name: bad.userName,
      }),
      ...bad.problem,
    ])
  const work = transaction(deps.db, async (tx) => {
    await refuseOwnAccount(tx, payees, by.actor)
    // Locked in one order, so that runs and payments take turns.
    for (const debt of payees.flatMap(({ debts }) => debts).toSorted(byReference))
      await checkUnchanged(tx, debt)
    const id = await insertRun(tx, { note, by: by.actor.userId, at: deps.clock.now() })
    for (const payee of payees)
      await insertLine(tx, id, {
        ...payee,
        heldMicro: BigInt(payee.known?.held_micro ?? 0),
        addressSince: addressSince(payee.known),
      })
    await record(tx, deps, by, 'draft', id, {
      note,
      transfers: payees.length,
      amount: formatMicro(
        payees.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
        2,
      ),
    })
    return id
  })
  return work.catch((error: unknown) => {
    if (brokenConstraint(error) === 'payment_run_debts_live_key')
      throw wrongState('Somebody else has put one of these debts into a payment run just now. Look again.')
    throw error
  })
}

const byReference = (a: { reference: string }, b: { reference: string }) =>
  a.reference < b.reference ? -1 : 1

async function checkUnchanged(
  tx: Db,
  { reference, dueMicro }: { readonly reference: string; readonly dueMicro: bigint },
): Promise<void> {
  const debtId = parseReference(reference)
  const debt = debtId && (await lockDebt(tx, debtId))
  if (debtId === undefined || debt === undefined)
    throw new Refusal('not_found', sentence('There is no bill or payout {reference}.', { reference }))
  const isStopped = debt.withheld_at !== null || debt.awaits_amendment || debt.is_being_held
  if (BigInt(debt.due_micro) !== dueMicro || isStopped || (await isUnderWay(tx, debtId)))
    throw wrongState(sentence('{reference} has changed just now. Look again.', { reference }))
}

/** A second person approves what the first one drafted. Throws Refusal not_found, wrong_state and forbidden. */
export async function approveRun(deps: BillingDeps, id: string, by: Caller): Promise<void> {
  await change(deps, id, by, 'approve', async (tx, run) => {
    if (run.status !== 'draft') throw wrongState('Only a draft can be approved.')
    const debts = await checkCurrent(tx, id)
    await checkSecondPerson(
      tx,
      {
        requestedBy: run.drafted_by,
        ownRequestText: 'You asked for this payment run. A second person must agree to it.',
      },
      debts.map(({ user_id: userId, address }) => ({ userId, address })),
      by.actor,
    )
    await setApproved(tx, id, { by: by.actor.userId, at: deps.clock.now() })
  })
}

/** From here on its transfers are expected. Throws Refusal not_found and wrong_state. */
export async function exportRun(deps: BillingDeps, id: string, by: Caller): Promise<void> {
  await change(deps, id, by, 'export', async (tx, run) => {
    if (run.status !== 'approved')
      throw wrongState(
        run.status === 'draft'
          ? 'A second person must approve the run first.'
          : 'The file of this run was made already.',
      )
    const debts = await checkCurrent(tx, id)
    await refuseOwnAccount(
      tx,
      debts.map(({ user_id: userId, address }) => ({ userId, address })),
      by.actor,
    )
    await setExported(tx, id, { by: by.actor.userId, at: deps.clock.now() })
  })
}

/**
 * Each debt must still be what those who approve were shown: same amount, same address, a ledger that balances. An
 * amendment of a bill holds the bill before it asks whether the run is exported. So of an amendment and an export at the same
 * time the second one sees the first one, and is refused: else the file would pay what is withheld or taken off.
 */
async function checkCurrent(tx: Db, id: string) {
  await lockDebts(tx, await listReferences(tx, id))
  // Read after that, because before it another transaction may have changed them.
  const debts = await listRunDebts(tx, id)
  const moved = debts.find(
    (debt) =>
      debt.drafted_micro !== debt.due_micro ||
      debt.usdt_address !== debt.address ||
      debt.parked_reason !== null ||
      debt.is_stopped,
  )
  if (moved !== undefined)
    throw wrongState(
      sentence('{reference} has changed since the draft. Cancel this run and draft another one.', {
        reference: moved.reference,
      }),
    )
  return debts
}

/** Gives a run up before its file is made. Throws Refusal not_found and wrong_state. */
export async function cancelRun(deps: BillingDeps, id: string, reason: string, by: Caller): Promise<void> {
  await change(
    deps,
    id,
    by,
    'cancel',
    async (tx, { status }) => {
      if (status !== 'draft' && status !== 'approved')
        throw wrongState('Its file is with the wallet, so money may be on the way. Close the run instead.')
      await endRun(tx, id, { status: 'cancelled', by: by.actor.userId, at: deps.clock.now(), reason })
    },
    reason,
  )
}

/** Ends a run although transfers of it were not seen. Throws Refusal not_found and wrong_state. */
export async function closeRun(deps: BillingDeps, id: string, reason: string, by: Caller): Promise<void> {
  await change(
    deps,
    id,
    by,
    'close',
    async (tx, { status }) => {
      if (status !== 'exported')
        throw wrongState('Only a run whose file was made is closed; give up another one.')
      await endRun(tx, id, { status: 'closed', by: by.actor.userId, at: deps.clock.now(), reason })
    },
    reason,
  )
}

async function change(
  deps: BillingDeps,
  id: string,
  by: Caller,
  verb: string,
  work: (tx: Db, run: RunRow) => Promise<void>,
  reason = '',
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const run = await lockRun(tx, id)
    if (run === undefined) throw new Refusal('not_found', 'There is no such payment run.')
    await work(tx, run)
    await record(tx, deps, by, verb, id, reason === '' ? {} : { reason })
  })
}

async function record(tx: Db, deps: BillingDeps, by: Caller, verb: string, id: string, after: object) {
  await deps.audit.record(tx, {
    ...by,
    action: `payment_run.${verb}`,
    objectType: 'payment_run',
    objectId: id,
    after,
  })
}
