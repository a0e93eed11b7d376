// Mails to clients about their bills and payouts. SQL writes the texts, because one close sends thousands. Amounts and
// times look as in the console. The texts contain nothing that another person could have typed.
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../platform/db.ts'
import type { AccountSpan } from '../rules.ts'
import type { BillingDeps } from '../deps.ts'

type BillMailParts = Pick<BillingDeps, 'mail' | 'consoleUrl'>

// A client may have thousands of numbers, each with its own payout. The rest is shown in the console.
const paidPayoutsPerDayMax = 20

/** Two decimals, all six if any beyond the second is not 0. Visual language §13. */
export const amount = (column: string): RawBuilder<unknown> => {
  const micro = sql.raw(column)
  return sql`to_char(${micro} * 0.000001, case when ${micro} % 10000 = 0 then 'FM999,999,999,999,990.00'
    else 'FM999,999,999,999,990.000000' end) || ' USDT'`
}

const count = (column: string) => sql`to_char(${sql.raw(column)}, 'FM999,999,999,999,990')`
export const instantSql = (column: string) =>
  sql`to_char(${sql.raw(column)} at time zone 'UTC', 'DD/MM/YYYY HH24:MI')`

export const periodLine = sql`'Period: ' || ${instantSql('c.starts_at')} || ' to ' || ${instantSql('c.ends_at')} || ' (UTC)'`
export const ending = (column: string) =>
  sql`'your USDT address ending in ' || right(nullif(${sql.raw(column)}, ''), 6)`

const noAddress = sql`'There is no address to pay to. Enter your USDT TRC20 address in the payment profile.'`

const billingPage = '/payment?tab=billing'
const whyLine = 'You get this mail because the payment profile of the account names this e-mail address.'

/** The line that names the console's page; `page` is its path with the query. */
export function consoleLine({ consoleUrl }: BillMailParts, page: string): string {
  return consoleUrl === undefined
    ? 'See it in the console, on the page Payment & Billing.'
    : `See it in the console: ${consoleUrl}${page}`
}

/** A link that opens this bill; without a console address, only the page's name. */
export function billPage(deps: BillMailParts): RawBuilder<unknown> {
  const line = sql`${consoleLine(deps, billingPage)}::text`
  return deps.consoleUrl === undefined ? line : sql`${line} || '&open=' || b.cycle_id || '-' || b.user_id`
}

/** Joins lines with line breaks; a line that is SQL null is left out. */
export function textOf(lines: readonly (RawBuilder<unknown> | string)[]): RawBuilder<unknown> {
  const texts = lines.map((line) => (typeof line === 'string' ? sql`${line}::text` : line))
  return sql`concat_ws(chr(10), ${sql.join([...texts, sql`''::text`, sql`${whyLine}::text`, sql`''::text`])})`
}

/** Mails every client of the span who got a bill in this cycle, by one SQL statement. */
export async function mailBills(
  tx: Db,
  deps: BillMailParts,
  cycleId: number,
  span: AccountSpan,
): Promise<void> {
  const body = textOf([
    sql`'A bill was made for the account ' || u.username || '.'`,
    '',
    periodLine,
    sql`'Messages: ' || ${count('b.sms_count')}`,
    sql`'Amount: ' || ${amount('b.total_micro')}`,
    '',
    sql`case
      when b.usdt_address is null then ${noAddress}
      when b.payable_from > b.bill_sent_at then
        'It may be paid from ' || ${instantSql('b.payable_from')} || ' (UTC) on, to ' || ${ending('b.usdt_address')} || '.'
      else 'It is to be paid within the period that follows, to ' || ${ending('b.usdt_address')} || '.' end`,
    '',
    billPage(deps),
  ])
  await deps.mail?.enqueue(
    tx,
    sql`select 'bill-' || b.cycle_id || '-' || b.user_id as event_key, p.email as recipient,
          'Your bill of ' || ${amount('b.total_micro')} as subject, ${body} as body
        from billing_periods b join cycles c on c.id = b.cycle_id join users u on u.id = b.user_id
        join payment_profiles p on p.user_id = b.user_id
        where b.cycle_id = ${cycleId} and b.user_id between ${span.from} and ${span.to} and p.email <> ''
          and wants_mail(u.id, 'bills')`,
  )
}

