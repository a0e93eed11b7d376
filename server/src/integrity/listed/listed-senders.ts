// The hot list: entries come from people and from files, renew what is there, and are taken off. The rule `list` reads it.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { listedFaultsMax, type ListedReport } from '@tollgate/contract/integrity/listed-senders.ts'
import { messageFieldsOf } from '@tollgate/contract/sentences.ts'
import type { Audit } from '../../audit/index.ts'
import type { Caller } from '../../http/handlers.ts'
import type { Clock } from '../../platform/clock.ts'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import type { ListedLines, NewListed } from './read-listed.ts'

export interface ListedParts {
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
}

// A case reaches so far back, so an entry concerns days as old as this.
const reachDays = 28

interface Saved {
  readonly id: string
  readonly is_new: boolean
}

/** Adds entries and renews those that are there; each sender once. */
async function save(tx: Db, entries: readonly NewListed[], userId: number, now: Date): Promise<Saved[]> {
  const saved = await rows<Saved>(
    tx,
    sql`insert into listed_senders as kept (sender, is_block, reason, until_day, listed_by, listed_at)
        select sender, is_block, reason, until_day, ${userId}::int, ${now}::timestamptz
        from unnest(${entries.map(({ sender }) => sender)}::text[], ${entries.map(({ isBlock }) => isBlock)}::boolean[],
          ${entries.map(({ reason }) => reason)}::text[], ${entries.map(({ untilDay }) => untilDay)}::date[])
          entry (sender, is_block, reason, until_day)
        on conflict (sender, is_block) where removed_at is null do update set reason = excluded.reason,
          until_day = excluded.until_day, listed_by = excluded.listed_by, listed_at = excluded.listed_at
        returning id, xmax = 0 as is_new`,
  )
  await judgeAgain(tx, entries, now)
  return saved
}

/**
 * Makes the last day due on which each of these senders wrote to a client: a case of that day names their earlier messages
 * too.
 */
async function judgeAgain(tx: Db, entries: readonly NewListed[], now: Date): Promise<void> {
  const since = sql`(${now}::timestamptz at time zone 'UTC')::date - ${reachDays}::int`
  const senders = entries.filter(({ isBlock }) => !isBlock).map(({ sender }) => sender)
  const blocks = entries.filter(({ isBlock }) => isBlock).map(({ sender }) => sender)
  // In the order of the index, a block is what stands between its digits and those with the sign behind the nines.
  await changed(
    tx,
    sql`update client_days d set judged_count = 0, judged_at = null from (
          select client_id, max(day) as day from (
            select s.client_id, s.day, s.sender as name from unnest(${senders}::text[]) l join sender_days s
              on s.sender = l and s.day >= ${since}
            union all
            select s.client_id, s.day, l from unnest(${blocks}::text[]) l join sender_days s
              on s.sender >= l and s.sender < l || ':' and length(s.sender) = length(l) + 4 and s.day >= ${since}
          ) wrote group by client_id, name
        ) last
        where d.client_id = last.client_id and d.day = last.day`,
  )
}

/** Puts one entry on the list, or renews it; gives its id. */
export async function addListed(
  tx: Db,
  { clock, audit }: ListedParts,
  entry: NewListed,
  by: Caller,
): Promise<string> {
  const now = clock.now()
  refuseOver(entry, now)
  const [saved] = await save(tx, [entry], by.actor.userId, now)
  const id = saved?.id ?? ''
  await audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: 'listed_sender.add',
    objectType: 'listed_sender',
    objectId: id,
    after: { ...entry, isRenewed: saved?.is_new === false },
  })
  return id
}

function refuseOver({ untilDay }: NewListed, now: Date): void {
  if (untilDay !== null && untilDay < dayOf(now))
    throw new Refusal('invalid', 'The last day is over.', {
      fields: { untilDay: 'Choose a day from today on' },
    })
}

/** A day in UTC. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

// So many entries in a statement.
const entriesAtOnce = 1_000

function* slicesOf(entries: readonly NewListed[]): Generator<readonly NewListed[]> {
  for (let at = 0; at < entries.length; at += entriesAtOnce) yield entries.slice(at, at + entriesAtOnce)
}

/** What putting the lines on the list would do. */
export async function tryListed(db: Db, lines: ListedLines): Promise<ListedReport> {
  let renewedCount = 0
  for (const slice of slicesOf(lines.entries)) {
    const found = await row<{ count: number }>(
      db,
      sql`select count(*)::int as count from unnest(${slice.map(({ sender }) => sender)}::text[],
            ${slice.map(({ isBlock }) => isBlock)}::boolean[]) entry (sender, is_block)
          join listed_senders l on l.sender = entry.sender and l.is_block = entry.is_block and l.removed_at is null`,
    )
    renewedCount += found?.count ?? 0
  }
  return reportOf(lines, { addedCount: lines.entries.length - renewedCount, renewedCount, isApplied: false })
}

/** Puts what a file names on the list; nothing when a line is faulty. */
export async function importListed(
  tx: Db,
  { clock, audit }: ListedParts,
  lines: ListedLines,
  fileName: string,
  by: Caller,
): Promise<ListedReport> {
  if (lines.faults.length > 0) return tryListed(tx, lines)
  let addedCount = 0
  for (const slice of slicesOf(lines.entries)) {
    const saved = await save(tx, slice, by.actor.userId, clock.now())
    addedCount += saved.filter(({ is_new: isNew }) => isNew).length
  }
  const renewedCount = lines.entries.length - addedCount
  await audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: 'listed_sender.import',
    objectType: 'listed_sender',
    objectId: `${lines.entries.length} senders`,
    after: { file: fileName, added: addedCount, renewed: renewedCount },
  })
  return reportOf(lines, { addedCount, renewedCount, isApplied: true })
}

function reportOf(
  { lineCount, faults }: ListedLines,
  counts: Pick<ListedReport, 'addedCount' | 'renewedCount' | 'isApplied'>,
): ListedReport {
  return {
    lineCount,
    ...counts,
    faults: faults
      .slice(0, listedFaultsMax)
      .map(({ line, sender, fault }) => ({ line, sender, ...messageFieldsOf(fault) })),
    faultCount: faults.length,
  }
}

/** Takes an entry off the list. Throws Refusal not_found, and wrong_state for one that is off already. */
export async function removeListed(
  tx: Db,
  { clock, audit }: ListedParts,
  id: string,
  reason: string,
  by: Caller,
): Promise<void> {
  const found = await row<{ sender: string; is_block: boolean; is_off: boolean }>(
    tx,
    sql`select sender, is_block, removed_at is not null as is_off from listed_senders where id = ${id}::bigint for update`,
  )
  if (found === undefined) throw new Refusal('not_found', 'There is no such entry.')
  if (found.is_off) throw new Refusal('wrong_state', 'This entry is off the list already.')
  await changed(
    tx,
    sql`update listed_senders set removed_by = ${by.actor.userId}::int, removed_at = ${clock.now()}::timestamptz,
          removal_reason = ${reason} where id = ${id}::bigint`,
  )
  await audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: 'listed_sender.remove',
    objectType: 'listed_sender',
    objectId: id,
    before: { sender: found.sender, isBlock: found.is_block },
    after: { reason },
  })
}
