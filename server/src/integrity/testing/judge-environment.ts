// What the tests of the judge stand on: clients with numbers, and counts of senders as the follower leaves them.
import { sql } from 'kysely'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { judgeDay } from '../judge/judge.ts'
import { standardThresholds } from '../rules/thresholds.ts'
import type { UsualDay } from '../rules/usual.ts'

/** The judged day. */
export const today = '2026-03-04'
/** Has no numbers of its own before this week. */
export const newClient = 6

/** So many days before {@link today}. */
export const daysAgo = (count: number): string =>
  new Date(Date.parse(today) - count * 86_400_000).toISOString().slice(0, 10)

/** A sender of this block of ten thousand numbers. */
export const senderIn = (block: number, place: number): string =>
  `4477${String(block).padStart(4, '0')}${String(place).padStart(4, '0')}`

interface Written {
  readonly client?: number
  readonly number?: number
  readonly day?: string
  /** The ten minutes of the day in which it writes, one message in each. */
  readonly slots?: readonly number[]
  readonly messages?: number
  /** Minutes after the beginning of the first slot. */
  readonly minute?: number
}

interface Listed {
  readonly sender: string
  readonly isBlock?: boolean
  readonly untilDay?: string
  readonly isRemoved?: boolean
}

export interface JudgeEnvironment {
  readonly db: Db
  /** Puts an entry on the hot list. */
  readonly listSender: (listed: Listed) => Promise<void>
  /** Counts messages of these senders. */
  readonly write: (senders: readonly string[], written?: Written) => Promise<void>
  /** Judges today; gives each case as `rule level`. */
  readonly judge: (client?: number) => Promise<string[]>
  /** The senders of the holds of a rule. */
  readonly members: (rule: string) => Promise<string[]>
}

const version = { id: 1, thresholds: standardThresholds }

const usualDay: UsualDay = {
  hours: Array.from({ length: 24 }, (_, hour) => (hour < 8 ? 1 : 10)),
  block: 6,
  paced: 1,
  nearShare: 0.01,
  strangeShare: 0.02,
}

/** Clients 1 to 6 with one number each; 1 to 5 have known days behind them. */
export async function openJudgeEnvironment(): Promise<JudgeEnvironment> {
  const { db } = await openTestDatabase()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, i || '@example.org', 'U', 'U', 'x', 'user' from generate_series(1, 6) i`.execute(db)
  await sql`insert into numbers (number) select '90900000000' || i from generate_series(1, 6) i`.execute(db)
  await sql`insert into number_holders (number_id, user_id, held_from)
    select i, i, ${today}::timestamptz - make_interval(days => case when i = ${newClient}::int then 4 else 90 end)
    from generate_series(1, 6) i`.execute(db)
  await sql`insert into client_days (client_id, day, message_count, judged_count, usual)
    select c, ${today}::date - d, 0, 0, ${JSON.stringify(usualDay)}::jsonb
    from generate_series(1, 5) c, generate_series(2, 34) d`.execute(db)
  // The blocks are known, so nobody in them is a stranger.
  await sql`insert into sender_blocks (block, first_day, last_day)
    select '4477' || lpad(i::text, 4, '0'), ${daysAgo(60)}::date, ${today}::date from generate_series(0, 999) i`.execute(
    db,
  )

  async function write(senders: readonly string[], written: Written = {}): Promise<void> {
    const { client = 1, day = today, slots = [110], minute = 0 } = written
    const { number = client, messages = slots.length } = written
    const bits = Array.from({ length: 144 }, (_, slot) => (slots.includes(slot) ? '1' : '0')).join('')
    const at = (slot: number) => new Date(Date.parse(day) + (slot * 10 + minute) * 60_000)
    await sql`insert into sender_days
      select ${client}::int, ${day}::date, ${number}::int, sender, ${messages}::int, ${messages * 50_000}::bigint,
        ${bits}::bit(144), ${at(Math.min(...slots))}, ${at(Math.max(...slots))} from unnest(${[...senders]}::text[]) sender`.execute(
      db,
    )
  }

  async function listSender({ sender, isBlock = false, untilDay, isRemoved = false }: Listed): Promise<void> {
    const removedBy = isRemoved ? 1 : null
    await sql`insert into listed_senders (sender, is_block, reason, until_day, listed_by, listed_at, removed_by, removed_at)
      values (${sender}, ${isBlock}, 'A carrier named it', ${untilDay ?? null}::date, 1, ${daysAgo(40)}::timestamptz,
        ${removedBy}::int, case when ${removedBy}::int is not null then ${daysAgo(3)}::timestamptz end)`.execute(
      db,
    )
  }

  async function judge(client = 1): Promise<string[]> {
    await judgeDay(db, client, today, { version, now: new Date(`${today}T23:00:00Z`) })
    const found = await rows<{ found: string }>(
      db,
      sql`select rule || ' ' || level as found from integrity_cases
          where client_id = ${client}::int and day = ${today}::date order by 1`,
    )
    return found.map(({ found: each }) => each)
  }

  async function members(rule: string): Promise<string[]> {
    const found = await row<{ senders: string[] }>(
      db,
      sql`select coalesce(array_agg(m.sender order by m.sender), '{}') as senders from integrity_cases c
          join integrity_members m on m.case_id = c.id where c.rule = ${rule} and c.level = 'hold'`,
    )
    return found?.senders ?? []
  }
  return { db, listSender, write, judge, members }
}
