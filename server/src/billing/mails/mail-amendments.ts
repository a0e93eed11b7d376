// Mails to clients about amendments of their bills. The reasons are read in the console: mails contain nothing that
// another person typed.
import { sql } from 'kysely'
import type { Db } from '../../platform/db.ts'
import type { BillingDeps } from '../deps.ts'
import { amount, billPage, ending, instantSql, periodLine, textOf } from './mail-bills.ts'

type AmendmentMailParts = Pick<BillingDeps, 'mail' | 'consoleUrl'>

const subject = sql`case a.kind
    when 'withhold' then 'Your bill is being reviewed'
    when 'resume' then 'The review of your bill has ended'
    when 'void' then 'Your bill was voided and will be reissued'
    when 'credit_note' then 'A credit note of ' || ${amount('a.amount_micro')} || ' for your bill'
    else case a.status when 'pending' then 'Your bill is to go to another address' else 'Your bill goes to another address' end
  end`

const whatHappened = sql`case a.kind
    when 'withhold' then 'The bill is not paid while it is reviewed.'
    when 'resume' then 'The bill can be paid again.'
    when 'void' then 'This bill will not be paid. ' || ${amount('a.amount_micro')}
      || ' of it are in your open period, whose bill contains them.'
    when 'credit_note' then 'The credit note reduces the bill by ' || ${amount('a.amount_micro')} || '.'
    else case a.status
      when 'pending' then 'Support has asked for this bill to be paid to ' || ${ending('a.usdt_address')}
        || '. It takes effect after ' || ${instantSql('a.acceptable_from')} || ' (UTC), if a second person approves.'
      else 'This bill is paid to ' || ${ending('a.usdt_address')} || ' from now on.' end
  end`

/** Tells the client of an amendment that is done, or of a new address that waits. */
export async function mailAmendment(tx: Db, deps: AmendmentMailParts, amendmentId: string): Promise<void> {
  const body = textOf([
    sql`'A bill of the account ' || u.username || ' has changed.'`,
    '',
    periodLine,
    sql`'Bill: ' || ${amount('b.total_micro')}`,
    whatHappened,
    sql`case when a.kind not in ('void', 'readdress') then 'Due: ' || ${amount('b.due_micro')} end`,
    '',
    sql`case when a.kind = 'readdress' then
      'If this is not your address, tell support at once and change your password.' end`,
    billPage(deps),
  ])
  await deps.mail?.enqueue(
    tx,
    sql`select 'amendment-' || a.id || '-' || a.status as event_key, p.email as recipient, ${subject} as subject,
          ${body} as body
        from bill_amendments a join billing_periods b using (cycle_id, user_id) join cycles c on c.id = a.cycle_id
        join users u on u.id = a.user_id join payment_profiles p on p.user_id = a.user_id
        where a.id = ${amendmentId}::bigint and p.email <> ''`,
  )
}
