// The statements of one batch. Each writer's connection has them prepared. Parameters and COPY data are binary.
import { earningsInsert } from '../ledger/index.ts'

/** Takes the traffic gate shared. Fails with TG001 if the catalog's version or the open cycle has changed. */
export const gateStatement = {
  name: 'ingest_gate',
  text: 'select enter_traffic_gate($1::bigint, $2::int)',
}

// The last ones vary in width or may be null.
const recordColumns = `created_at, id, updated_at, bill_micro, amount_micro, number_id, gateway_id, cycle_id, status,
  settlement, flags, no_report, sms_count, client_id, range_id, rate_id, sender, data_coding, segment_reference,
  segment_total, segment_sequence`

/** Records that are spread over servers name their batch, which decides the server (decision 57). */
export function recordsStatement(isSpread: boolean): Statement {
  const columns = isSpread ? `${recordColumns}, batch_id` : recordColumns
  return { name: 'ingest_records', text: `copy records (${columns}) from stdin (format binary)` }
}

export const batchStatement = {
  name: 'ingest_batch',
  text: `insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at, encrypted_bodies,
    record_flags, client_ids, peer_ids) values ($1, clock_timestamp(), $2, $3, $4, $5, $6, $7, $8, $9)`,
}

export const countersStatement = {
  name: 'ingest_counters',
  text: `insert into record_counter_buffers (cycle_id, hours, client_ids, range_ids, gateway_ids, kinds, record_counts,
    bills_micro, amounts_micro) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
}

export const ledgerStatement = { name: 'ingest_ledger', text: earningsInsert }

/** Only for messages that wait and carry times; 0 is none. */
export const timesStatement = {
  name: 'ingest_times',
  text: `insert into record_times (record_id, record_created_at, deliver_at, expires_at)
    select id, to_timestamp(created / 1000.0), to_timestamp(nullif(deliver, 0) / 1000.0),
      to_timestamp(nullif(expires, 0) / 1000.0)
    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as t (id, created, deliver, expires)`,
}

export const commitStatement = { name: 'ingest_commit', text: 'commit' }

/** All statements that a new connection prepares. */
export function batchStatements(isSpread: boolean): readonly Statement[] {
  return [
    gateStatement,
    recordsStatement(isSpread),
    batchStatement,
    countersStatement,
    ledgerStatement,
    timesStatement,
    commitStatement,
  ]
}

export interface Statement {
  readonly name: string
  readonly text: string
}

/** The SQLSTATE of {@link gateStatement} when the catalog or the cycle has changed: the batch must be priced again. */
export const outdatedState = 'TG001'
