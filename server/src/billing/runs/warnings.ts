// What those who approve a payment run should look at before money goes to an address.
import { formatMicro } from '@tollgate/contract/money.ts'
import type { LookAlike } from '../profile/address-check.ts'
import type { KnownAddress } from './draft-store.ts'

// A change is news to whoever pays for so long.
const newForMs = 30 * 86_400_000

const day = (at: Date) => at.toISOString().slice(0, 10)

/** Sentences for one payee, the most dangerous first. `lookAlikes` are those of its address. */
export function warningsOf(
  { address, paid_count: paidCount, others, ...known }: KnownAddress,
  lookAlikes: readonly LookAlike[],
  now: Date,
): string[] {
  const heldMicro = BigInt(known.held_micro)
  return [
    ...lookAlikes.map(
      ({ address: other, userName }) =>
        `Looks like ${other}, ${userName === '' ? 'a wallet of ours' : `an address of ${userName}`}. Compare all characters.`,
    ),
    known.unseen_run !== null &&
      `Payment run ${known.unseen_run} asked for it and was closed without its transfer. Make sure that it was not sent.`,
    known.profile_address !== null &&
      known.profile_address !== address &&
      'The client has given another address since; this debt keeps the one it was made with.',
    known.changed_at !== null &&
      now.getTime() - known.changed_at.getTime() < newForMs &&
      known.profile_address === address &&
      `The client changed to this address on ${day(known.changed_at)}.`,
    known.next_from !== null && `The client changes to another address on ${day(known.next_from)}.`,
    paidCount === 0 && 'Nothing was ever paid to this address.',
    others.length > 0 && `The same address belongs to ${others.join(', ')}.`,
    heldMicro > 0n &&
      `${formatMicro(heldMicro, 2)} USDT of this client are held for review; they are not in it.`,
  ].filter((line) => line !== false)
}
