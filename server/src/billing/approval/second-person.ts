// The rule of two persons, for every act on money: Mark as Paid, payouts, payments outside the bills, batches and runs,
// corrections, decisions on holds and on payments of another amount, and everything that mends a bill. The table of doors
// is in docs/money.md; doors.test.ts tries each of them.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import type { BillingDeps } from '../deps.ts'
import { findOwnAccount, insertActs, isOwnAddress, lockPerson, sumOfDay } from './act-store.ts'

/** An act on money. */
export interface MoneyAct {
  /** Whose account it is about. */
  readonly userId: number
  /** Where money goes; left out, the addresses of the account's profile count. */
  readonly address?: string | undefined
  /** How much it moves, 0 or more. */
  readonly amountMicro: bigint
  /** What it is about, as `bill 3-17`. Of several acts of one person about one thing the largest counts. */
  readonly subject: string
}

export type Person = Pick<Actor, 'userId'>

/**
 * Whether somebody else must agree before `acts`, done together, count: when the person's acts of the last 24 hours that
 * nobody else agreed to, and these, come to more than the limit. Acts that need nobody else are counted from now on, so
 * call it once, in the transaction that does them. Throws Refusal forbidden for the person's own account.
 */
export async function needsSecondPerson(
  tx: Db,
  deps: Pick<BillingDeps, 'settings' | 'clock'>,
  acts: readonly MoneyAct[],
  person: Person,
): Promise<boolean> {
  await refuseOwnAccount(tx, acts, person)
  if (acts.every(({ amountMicro }) => amountMicro === 0n)) return false
  // Two calls at once would each see only its own sum.
  await lockPerson(tx, person.userId)
  const now = deps.clock.now()
  const before = await sumOfDay(
    tx,
    person.userId,
    acts.map(({ subject }) => subject),
    now,
  )
  const sum = acts.reduce((total, { amountMicro }) => total + amountMicro, before)
  if (sum > (await deps.settings.secondPersonAboveMicro.get(tx))) return true
  await insertActs(tx, person.userId, acts, now)
  return false
}

/**
 * Throws Refusal wrong_state when `person` requested the act and would agree to it as well, and forbidden for the person's
 * own account. `ownRequestText` is what such a person reads.
 */
export async function checkSecondPerson(
  tx: Db,
  { requestedBy, ownRequestText }: { requestedBy: number | null; ownRequestText: string },
  acts: readonly Pick<MoneyAct, 'userId' | 'address'>[],
  person: Person,
): Promise<void> {
  await refuseOwnAccount(tx, acts, person)
  if (requestedBy === person.userId) throw new Refusal('wrong_state', ownRequestText)
}

/**
 * Throws Refusal forbidden when one of the accounts is the person's own, or is paid to an address of the person. Nobody
 * requests, approves or decides for himself, whatever the amount.
 */
export async function refuseOwnAccount(
  tx: Db,
  acts: readonly Pick<MoneyAct, 'userId' | 'address'>[],
  person: Person,
): Promise<void> {
  const own = await findOwnAccount(tx, acts, person.userId)
  if (own === undefined) return
  throw new Refusal(
    'forbidden',
    own.isSameUser
      ? 'This is your own account. Somebody else must do it.'
      : sentence('The account of {name} is paid to an address of yours. Somebody else must do it.', {
          name: own.username,
        }),
  )
}

/** Throws Refusal forbidden when a transfer went to an address of the person: nobody says why money came to himself. */
export async function refuseOwnAddress(tx: Db, address: string, { userId }: Person): Promise<void> {
  if (await isOwnAddress(tx, address, userId))
    throw new Refusal('forbidden', 'This transfer went to an address of yours. Somebody else must do it.')
}
