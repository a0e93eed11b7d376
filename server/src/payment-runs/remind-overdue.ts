// Reminds the people who pay of debts that are overdue, once a week as long as there are any.
import { sql } from 'kysely'
import { permissions } from '@tollgate/contract/vocabulary.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { transaction } from '../platform/transaction.ts'
import type { BillingDeps } from '../billing/index.ts'
import { sumOverdue } from './aging.ts'

const weekMs = 7 * 86_400_000

/** May run as often as it likes: the week is part of the mail's key. */
export async function remindOverdue(deps: BillingDeps): Promise<void> {
  const { db, clock, settings, mail, consoleUrl } = deps
  if (mail === undefined) return
  const now = clock.now()
  const afterDays = await settings.overdueAfterDays.get(db)
  const { count, micro } = await sumOverdue(db, now, afterDays)
  if (count === 0) return
  const week = Math.floor(now.getTime() / weekMs)
  const page = consoleUrl === undefined ? 'Books, Accounts' : `${consoleUrl}/books?show=owed`
  const body = [
    count === 1
      ? `1 bill or payout has been payable for more than ${afterDays} days and is not paid yet.`
      : `${count} bills and payouts have been payable for more than ${afterDays} days and are not paid yet.`,
    `In total, ${formatMicro(BigInt(micro), 2)} USDT is due.`,
    '',
    `See who is waiting, and since when: ${page}`,
    '',
    'You get this mail once a week, because your account may pay clients.',
    '',
  ].join('\n')
  await transaction(db, (tx) =>
    mail.enqueue(
      tx,
      sql`select 'overdue-' || ${week}::int || '-' || u.id as event_key, u.email as recipient,
            'Overdue payments to clients' as subject, ${body}::text as body
          from users u where u.role = any(${[...permissions.paymentManagement]}::text[]) and u.status = 'active'
            and u.email <> '' and wants_mail(u.id, 'overdue')`,
    ),
  )
}
