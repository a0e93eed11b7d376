// Holds: an amount is no longer payable while it is held; a person releases or refuses it. Each move
// is a ledger entry of its own.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { englishOf, sentence } from '@tollgate/contract/sentences.ts'
import type { HoldAction } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Actor } from '../http/handlers.ts'
import { changeRecords, type RecordKey } from '../ingest/index.ts'
import { moveDecided } from './move-decided.ts'
import {
  findEarning,
  insertHold,
  lockHolds,
  setRequested,
  setDecided,
  type HoldCause,
  type LockedHold,
} from './store.ts'

export interface HoldParts {
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly ledger: Pick<Ledger, 'holdOpenCycle' | 'post'>
  readonly approval: HoldApproval
}

interface HoldAct {
  readonly userId: number
  readonly amountMicro: bigint
  readonly subject: string
}

/** The rule of two persons, as billing has it. */
interface HoldApproval {
  /** Whether somebody else must say the same. Throws Refusal forbidden for the person's own account. */
  needsSecondPerson(tx: Db, acts: readonly HoldAct[], person: Pick<Actor, 'userId'>): Promise<boolean>
  /** Throws Refusal forbidden for the person's own account. */
  refuseOwnAccount(tx: Db, acts: readonly HoldAct[], person: Pick<Actor, 'userId'>): Promise<void>
}

/**
 * Holds a record of the open cycle, in the transaction that stored it: its cycle cannot close before that ends. Returns
 * the hold's id; undefined when nobody earns by the record, so that there is nothing to hold back.
 */
export async function holdRecord(
  tx: Db,
  { ledger }: Pick<HoldParts, 'ledger'>,
  key: RecordKey,
  cause: HoldCause,
): Promise<string | undefined> {
  const record = await findEarning(tx, key)
  if (record === undefined) return undefined
  await changeRecords(tx, [key], { isHeld: true })
  const id = await insertHold(tx, record, cause)
  const { userId, cycleId, settlement, amountMicro } = record
  const line = {
    userId,
    cycleId,
    settlement,
    kind: 'hold',
    reference: id,
    reason: englishOf(cause.explanation),
  }
  if (amountMicro > 0n)
    await ledger.post(tx, [
      { ...line, account: 'payable', amountMicro: -amountMicro },
      { ...line, account: 'held', amountMicro },
    ])
  return id
}

export interface Decision {
  readonly ids: readonly string[]
  readonly action: HoldAction
  readonly reason: string
}

/**
 * A person's decision on holds, all or none: carried out at once up to the limit, above it when a second person decides
 * the same. Returns whether it was carried out. Throws Refusal not_found, and wrong_state for a hold that is decided,
 * or whose first decision was the caller's own, and forbidden for the caller's own account.
 */
export async function decideHolds(
  tx: Db,
  parts: HoldParts,
  { ids: requested, action, reason }: Decision,
  by: { readonly actor: Actor; readonly ip: string },
): Promise<boolean> {
  const ids = [...new Set(requested)]
  const holds = await lockHolds(tx, ids)
  if (holds.length < ids.length) throw new Refusal('not_found', 'There is no such hold.')
  const decided = holds.find(({ status }) => status !== 'open')
  if (decided !== undefined)
    throw new Refusal(
      'wrong_state',
      sentence('Hold {id} is decided already. Look at the list again.', { id: decided.id }),
    )
  const word = { action, reason, by: by.actor.userId, at: parts.clock.now() }
  const isDone = !(await needsAnother(
    tx,
    parts,
    holds.map((hold) => ({ ...hold, subject: `hold ${hold.id}` })),
    action,
    by.actor,
  ))
  if (isDone) {
    const { id: cycleId } = await parts.ledger.holdOpenCycle(tx)
    await setDecided(tx, ids, word)
    await moveDecided(tx, parts, { ids, cycleId })
  } else await setRequested(tx, ids, word)
  for (const hold of holds)
    await parts.audit.record(tx, {
      actor: by.actor,
      ip: by.ip,
      action: isDone ? `hold.${action}` : 'hold.ask',
      objectType: 'hold',
      objectId: hold.id,
      after: {
        userId: hold.user_id,
        amount: formatMicro(BigInt(hold.amount_micro), 2),
        reason,
        ...(isDone ? {} : { asksFor: action }),
      },
    })
  return isDone
}

/**
 * Whether a second person must decide the same first. The requester cannot be that person, not even for a part of the
 * holds.
 */
export async function needsAnother(
  tx: Db,
  { approval }: HoldParts,
  holds: readonly (Pick<LockedHold, 'user_id' | 'amount_micro' | 'requested_by' | 'requested_action'> & {
    readonly subject: string
  })[],
  action: HoldAction,
  person: Actor,
): Promise<boolean> {
  const acts = holds.map((hold): HoldAct => ({
    userId: hold.user_id,
    amountMicro: BigInt(hold.amount_micro),
    subject: hold.subject,
  }))
  const wasRequested = holds.some(({ requested_by }) => requested_by !== null)
  if (!wasRequested) return approval.needsSecondPerson(tx, acts, person)
  await approval.refuseOwnAccount(tx, acts, person)
  const isSame = ({ requested_action }: Pick<LockedHold, 'requested_action'>) => requested_action === action
  if (holds.some((hold) => isSame(hold) && hold.requested_by === person.userId))
    throw new Refusal('wrong_state', 'You asked for this. A second person must confirm.')
  return !holds.every(isSame)
}
