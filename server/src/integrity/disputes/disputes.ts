// Disputes: stored as they were read, and what is done about what was found for them.
import { sql } from 'kysely'
import { disputeFaultsMax, type DisputeReport } from '@tollgate/contract/integrity/disputes.ts'
import { caseDueHours } from '@tollgate/contract/integrity/integrity.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { messageFieldsOf, sentence } from '@tollgate/contract/sentences.ts'
import type { Audit } from '../../audit/index.ts'
import type { Caller } from '../../http/handlers.ts'
import type { Clock } from '../../platform/clock.ts'
import { changed, row, type Db } from '../../platform/db.ts'
import type { Modes } from '../modes.ts'
import type { DisputeFile, NewDisputeLine } from './read-dispute.ts'
import { clientsWithPaid, disputeClients } from './views.ts'

export interface DisputeParts {
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly readModes: (db: Db) => Promise<Modes>
  /** Corrects what a client is owed, as somebody who may do so would; gives the correction's id. */
  readonly correct: (
    tx: Db,
    correction: { readonly userId: number; readonly amount: string; readonly reason: string },
    by: Caller,
  ) => Promise<string>
}

/** Stores a file whose lines are all good; `isTrial` only reports. */
export async function importDispute(
  tx: Db,
  { clock, audit }: DisputeParts,
  file: DisputeFile,
  of: { readonly carrier: string; readonly fileName: string; readonly isTrial: boolean },
  by: Caller,
): Promise<DisputeReport> {
  const unknown = await row<{ count: number }>(
    tx,
    sql`select count(*)::int as count from unnest(${file.lines.map(({ number }) => number)}::text[]) asked
        where not exists (select from numbers n where n.number = asked)`,
  )
  const report = {
    lineCount: file.lineCount,
    unknownNumberCount: unknown?.count ?? 0,
    faults: file.faults
      .slice(0, disputeFaultsMax)
      .map(({ line, number, fault }) => ({ line, number, ...messageFieldsOf(fault) })),
    faultCount: file.faults.length,
  }
  if (of.isTrial || file.faults.length > 0) return { ...report, disputeId: null }
  const { carrier, fileName } = of
  // Before the oldest message there is nothing to look for.
  const added = await row<{ id: string }>(
    tx,
    sql`insert into carrier_disputes (carrier, file_name, made_by, made_at, matched_until)
        values (${carrier}, ${fileName}, ${by.actor.userId}, ${clock.now()},
          coalesce((select created_at from records order by created_at limit 1), ${clock.now()}::timestamptz)) returning id`,
  )
  const id = added?.id ?? ''
  await insertLines(tx, id, file.lines)
  await audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: 'dispute.import',
    objectType: 'dispute',
    objectId: id,
    after: { carrier, file: fileName, lines: file.lineCount },
  })
  return { ...report, disputeId: id }
}

async function insertLines(tx: Db, id: string, lines: readonly NewDisputeLine[]): Promise<void> {
  await changed(
    tx,
    sql`insert into carrier_dispute_lines (dispute_id, line, number, sender, from_at, until_at, claimed_count, claimed_micro)
        select ${id}::bigint, each.* from unnest(${lines.map(({ line }) => line)}::int[],
          ${lines.map(({ number }) => number)}::text[], ${lines.map(({ sender }) => sender)}::text[],
          ${lines.map(({ from }) => from)}::timestamptz[], ${lines.map(({ until }) => until)}::timestamptz[],
          ${lines.map(({ count }) => count)}::bigint[],
          ${lines.map(({ amountMicro }) => amountMicro?.toString() ?? null)}::bigint[]) each`,
  )
}

/** The dispute, locked. Throws Refusal not_found, and wrong_state for one that is still being matched. */
async function lockMatched(
  tx: Db,
  id: string,
): Promise<{ readonly carrier: string; readonly isOpened: boolean }> {
  const found = await row<{ carrier: string; is_matched: boolean; is_opened: boolean }>(
    tx,
    sql`select carrier, matched_at is not null as is_matched, opened_at is not null as is_opened
        from carrier_disputes where id = ${id}::bigint for update`,
  )
  if (found === undefined) throw new Refusal('not_found', 'There is no such dispute.')
  if (!found.is_matched)
    throw new Refusal('wrong_state', 'Its messages are still being looked up. Try again in a moment.')
  return { carrier: found.carrier, isOpened: found.is_opened }
}

/**
 * Makes a case for each client; what is not paid of it is held where the mode says so. Throws Refusal not_found, and wrong_state when it is done already or
 * finds nothing.
 */
