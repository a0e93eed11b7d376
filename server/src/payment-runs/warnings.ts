// What those who approve a payment run should look at before money goes to an address.
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import type { LookAlike } from '../billing/index.ts'
import type { KnownAddress } from './draft-store.ts'

// A change is news to whoever pays for so long.
const newForMs = 30 * 86_400_000

/** Sentences for one payee, the most dangerous first. `lookAlikes` are those of its address. */
export function warningsOf(
  { address, paid_count: paidCount, others, ...known }: KnownAddress,
  lookAlikes: readonly LookAlike[],
  now: Date,
): Sentence[] {
  const heldMicro = BigInt(known.held_micro)
  return [
    ...lookAlikes.map(lookAlikeWarning),
    known.unseen_run !== null &&
      sentence(
        'Payment run {run} asked for it and was closed without its transfer. Make sure that it was not sent.',
        { run: known.unseen_run },
      ),
    known.profile_address !== null &&
      known.profile_address !== address &&
      sentence('The client has given another address since; this debt keeps the one it was made with.'),
    known.changed_at !== null &&
      now.getTime() - known.changed_at.getTime() < newForMs &&
      known.profile_address === address &&
      sentence('The client changed to this address on {day}.', {
        day: { day: known.changed_at.toISOString() },
      }),
    known.next_from !== null &&
      sentence('The client changes to another address on {day}.', {
        day: { day: known.next_from.toISOString() },
      }),
    paidCount === 0 && sentence('Nothing was ever paid to this address.'),
    others.length > 0 && sentence('The same address belongs to {names}.', { names: others.join(', ') }),
    heldMicro > 0n &&
      sentence('{amount} USDT of this client are held for review; they are not in it.', {
        amount: { amount: formatMicro(heldMicro, 2) },
      }),
  ].filter((line) => line !== false)
}

const lookAlikeWarning = ({ address, userName }: LookAlike): Sentence =>
  userName === ''
    ? sentence('Looks like {address}, a wallet of ours. Compare all characters.', { address })
    : sentence('Looks like {address}, an address of {userName}. Compare all characters.', {
        address,
        userName,
      })
