// The warning that a payment profile was changed. Without it a thief with a stolen session could redirect payments
// unnoticed, and the client would lose them. When the e-mail address itself changes, the old one gets the mail too.
import { sql } from 'kysely'
import type { Db } from '../../platform/db.ts'
import { consoleLine, textOf } from '../mails/mail-bills.ts'
import type { BillingDeps } from '../deps.ts'
import type { ProfileRow } from './profile-store.ts'

// A limit, so that nobody can fill another person's mailbox by saving a profile again and again.
const mailsPerDayMax = 10

interface ProfileChange {
  readonly userId: number
  readonly username: string
  readonly before: ProfileRow
  readonly after: ProfileRow
}

/** Mails the old and the new e-mail address. A first USDT address, or a change of only the name, sends no mail. */
export async function mailProfileChange(
  tx: Db,
  deps: Pick<BillingDeps, 'mail' | 'consoleUrl'>,
  { userId, username, before, after }: ProfileChange,
): Promise<void> {
  const lines = [addressLine(before, after), emailLine(before, after)].filter((line) => line !== undefined)
  if (lines.length === 0) return
  const recipients = [...new Set([before.email, after.email])].filter((email) => email !== '')
  const body = textOf([
    `The payment profile of the account ${username} was changed.`,
    '',
    ...lines,
    '',
    'If it was not you: undo the change in the payment profile, change your password, and tell support.',
    consoleLine(deps, '/payment?tab=profile'),
  ])
  const keyStart = `profile-${userId}-`
  await deps.mail?.enqueue(
    tx,
    sql`select ${keyStart}::text || gen_random_uuid() as event_key, recipient,
          'Your payment profile was changed' as subject, ${body} as body
        from unnest(${recipients}::text[]) recipient`,
    { keyStart, max: mailsPerDayMax },
  )
}

/** Says where payments go now or later; undefined when that did not change. */
function addressLine(before: ProfileRow, after: ProfileRow): string | undefined {
  if (before.usdt_address === null) return undefined
  const end = (address: string | null) => `the USDT address ending in ${address?.slice(-6) ?? ''}`
  if (after.next_address !== null && after.next_address !== before.next_address)
    return `Payments will go to ${end(after.next_address)} from ${instant(after.next_from)} (UTC) on; until then to ${end(after.usdt_address)}.`
  if (after.usdt_address !== before.usdt_address) return `Payments now go to ${end(after.usdt_address)}.`
  return before.next_address !== null && after.next_address === null
    ? `The change to ${end(before.next_address)} was withdrawn: payments go to ${end(after.usdt_address)}.`
    : undefined
}

function emailLine(before: ProfileRow, after: ProfileRow): string | undefined {
  if (before.email === '' || before.email === after.email) return undefined
  return after.email === ''
    ? 'It no longer names an e-mail address: no more notifications are sent.'
    : 'The e-mail address that notifications go to was changed.'
}

function instant(at: Date | null): string {
  const [day = '', time = ''] = at?.toISOString().split('T') ?? []
  return `${day.split('-').toReversed().join('/')} ${time.slice(0, 5)}`
}
