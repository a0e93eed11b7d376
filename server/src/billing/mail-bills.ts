// What clients are told by mail of their bills. Written by SQL, because one close makes thousands; amounts and times as
// the console shows them, and nothing in it that a stranger could have typed.
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../platform/db.ts'
import type { BillingParts } from './parts.ts'

type MailParts = Pick<BillingParts, 'mail' | 'consoleUrl'>

/** Two decimals, all six if any beyond the second is not 0. Visual language §13. */
const amount = (column: string): RawBuilder<unknown> => {
  const micro = sql.raw(column)
  return sql`to_char(${micro} * 0.000001, case when ${micro} % 10000 = 0 then 'FM999,999,999,999,990.00'
    else 'FM999,999,999,999,990.000000' end) || ' USDT'`
}

const instant = (column: string) => sql`to_char(${sql.raw(column)} at time zone 'UTC', 'DD/MM/YYYY HH24:MI')`

const periodLine = sql`'Period: ' || ${instant('c.starts_at')} || ' to ' || ${instant('c.ends_at')} || ' (UTC)'`
const ending = (column: string) => sql`'your USDT address ending in ' || right(${sql.raw(column)}, 6)`

const whyLine = 'You get this mail because the payment profile of the account names this e-mail address.'

/** Where to look, by the page's path with its query. */
export function consoleLine({ consoleUrl }: MailParts, page: string): string {
  return consoleUrl === undefined
    ? 'See it in the console, on the page Payment & Billing.'
    : `See it in the console: ${consoleUrl}${page}`
}

/** The bill itself, where a link can name it. */
function billPage(parts: MailParts): RawBuilder<unknown> {
  const line = sql`${consoleLine(parts, '/payment?tab=billing')}::text`
  return parts.consoleUrl === undefined ? line : sql`${line} || '&open=' || b.cycle_id || '-' || b.user_id`
}

/** Lines with a break after each; an SQL null leaves its line out. */
export function textOf(lines: readonly (RawBuilder<unknown> | string)[]): RawBuilder<unknown> {
  const texts = lines.map((line) => (typeof line === 'string' ? sql`${line}::text` : line))
  return sql`concat_ws(chr(10), ${sql.join([...texts, sql`''::text`, sql`${whyLine}::text`, sql`''::text`])})`
}

/** Tells everybody who got a bill in this cycle: one statement, however many they are. */
export async function mailBills(tx: Db, parts: MailParts, cycleId: number): Promise<void> {
  const body = textOf([
    sql`'A bill was made for the account ' || u.username || '.'`,
    '',
    periodLine,
    sql`'Messages: ' || to_char(b.sms_count, 'FM999,999,999,999,990')`,
    sql`'Amount: ' || ${amount('b.total_micro')}`,
    '',
    sql`case
      when b.usdt_address is null then
        'There is no address to pay it to. Enter your USDT TRC20 address in the payment profile.'
      when b.payable_from > b.bill_sent_at then
        'It may be paid from ' || ${instant('b.payable_from')} || ' (UTC) on, to ' || ${ending('b.usdt_address')} || '.'
      else 'It is to be paid within the period that follows, to ' || ${ending('b.usdt_address')} || '.' end`,
    '',
    billPage(parts),
  ])
  await parts.mail?.enqueue(
    tx,
    sql`select 'bill-' || b.cycle_id || '-' || b.user_id as event_key, p.email as recipient,
          'Your bill of ' || ${amount('b.total_micro')} as subject, ${body} as body
        from billing_periods b join cycles c on c.id = b.cycle_id join users u on u.id = b.user_id
        join payment_profiles p on p.user_id = b.user_id
        where b.cycle_id = ${cycleId} and p.email <> ''`,
  )
}

/** Tells the client that a bill was paid, and how far that was checked. */
export async function mailPaidBill(tx: Db, parts: MailParts, paymentId: string): Promise<void> {
  const body = textOf([
    sql`'A bill of the account ' || u.username || ' was paid.'`,
    '',
    periodLine,
    sql`'Amount: ' || ${amount('y.amount_micro')}`,
    sql`'To: ' || ${ending('y.usdt_address')}`,
    sql`'Transaction: ' || y.transaction_hash`,
    '',
    sql`case y.verification
      when 'verified' then 'The transfer was found on the TRON network.'
      when 'unverified' then 'It was marked as paid; the transfer was not looked up on the TRON network.'
      else 'The transfer found on the TRON network is of another amount, and was accepted as full payment.' end`,
    'Look the transaction up on a TRON explorer, and check that it reached your wallet.',
    '',
    billPage(parts),
  ])
  await parts.mail?.enqueue(
    tx,
    sql`select 'paid-' || y.id as event_key, p.email as recipient,
          'Your bill of ' || ${amount('y.amount_micro')} || ' was paid' as subject, ${body} as body
        from payments y join billing_periods b using (cycle_id, user_id) join cycles c on c.id = y.cycle_id
        join users u on u.id = y.user_id join payment_profiles p on p.user_id = y.user_id
        where y.id = ${paymentId}::bigint and p.email <> ''`,
  )
}