/** Mails every client who got payouts in this cycle: one mail for all numbers of a client. */
export async function mailPayouts(
  tx: Db,
  deps: BillMailParts,
  cycleId: number,
  span: AccountSpan,
): Promise<void> {
  const body = textOf([
    sql`'Payouts were made for the account ' || u.username || ', for numbers with a price of their own.'`,
    '',
    periodLine,
    sql`'Numbers: ' || ${count('o.number_count')}`,
    sql`'Messages: ' || ${count('o.sms_count')}`,
    sql`'Amount: ' || ${amount('o.amount_micro')}`,
    '',
    sql`case when o.usdt_address is null then ${noAddress}
      else 'They are to be paid within the period that follows, to ' || ${ending('o.usdt_address')} || '.' end`,
    '',
    consoleLine(deps, billingPage),
  ])
  await deps.mail?.enqueue(
    tx,
    sql`select 'payouts-' || o.cycle_id || '-' || o.user_id as event_key, p.email as recipient,
          'Your payouts of ' || ${amount('o.amount_micro')} as subject, ${body} as body
        from (
          select cycle_id, user_id, count(*) as number_count, sum(sms_count)::bigint as sms_count,
            sum(amount_micro)::bigint as amount_micro, min(usdt_address) as usdt_address
          from payouts where cycle_id = ${cycleId} and user_id between ${span.from} and ${span.to} group by cycle_id, user_id
        ) o join cycles c on c.id = o.cycle_id join users u on u.id = o.user_id
        join payment_profiles p on p.user_id = o.user_id
        where p.email <> '' and wants_mail(u.id, 'bills')`,
  )
}

/** What became of a debt, whose columns have the prefix: `total` is what it was of. What is 0 is left out. */
const settlement = (alias: string, total: string) => {
  const line = (label: string, column: string) =>
    sql`case when ${sql.raw(column)} > 0 then ${label}::text || ${amount(column)} end`
  return [
    sql`'Amount: ' || ${amount(total)}`,
    line('Deducted by credit notes or waived: ', `${alias}.reduced_micro`),
    line('Set off: ', `${alias}.set_off_micro`),
    line('Received: ', `${alias}.received_micro`),
  ]
}

const transfer = [
  sql`'To: ' || ${ending('y.usdt_address')}`,
  sql`'Transaction: ' || y.transaction_hash`,
  '',
  sql`case
    when y.transaction_hash is null then 'It was marked as paid without a transaction hash: ask support which transfer it was.'
    when y.verification = 'verified' then 'The transfer was found on the TRON network.'
    when y.verification = 'unverified' then 'It was marked as paid; the transfer was not looked up on the TRON network.'
    else 'The transfer found on the TRON network is of ' || ${amount('y.received_micro')} || '.' end`,
  sql`case when y.transaction_hash is not null then
    'Look the transaction up on a TRON explorer, and check that it reached your wallet.' end`,
] as const

/** Mails the client that a bill was paid, and how the payment was verified. */
export async function mailPaidBill(tx: Db, deps: BillMailParts, paymentId: string): Promise<void> {
  const body = textOf([
    sql`'A bill of the account ' || u.username || ' was paid.'`,
    '',
    periodLine,
    ...settlement('b', 'b.total_micro'),
    ...transfer,
    '',
    billPage(deps),
  ])
  await deps.mail?.enqueue(
    tx,
    sql`select 'paid-' || y.id as event_key, p.email as recipient,
          'Your bill of ' || ${amount('b.total_micro')} || ' was paid' as subject, ${body} as body
        from payments y join billing_periods b using (cycle_id, user_id) join cycles c on c.id = y.cycle_id
        join users u on u.id = y.user_id join payment_profiles p on p.user_id = y.user_id
        where y.id = ${paymentId}::bigint and p.email <> '' and wants_mail(u.id, 'payments')`,
  )
}

/** The same for a number's payout. */
export async function mailPaidPayout(tx: Db, deps: BillMailParts, userId: number, paymentId: string) {
  const keyStart = `payout-paid-${userId}-`
  const body = textOf([
    sql`'A payout of the account ' || u.username || ' was paid.'`,
    '',
    periodLine,
    sql`'Number: +' || n.number`,
    sql`'Messages: ' || ${count('o.sms_count')}`,
    ...settlement('o', 'o.amount_micro'),
    ...transfer,
    '',
    `At most ${paidPayoutsPerDayMax} of these mails are sent in a day; the console shows every payout.`,
    consoleLine(deps, billingPage),
  ])
  await deps.mail?.enqueue(
    tx,
    sql`select ${keyStart}::text || y.id as event_key, p.email as recipient,
          'Your payout of ' || ${amount('o.amount_micro')} || ' was paid' as subject, ${body} as body
        from payments y join payouts o on o.id = y.payout_id join numbers n on n.id = o.number_id
        join cycles c on c.id = o.cycle_id join users u on u.id = y.user_id
        join payment_profiles p on p.user_id = y.user_id
        where y.id = ${paymentId}::bigint and p.email <> '' and wants_mail(u.id, 'payments')`,
    { keyStart, max: paidPayoutsPerDayMax },
  )
}
