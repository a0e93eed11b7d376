// The rule of two persons for acts on money: above the limit somebody else agrees, and nobody acts for himself.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { row, type Db } from '../../platform/db.ts'
import type { Actor } from '../../platform/http/handlers.ts'
import type { BillingDeps } from '../deps.ts'

/** An act on money. */
export interface MoneyAct {
  /** Whose account it is about. */
  readonly userId: number
  /** Where money goes. */
  readonly address?: string | undefined
  /** How much it moves, 0 or more. */
  readonly amountMicro: bigint
  /** What it is about, as `bill 3-17`. */
  readonly subject: string
}

type Person = Pick<Actor, 'userId'>

/** Whether somebody else must agree before `acts`, done together, count. Throws Refusal forbidden for an own account. */
export async function needsSecondPerson(
  tx: Db,
  { settings }: Pick<BillingDeps, 'settings' | 'clock'>,
  acts: readonly MoneyAct[],
  person: Person,
): Promise<boolean> {
  await refuseOwnAccount(tx, acts, person)
  const sum = acts.reduce((total, { amountMicro }) => total + amountMicro, 0n)
  return sum > (await settings.secondPersonAboveMicro.get(tx))
}

/** Throws Refusal wrong_state when `person` asked for it too, and forbidden for the person's own account. */
export async function checkSecondPerson(
  tx: Db,
  { requestedBy, what }: { requestedBy: number | null; what: string },
  acts: readonly Pick<MoneyAct, 'userId' | 'address'>[],
  person: Person,
): Promise<void> {
  await refuseOwnAccount(tx, acts, person)
  if (requestedBy === person.userId)
    throw new Refusal('wrong_state', `You asked for ${what}. A second person must agree to it.`)
}

/** Throws Refusal forbidden when one of the accounts is the person's own, or is paid to an address of the person. */
export async function refuseOwnAccount(
  tx: Db,
  acts: readonly Pick<MoneyAct, 'userId' | 'address'>[],
  { userId }: Person,
): Promise<void> {
  const addresses = acts.flatMap(({ address }) => address ?? [])
  const own = await row(
    tx,
    sql`select from payment_profiles where user_id = ${userId}
          and (usdt_address = any(${addresses}::text[]) or next_address = any(${addresses}::text[]))`,
  )
  if (own !== undefined || acts.some((act) => act.userId === userId))
    throw new Refusal('forbidden', 'This is your own account, or your own address. Somebody else must do it.')
}
