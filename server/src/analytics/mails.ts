// Views of Analytics that are mailed to who made them: each day, week or month that is over, as the person may see it when
// the mail is made.
import {
  analyticsLook,
  analyticsMailsMax,
  type AnalyticsLook,
  type AnalyticsMail,
  type AnalyticsReport,
  type MailRhythm,
} from '@tollgate/contract/analytics/analytics.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { isPermitted, type Role } from '@tollgate/contract/vocabulary.ts'
import { sql } from 'kysely'
import type { Mail } from '../mail/index.ts'
import { changed, rows, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import type { ReadDeps, Viewer } from '../records/index.ts'
import { analyse } from './analyse.ts'

const dayMs = 86_400_000
// A mail is read, not searched: the rest is in the console.
const linesMax = 40
const dueAtOnce = 20

interface MailRow {
  readonly id: number
  readonly user_id: number
  readonly name: string
  readonly every: MailRhythm
  readonly look: unknown
  readonly next_on: string
}

export async function listMails(
  db: Db,
  userId: number,
  canMail: boolean,
): Promise<{ canMail: boolean; email: string; mails: AnalyticsMail[] }> {
  const person = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  const found = await rows<MailRow>(
    db,
    sql`select id, user_id, name, every, look, next_on::text from analytics_mails
        where user_id = ${userId} order by name`,
  )
  const email = person?.email ?? ''
  return {
    canMail: canMail && email !== '',
    email,
    mails: found.map(({ id, name, every, look, next_on: nextOn }) => ({
      id: String(id),
      name,
      every,
      look: analyticsLook.parse(look),
      nextOn,
    })),
  }
}

/** Throws Refusal wrong_state for one mail too many, and what `analyse` refuses of such a period. */
export async function keepMail(
  reading: ReadDeps,
  viewer: Viewer,
  { name, every, look }: Pick<AnalyticsMail, 'name' | 'every' | 'look'>,
): Promise<void> {
  const nextOn = nextAfter(reading.clock.now(), every)
  await analyse(reading, viewer, { ...look, ...periodBefore(nextOn, every) })
  const kept = await changed(
    reading.db,
    sql`insert into analytics_mails as kept (user_id, name, every, look, next_on)
        select ${viewer.userId}::int, ${name}::text, ${every}::text, ${JSON.stringify(look)}::jsonb, ${nextOn}::date
        where (select count(*) from analytics_mails where user_id = ${viewer.userId} and name <> ${name}) < ${analyticsMailsMax}
        on conflict (user_id, name) do update set every = excluded.every, look = excluded.look, next_on = excluded.next_on`,
  )
  if (kept === 0)
    throw new Refusal(
      'wrong_state',
      sentence('At most {count} views are mailed. Remove one first.', { count: analyticsMailsMax }),
    )
}

export async function deleteMail(db: Db, userId: number, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('analytics_mails')
    .where(sql<boolean>`id::text = ${id}`)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new Refusal('not_found', 'This view is not mailed any more.')
}

export interface MailingDeps {
  readonly reading: ReadDeps
  readonly mail: Pick<Mail, 'enqueueEncrypted'>
  readonly consoleUrl: string | undefined
}

/** Queues what is due. It may run on two nodes at once: a mail and its next day are one transaction. */
export async function sendMails(deps: MailingDeps, signal: AbortSignal): Promise<void> {
  const { db, clock } = deps.reading
  const today = dayOf(clock.now().getTime())
  const due = await rows<MailRow & { role: Role; email: string }>(
    db,
    sql`select m.id, m.user_id, m.name, m.every, m.look, m.next_on::text, u.role, u.email
        from analytics_mails m join users u on u.id = m.user_id
        where m.next_on <= ${today}::date and u.status = 'active' and u.email <> '' order by m.next_on, m.id limit ${dueAtOnce}`,
  )
  for (const each of due) {
    if (signal.aborted) return
    const body = isPermitted(each.role, 'recordsRead') ? await writeBody(deps, each) : undefined
    const nextOn = nextAfter(clock.now(), each.every)
    await transaction(db, async (tx) => {
      const isMine = await changed(
        tx,
        sql`update analytics_mails set next_on = ${nextOn}::date
            where id = ${each.id} and next_on = ${each.next_on}::date`,
      )
      if (isMine === 0 || body === undefined) return
      // Encrypted, and deleted once it was sent: it names people's traffic.
      await deps.mail.enqueueEncrypted(tx, {
        eventKey: `analytics-${each.id}-${each.next_on}`,
        recipient: each.email,
        subject: `Analytics: ${each.name}`,
        body,
      })
    })
  }
}

async function writeBody(
  { reading, consoleUrl }: MailingDeps,
  { look, every, next_on: nextOn, user_id: userId, role }: MailRow & { readonly role: Role },
): Promise<string> {
  const parsed = analyticsLook.parse(look)
  const days = periodBefore(nextOn, every)
  const where = consoleUrl === undefined ? 'Dashboard, Analytics' : `${consoleUrl}/?tab=analytics`
  const head = [`From ${days.dateFrom} to ${days.dateTo} (UTC)`, ...filterLines(parsed), '']
  try {
    const report = await analyse(reading, { userId, role }, { ...parsed, ...days })
    return [...head, ...linesOf(report), '', `More, and an end to these mails: ${where}`].join('\n')
  } catch (error) {
    // When the period is too much to add up, the mail says so, and the next mail tries again.
    if (!(error instanceof Refusal)) throw error
    return [...head, error.message, '', where].join('\n')
  }
}

function filterLines({ range, country, client, gateway, status }: AnalyticsLook): string[] {
  const filters = { Range: range, Country: country, Client: client, Supplier: gateway, Status: status }
  return Object.entries(filters).flatMap(([label, value]) =>
    value === undefined ? [] : [`${label}: ${value}`],
  )
}

function linesOf({ total, rows: found, left }: AnalyticsReport): string[] {
  const figures = ({ count, delivered, bill, amountUsd }: typeof total) =>
    [
      `${count} messages`,
      ...(delivered === null ? [] : [`${delivered} delivered`]),
      `bill ₪${bill}`,
      `earned ${amountUsd} USD`,
    ].join(', ')
  const more = left + Math.max(0, found.length - linesMax)
  return [
    `Total: ${figures(total)}`,
    ...found
      .slice(0, linesMax)
      .map((each) => `${[each.group || '–', each.second].filter(Boolean).join(' / ')}: ${figures(each)}`),
    ...(more > 0 ? [`… and ${more} more rows`] : []),
  ]
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The next day on which such a mail is sent: tomorrow, Monday, or the first of a month. */
export function nextAfter(now: Date, every: MailRhythm): string {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (every === 'month') return dayOf(Date.UTC(year, month + 1, 1))
  const daysAhead = every === 'day' ? 1 : 7 - ((now.getUTCDay() + 6) % 7)
  return dayOf(Date.UTC(year, month, day + daysAhead))
}

/** The day, week or month that ends with the day before. */
export function periodBefore(
  sentOn: string,
  every: MailRhythm,
): { readonly dateFrom: string; readonly dateTo: string } {
  const end = Date.parse(sentOn)
  const dateTo = dayOf(end - dayMs)
  if (every === 'month') return { dateFrom: `${dateTo.slice(0, 7)}-01`, dateTo }
  return { dateFrom: dayOf(end - (every === 'day' ? 1 : 7) * dayMs), dateTo }
}
