// Cases, the hot list, disputes and back-tests.
import { sql } from 'kysely'
import { admin, each, next, reason, secondAdmin, support, withId, type Fixtures } from './fixture.ts'
import { idFrom } from '../environment/database.ts'
import type { ExamplesEnvironment } from './environment.ts'

export function integrityFixtures(environment: ExamplesEnvironment): Fixtures {
  const { db, done, cycleId, nextClient } = environment
  /** A matched dispute of one message of a client; of a bill that is paid, or of the open cycle. */
  const dispute = async (what: 'none' | 'open' | 'paid', of = nextClient()) => {
    const id = await idFrom(db)`with dispute as (
            insert into carrier_disputes (carrier, file_name, made_by, made_at, matched_until, matched_at)
            values ('Example Telecom', '', 4, now(), now(), now()) returning id
          ), line as (
            insert into carrier_dispute_lines (dispute_id, line, number, sender, from_at, until_at)
            select id, 2, '449098790142', '', now() - interval '1 day', now() from dispute returning dispute_id
          )
          select dispute_id as id from line`
    if (what !== 'none')
      await sql`insert into disputed_records (record_id, record_created_at, dispute_id, line, client_id, number_id, sender,
          cycle_id, settlement, amount_micro)
        values (${next() + 1_000_000}, now(), ${id}::bigint, 2, ${of}::int, 1, '447700900318',
          ${what === 'paid' ? cycleId : cycleId + 1}::int, 1, 50000)`.execute(db)
    if (what === 'paid')
      await sql`update billing_periods set status = 'paid', paid_at = now(), received_micro = total_micro
        where cycle_id = ${cycleId}::int and user_id = ${of}::int`.execute(db)
    return id
  }
  /** A case that holds, and waits for a decision. */
  const openCase = async () => {
    return withId(
      await idFrom(db)`insert into integrity_cases (rule, version_id, client_id, subject, day, level,
            state, from_day, facts, words, sender_count, message_count, amount_micro, first_at,
            created_at, due_at)
          values ('paced', 1, ${nextClient()}, '', current_date, 'hold', 'open', current_date, '{}', '[]', 1, 1, 1, now(),
            now(), now() + interval '2 days')
          returning id`,
    )
  }
  return {
    decideErasure: async () => {
      const body = { number: `44770090${next() + 1_000}`, reason }
      const { id } = await done(admin, 'POST', '/api/subscribers/erasures', body)
      return { ...withId(id), who: secondAdmin }
    },
    ...each(['listCaseSenders', 'getCase', 'decideCase', 'takeCase', 'extendCase'], openCase),
    putVersionLive: async () => {
      const found = await idFrom(db)`with made as (
            insert into integrity_versions (note, parameters) select 'Stricter', parameters from integrity_versions
            where id = 1 returning id
          )
          insert into back_tests (version_id, from_day, until_day, made_by, made_at, done_at)
          select id, current_date - 3, current_date - 2, 6, now(), now() from made returning version_id as id`
      return { who: admin, ...withId(found) }
    },
    listBackTestClients: async () =>
      withId((await done(support, 'POST', '/api/integrity/back-tests', { versionId: 1, days: 2 })).id),
    listDisputeLines: async () => withId(await dispute('none')),
    listDisputeClients: async () => withId(await dispute('open')),
    openDisputeCases: async () => withId(await dispute('open')),
    correctDispute: async () => {
      const of = nextClient()
      return { who: admin, ...withId(await dispute('paid', of)), body: { userId: of, reason } }
    },
    removeListedSender: async () => {
      const body = { sender: String(447_700_900_000 + next()), reason }
      return withId((await done(support, 'POST', '/api/integrity/listed-senders', body)).id)
    },
  }
}