export async function openCases(
  tx: Db,
  { clock, audit, readModes }: DisputeParts,
  id: string,
  by: Caller,
): Promise<void> {
  const { carrier, isOpened } = await lockMatched(tx, id)
  if (isOpened) throw new Refusal('wrong_state', 'The cases of this dispute are made already.')
  const clients = (await disputeClients(tx, id)).filter(
    ({ messageCount, paidCount }) => messageCount > paidCount,
  )
  if (clients.length === 0)
    throw new Refusal('wrong_state', 'There is nothing to hold: no message was found that is not paid.')
  const now = clock.now()
  const modes = await readModes(tx)
  for (const { userId } of clients)
    await insertCase(tx, { id, carrier, userId, now, isEnforced: modes.of(userId) === 'enforce' })
  await changed(
    tx,
    sql`update carrier_disputes set opened_by = ${by.actor.userId}::int, opened_at = ${now}::timestamptz
        where id = ${id}::bigint`,
  )
  await audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: 'dispute.open-cases',
    objectType: 'dispute',
    objectId: id,
    after: { carrier, clients: clients.map(({ userName }) => userName).slice(0, 100) },
  })
}

interface NewCaseOf {
  readonly id: string
  readonly carrier: string
  readonly userId: number
  readonly now: Date
  readonly isEnforced: boolean
}

// A case names senders, so it reaches whatever these wrote to the client between its first and its last disputed message.
async function insertCase(tx: Db, { id, carrier, userId, now, isEnforced }: NewCaseOf): Promise<void> {
  const of = await row<{ messages: string; senders: number }>(
    tx,
    sql`select count(*) as messages, count(distinct sender)::int as senders from disputed_records
        where dispute_id = ${id}::bigint and client_id = ${userId}::int`,
  )
  const facts = { dispute: Number(id), messages: Number(of?.messages ?? 0), senders: of?.senders ?? 0 }
  const words = [
    sentence('{carrier} disputes {messages} messages of {senders} senders: dispute {dispute}.', {
      carrier: { text: carrier },
      messages: facts.messages,
      senders: facts.senders,
      dispute: id,
    }),
  ]
  const saved = await row<{ id: string }>(
    tx,
    sql`insert into integrity_cases (rule, version_id, client_id, subject, day, level, from_day, facts, words, sender_count,
          message_count, amount_micro, first_at, created_at, state, due_at, apply_from, apply_to_at, apply_to_id, takes_billed)
        select 'dispute', (select coalesce((array_agg(version_id order by live_from desc))[1], 1) from integrity_version_starts),
          ${userId}::int, ${id}, (max(record_created_at) at time zone 'UTC')::date, 'hold',
          (min(record_created_at) at time zone 'UTC')::date, ${JSON.stringify(facts)}::jsonb, ${JSON.stringify(words)}::jsonb,
          count(distinct sender), count(*), sum(amount_micro), min(record_created_at), ${now}::timestamptz, ${isEnforced ? 'open' : 'dry'},
          ${isEnforced ? new Date(now.getTime() + caseDueHours * 3_600_000) : null}::timestamptz,
          case when ${isEnforced} then min(record_created_at) end,
          case when ${isEnforced} then max(record_created_at) + interval '1 millisecond' end,
          case when ${isEnforced} then 0 end, true
        from disputed_records where dispute_id = ${id}::bigint and client_id = ${userId}::int returning id`,
  )
  await sql`insert into integrity_members (case_id, sender)
    select distinct ${saved?.id ?? ''}::bigint, sender from disputed_records
    where dispute_id = ${id}::bigint and client_id = ${userId}::int`.execute(tx)
}

/**
 * Proposes a correction by what this client was paid for disputed messages, once. Throws Refusal not_found and wrong_state,
 * and what correcting an account throws.
 */
export async function correctDispute(
  tx: Db,
  { audit, correct }: DisputeParts,
  id: string,
  { userId, reason }: { readonly userId: number; readonly reason: string },
  by: Caller,
): Promise<void> {
  await lockMatched(tx, id)
  const found = (await clientsWithPaid(tx, id)).find(({ client }) => client.userId === userId)
  if (found === undefined) throw new Refusal('not_found', 'This client has no message in the dispute.')
  if (found.client.adjustmentId !== null)
    throw new Refusal('wrong_state', 'A correction was proposed for this client already.')
  if (found.paidMicro === 0n) throw new Refusal('wrong_state', 'Nothing of it is paid.')
  const amount = formatMicro(-found.paidMicro)
  const adjustmentId = await correct(tx, { userId, amount, reason }, by)
  await sql`update carrier_disputes set corrections = corrections || jsonb_build_object(${userId}::int, ${adjustmentId}::bigint)
    where id = ${id}::bigint`.execute(tx)
  await audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: 'dispute.correct',
    objectType: 'dispute',
    objectId: id,
    after: { userId, amount, adjustment: adjustmentId, reason },
  })
}
