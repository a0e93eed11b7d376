// Written from the migrated schema by `npm run schema`; a test compares it. Change a migration, not this file.
import type { ColumnType } from 'kysely'

/** With a default: an insert may leave it out. */
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>
/** Computed by the database. */
type Computed<T> =
  T extends ColumnType<infer S, infer _I, infer _U>
    ? ColumnType<S, never, never>
    : ColumnType<T, never, never>
type Int8 = ColumnType<string, string | number | bigint, string | number | bigint>
type Numeric = Int8
type Timestamp = ColumnType<Date, Date | string, Date | string>
/** Read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>
type List<T> = ColumnType<T[], readonly T[], readonly T[]>

/** All tables and views. */
export interface Schema {
  readonly adjustment_records: {
    readonly adjustment_id: Int8
    readonly record_created_at: Timestamp
    readonly record_id: Int8
    readonly cycle_id: number
    readonly rate_id: number
    readonly amount_micro: Int8
  }
  readonly adjustments: {
    readonly id: Computed<Int8>
    readonly user_id: number
    readonly amount_micro: Int8
    readonly reason: string
    readonly reference: Generated<string>
    readonly status: 'pending' | 'posted' | 'rejected'
    readonly requested_by: number
    readonly decided_by: number | null
    readonly decision_reason: Generated<string>
    readonly cycle_id: number | null
    readonly created_at: Timestamp
    readonly decided_at: Timestamp | null
    readonly number_id: number | null
    readonly held_from: Timestamp | null
    readonly held_to: Timestamp | null
    readonly record_count: number | null
  }
  readonly alert_acknowledgements: {
    readonly key: string
    readonly acknowledged_by: number
    readonly acknowledged_at: Timestamp
    readonly until: Timestamp | null
    readonly severity: 'notice' | 'warning' | 'critical'
  }
  readonly alert_rules: {
    readonly id: Computed<Int8>
    readonly name: string
    readonly kinds: List<string>
    readonly min_severity: 'notice' | 'warning' | 'critical'
    readonly threshold: Int8
    readonly scope_kind: Generated<'' | 'connection' | 'provider' | 'account' | 'range'>
    readonly scope_id: Generated<number>
    readonly for_minutes: number
    readonly repeat_minutes: number
    readonly in_console: boolean
    readonly mail_to: List<string>
    readonly endpoint_id: number | null
    readonly quiet_from: string | null
    readonly quiet_to: string | null
    readonly time_zone: string
    readonly is_on: boolean
    readonly version: Generated<number>
    readonly created_at: Generated<Timestamp>
    readonly changed_at: Timestamp
  }
  readonly analytics_mails: {
    readonly id: Computed<number>
    readonly user_id: number
    readonly name: string
    readonly every: 'day' | 'week' | 'month'
    readonly look: Json
    readonly next_on: string
  }
  readonly answered_ids: {
    readonly record_id: Int8
    readonly answered_id: string
    readonly created_at: Generated<Timestamp>
  }
  readonly api_keys: {
    readonly id: string
    readonly user_id: number
    readonly name: Generated<string>
    readonly prefix: string
    readonly key_hash: Buffer
    readonly scopes: List<string>
    readonly created_at: Generated<Timestamp>
    readonly last_used_at: Timestamp | null
    readonly last_used_ip: string | null
    readonly last_used_agent: string | null
  }
  readonly archived_weeks: {
    readonly week: string | null
    readonly record_count: Numeric | null
    readonly updated_sum: Numeric | null
  }
  readonly audit_checks: {
    readonly only_row: Generated<boolean>
    readonly state: string
    readonly key_id: number
    readonly hmac: Buffer
  }
  readonly audit_entries: {
    readonly id: Int8
    readonly at: Generated<Timestamp>
    readonly actor_id: number | null
    readonly actor: string
    readonly ip: Generated<string>
    readonly action: string
    readonly object_type: string
    readonly object_id: string
    readonly before: Json | null
    readonly after: Json | null
    readonly hash: Buffer
    readonly key_id: number
  }
  readonly audit_head: {
    readonly only_row: Generated<boolean>
    readonly id: Generated<Int8>
    readonly hash: Generated<Buffer>
    readonly key_id: number | null
    readonly entry_count: Generated<Int8>
    readonly hmac: Buffer | null
    readonly database_id: Generated<string>
  }
  readonly audit_heads: {
    readonly id: Computed<number>
    readonly published_at: Timestamp
    readonly entry_id: Int8
    readonly line: string
  }
  readonly audit_keys: {
    readonly id: Computed<number>
    readonly encrypted_key: Buffer
    readonly made_at: Generated<Timestamp>
  }
  readonly back_test_senders: {
    readonly back_test_id: Int8
    readonly client_id: number
    readonly rule: string
    readonly sender: string
    readonly from_day: string
    readonly until_day: string
  }
  readonly back_test_sums: {
    readonly back_test_id: Int8
    readonly client_id: number
    readonly rule: string
    readonly sender_count: Int8
    readonly message_count: Int8
    readonly amount_micro: Int8
    readonly earned_micro: Int8
    readonly refused_micro: Int8
    readonly released_micro: Int8
  }
  readonly back_tests: {
    readonly id: Computed<Int8>
    readonly version_id: number
    readonly from_day: string
    readonly until_day: string
    readonly made_by: number
    readonly made_at: Timestamp
    readonly judged_day: string | null
    readonly judged_client: number | null
    readonly done_at: Timestamp | null
  }
  readonly bill_amendments: {
    readonly id: Computed<Int8>
    readonly cycle_id: number
    readonly user_id: number
    readonly kind: 'withhold' | 'resume' | 'void' | 'credit_note' | 'readdress'
    readonly status: Generated<'pending' | 'done' | 'rejected'>
    readonly amount_micro: Int8 | null
    readonly message_ids: Generated<List<string>>
    readonly hold_ids: Generated<List<string>>
    readonly case_id: Int8 | null
    readonly usdt_address: string | null
    readonly former_address: string | null
    readonly reason: string
    readonly client_reason: Generated<string>
    readonly requested_by: number | null
    readonly requested_at: Timestamp
    readonly acceptable_from: Timestamp
    readonly decided_by: number | null
    readonly decided_at: Timestamp | null
    readonly decision_reason: Generated<string>
  }
  readonly billing_lines: {
    readonly id: Computed<Int8>
    readonly cycle_id: number
    readonly user_id: number
    readonly number_id: number | null
    readonly rate_id: number | null
    readonly sms_count: Int8
    readonly amount_micro: Int8
  }
  readonly billing_periods: {
    readonly cycle_id: number
    readonly user_id: number
    readonly sms_count: Int8
    readonly total_micro: Int8
    readonly received_micro: Generated<Int8>
    readonly set_off_micro: Generated<Int8>
    readonly reduced_micro: Generated<Int8>
    readonly excess_micro: Generated<Int8>
    readonly due_micro: Computed<Int8>
    readonly usdt_address: string | null
    readonly status: Generated<'sent_to_support' | 'paid' | 'failed' | 'void'>
    readonly bill_sent_at: Timestamp
    readonly payable_from: Timestamp
    readonly withheld_at: Timestamp | null
    readonly paid_at: Timestamp | null
    readonly payment_id: Int8 | null
  }
  readonly bind_deliveries: {
    readonly id: Computed<Int8>
    readonly user_id: number
    readonly kind: 'record' | 'receipt'
    readonly record_created_at: Timestamp
    readonly record_id: Int8
    readonly status: 'pending' | 'delivered' | 'failed'
    readonly attempts: Generated<number>
    readonly next_attempt_at: Generated<Timestamp>
    readonly last_attempt_at: Timestamp | null
    readonly error: Generated<string>
    readonly created_at: Generated<Timestamp>
  }
  readonly bind_receivers: {
    readonly user_id: number
    readonly position: string
    readonly taken_ids: Generated<List<string>>
    readonly last_bound_at: Generated<Timestamp>
  }
  readonly binds: {
    readonly id: string
    readonly node_id: string
    readonly user_id: number
    readonly system_id: string
    readonly bind_type: 'transmitter' | 'receiver' | 'transceiver'
    readonly interface_version: string
    readonly remote_address: string
    readonly is_tls: Generated<boolean>
    readonly bound_at: Generated<Timestamp>
    readonly last_activity_at: Generated<Timestamp>
    readonly messages_per_second: Generated<number>
    readonly minute_rate: Generated<number>
    readonly received: Generated<Int8>
    readonly window_used: Generated<number>
    readonly window_max: Generated<number>
    readonly kick_reason: string | null
  }
  readonly book_accounts: {
    readonly account:
      | 'payable'
      | 'held'
      | 'reserved'
      | 'billed'
      | 'paid'
      | 'credit'
      | 'traffic_expense'
      | 'payout_clearing'
      | 'adjustment'
    readonly code: string
    readonly updated_by: number
    readonly updated_at: Timestamp
  }
  readonly buffered_counters: {
    readonly hour: Timestamp | null
    readonly client_id: number | null
    readonly range_id: number | null
    readonly gateway_id: number | null
    readonly cycle_id: number | null
    readonly settlement: number | null
    readonly status: number | null
    readonly record_count: number | null
    readonly bill_micro: Int8 | null
    readonly amount_micro: Int8 | null
  }
  readonly bulk_change_rows: {
    readonly change_id: Int8
    readonly object_id: Int8
    readonly before: string
    readonly mark: string
  }
  readonly bulk_changes: {
    readonly id: Computed<Int8>
    readonly kind: string
    readonly user_id: number
    readonly made_at: Timestamp
    readonly undone_at: Timestamp | null
  }
  readonly carrier_dispute_lines: {
    readonly dispute_id: Int8
    readonly line: number
    readonly number: string
    readonly sender: string
    readonly from_at: Timestamp
    readonly until_at: Timestamp
    readonly claimed_count: Int8 | null
    readonly claimed_micro: Int8 | null
    readonly matched_count: Generated<Int8>
    readonly matched_micro: Generated<Int8>
    readonly twice_count: Generated<Int8>
  }
  readonly carrier_disputes: {
    readonly id: Computed<Int8>
    readonly carrier: string
    readonly file_name: string
    readonly made_by: number
    readonly made_at: Timestamp
    readonly matched_until: Timestamp
    readonly matched_at: Timestamp | null
    readonly opened_by: number | null
    readonly opened_at: Timestamp | null
    readonly corrections: Generated<Json>
  }
  readonly catalog: {
    readonly only_row: Generated<boolean>
    readonly version: Generated<Int8>
    readonly changed_at: Generated<Timestamp>
  }
  readonly cdr_files: {
    readonly id: Computed<Int8>
    readonly schedule_id: number
    readonly sequence: number
    readonly name: string
    readonly format: string
    readonly columns: string
    readonly client_id: number | null
    readonly gateway_id: number | null
    readonly period_from: Timestamp
    readonly period_to: Timestamp
    readonly from_xid: string | null
    readonly to_xid: string | null
    readonly stored_count: Int8 | null
    readonly archived_week: string | null
    readonly updated_sum: Numeric | null
    readonly state: Generated<'waiting' | 'delivered' | 'incomplete'>
    readonly record_count: Int8 | null
    readonly size_bytes: Int8 | null
    readonly sha256: string | null
    readonly attempts: Generated<number>
    readonly failing_since: Timestamp | null
    readonly error: Generated<string>
    readonly next_attempt_at: Generated<Timestamp>
    readonly delivered_at: Timestamp | null
    readonly created_at: Generated<Timestamp>
  }
  readonly cdr_schedules: {
    readonly id: Computed<number>
    readonly name: string
    readonly every: 'hour' | 'day' | 'archive'
    readonly format: 'csv' | 'parquet'
    readonly columns: string
    readonly client_id: number | null
    readonly gateway_id: number | null
    readonly destination: Json
    readonly encrypted_secret: Buffer | null
    readonly is_paused: Generated<boolean>
    readonly position: Generated<string>
    readonly period_from: Timestamp
    readonly period_to: Timestamp
    readonly next_sequence: Generated<number>
    readonly version: Generated<number>
    readonly created_at: Generated<Timestamp>
    readonly updated_at: Generated<Timestamp>
  }
  readonly client_credits: {
    readonly user_id: number
    readonly amount_micro: Int8
  }
  readonly client_days: {
    readonly client_id: number
    readonly day: string
    readonly message_count: Int8
    readonly judged_count: Generated<Int8>
    readonly judged_at: Timestamp | null
    readonly usual: Json | null
  }
  readonly client_terms: {
    readonly id: Computed<Int8>
    readonly user_id: number
    readonly numbers_max: number | null
    readonly sms_per_day_max: Int8 | null
    readonly value_per_cycle_max_micro: Int8 | null
    readonly payable_after_days: number
    readonly reserve_percent: number
    readonly reserve_days: number
    readonly set_by: number | null
    readonly approved_by: number | null
    readonly begins_at: Timestamp
  }
  readonly clients_being_held: {
    readonly user_id: number | null
  }
  readonly close_waits: {
    readonly only_row: Generated<boolean>
    readonly cause: 'clock' | 'chain' | 'behind'
    readonly explanation: string
    readonly words: Json | null
    readonly cycle_count: number
    readonly since: Timestamp
    readonly seen_at: Timestamp
  }
  readonly close_words: {
    readonly id: Computed<Int8>
    readonly ends_by: Timestamp
    readonly reason: string
    readonly given_by: number
    readonly given_at: Timestamp
  }
  readonly connection_counts: {
    readonly connection_id: number
    readonly slot: Timestamp
    readonly sent: number
    readonly received: number
  }
  readonly connection_events: {
    readonly id: Computed<Int8>
    readonly at: Generated<Timestamp>
    readonly connection_id: number
    readonly name: string
    readonly event: 'connected' | 'connecting' | 'lost' | 'failed' | 'disconnected'
    readonly error_code: number | null
    readonly detail: string
    readonly node: string
  }
  readonly connection_receipts: {
    readonly connection_id: number
    readonly message_key: string
    readonly receipt: string
    readonly octets: string
    readonly receipt_count: Generated<Int8>
    readonly received_at: Generated<Timestamp>
  }
  readonly connection_sends: {
    readonly id: Computed<Int8>
    readonly connection_id: number
    readonly sender: string
    readonly recipient: string
    readonly encrypted_text: Buffer | null
    readonly status: Generated<'queued' | 'sending' | 'sent' | 'failed'>
    readonly error_code: number | null
    readonly error: Generated<string>
    readonly message_keys: Generated<List<string>>
    readonly part_states: Generated<List<string>>
    readonly receipt: Generated<string>
    readonly receipt_at: Timestamp | null
    readonly created_by: string
    readonly created_at: Generated<Timestamp>
    readonly done_at: Timestamp | null
  }
  readonly connection_states: {
    readonly connection_id: number
    readonly status: 'connected' | 'disconnected' | 'error' | 'connecting'
    readonly node: string
    readonly lease_token: Int8
    readonly connected_at: Timestamp | null
    readonly down_since: Timestamp | null
    readonly attempts: number
    readonly last_attempt_at: Timestamp | null
    readonly next_attempt_at: Timestamp | null
    readonly last_error_code: number | null
    readonly last_error: string
    readonly last_heartbeat_at: Timestamp | null
    readonly messages_per_second: number
  }
  readonly cycle_bills: {
    readonly cycle_id: number
    readonly itemised_at: Timestamp | null
    readonly signed_at: Timestamp | null
    readonly invoices_at: Timestamp | null
  }
  readonly cycles: {
    readonly id: Computed<number>
    readonly starts_at: Timestamp
    readonly ends_at: Timestamp
    readonly closed_at: Timestamp | null
  }
  readonly debts: {
    readonly kind: string | null
    readonly reference: string | null
    readonly cycle_id: number | null
    readonly user_id: number | null
    readonly payout_id: Int8 | null
    readonly total_micro: Int8 | null
    readonly received_micro: Int8 | null
    readonly set_off_micro: Int8 | null
    readonly reduced_micro: Int8 | null
    readonly excess_micro: Int8 | null
    readonly due_micro: Int8 | null
    readonly usdt_address: string | null
    readonly payable_from: Timestamp | null
    readonly payment_id: Int8 | null
    readonly owed_since: Timestamp | null
    readonly is_settled: boolean | null
    readonly settled_at: Timestamp | null
    readonly is_stopped: boolean | null
  }
  readonly decided_sums: {
    readonly decided_cycle_id: number
    readonly user_id: number
    readonly outcome: string
    readonly cycle_id: number
    readonly number_id: number
    readonly rate_id: number
    readonly told_from: Timestamp
    readonly record_count: Int8
    readonly amount_micro: Int8
  }
  readonly disputed_records: {
    readonly record_id: Int8
    readonly record_created_at: Timestamp
    readonly dispute_id: Int8
    readonly line: number
    readonly client_id: number | null
    readonly number_id: number
    readonly sender: string
    readonly cycle_id: number
    readonly settlement: number
    readonly amount_micro: Int8
  }
  readonly duplicate_records: {
    readonly record_id: Int8
    readonly record_created_at: Timestamp
    readonly duplicate_of_id: Int8
    readonly duplicate_of_created_at: Timestamp
  }
  readonly endpoint_attempts: {
    readonly id: Computed<Int8>
    readonly delivery_id: Int8
    readonly at: Timestamp
    readonly duration_ms: number
    readonly response_status: number | null
    readonly error: string
    readonly answer_headers: Json | null
    readonly answer_body: string | null
  }
  readonly endpoint_deliveries: {
    readonly id: Computed<Int8>
    readonly endpoint_id: number
    readonly type: string
    readonly record_created_at: Timestamp | null
    readonly record_id: Int8 | null
    readonly long_message_id: Int8 | null
    readonly subject: Generated<string>
    readonly data: Json | null
    readonly no_report: Generated<number>
    readonly status: 'pending' | 'delivered' | 'failed'
    readonly attempts: Generated<number>
    readonly first_attempt_at: Timestamp | null
    readonly last_attempt_at: Timestamp | null
    readonly next_attempt_at: Timestamp | null
    readonly duration_ms: number | null
    readonly response_status: number | null
    readonly error: Generated<string>
    readonly created_at: Generated<Timestamp>
  }
  readonly endpoint_events: {
    readonly id: Computed<Int8>
    readonly at: Generated<Timestamp>
    readonly endpoint_id: number
    readonly name: string
    readonly event: 'failing' | 'recovered' | 'switched_off'
    readonly detail: string
  }
  readonly endpoints: {
    readonly id: Computed<number>
    readonly user_id: number | null
    readonly name: string
    readonly url: string
    readonly method: 'POST' | 'GET' | 'PUT' | 'DELETE'
    readonly encrypted_secret: Buffer
    readonly former_encrypted_secret: Buffer | null
    readonly former_until: Timestamp | null
    readonly events: Generated<List<string>>
    readonly verified_at: Timestamp | null
    readonly rate_limit: number
    readonly status: 'active' | 'inactive' | 'maintenance'
    readonly status_reason: Generated<string>
    readonly failing_since: Timestamp | null
    readonly state_since: Generated<Timestamp>
    readonly since_xid: Generated<string>
    readonly replay_due_at: Generated<Timestamp>
    readonly last_used_at: Timestamp | null
    readonly request_count: Generated<Int8>
    readonly success_count: Generated<Int8>
    readonly version: Generated<number>
    readonly created_at: Generated<Timestamp>
    readonly updated_at: Generated<Timestamp>
  }
  readonly erasures: {
    readonly id: Computed<number>
    readonly number: string | null
    readonly masked: string
    readonly reason: string
    readonly requested_by: number
    readonly requested_at: Timestamp
    readonly approved_by: number | null
    readonly approved_at: Timestamp | null
    readonly cancelled_by: number | null
    readonly cancelled_at: Timestamp | null
    readonly done_at: Timestamp | null
    readonly waits_for: 'case' | 'statements' | null
    readonly stage: Generated<'records' | 'tables'>
    readonly record_at: Timestamp | null
    readonly record_id: Int8 | null
    readonly long_number_ids: Generated<List<number>>
    readonly round: Generated<number>
    readonly step: Generated<number>
    readonly block_id: Generated<Int8>
    readonly round_count: Generated<Int8>
    readonly settles_at: Timestamp | null
    readonly record_count: Generated<Int8>
    readonly row_count: Generated<Int8>
  }
  readonly factor_resets: {
    readonly user_id: number
    readonly requested_by: number
    readonly requested_at: Timestamp
  }
  readonly flight_pdus: {
    readonly id: Computed<Int8>
    readonly link: string
    readonly address: Generated<string>
    readonly session: string
    readonly at: Timestamp
    readonly direction: 'in' | 'out'
    readonly command: string
    readonly status: number
    readonly sequence: Int8
    readonly octets: number
    readonly message_id: Generated<string>
    readonly fields: Json
  }
  readonly flight_switches: {
    readonly link: string
    readonly on_until: Timestamp
  }
  readonly follower_positions: {
    readonly follower: string
    readonly xid: Generated<string>
    readonly batch: Generated<Int8>
    readonly position: Generated<string>
  }
  readonly gateways: {
    readonly id: Computed<number>
    readonly source: number
    readonly name: string
    readonly user_id: number | null
    readonly chosen_alias: string | null
    readonly alias: Computed<string>
  }
  readonly hold_records: {
    readonly record_id: Int8
    readonly record_created_at: Timestamp
    readonly hold_id: Int8
    readonly user_id: number
    readonly number_id: number
    readonly rate_id: number | null
    readonly cycle_id: number
    readonly settlement: number
    readonly amount_micro: Int8
    readonly is_billed: Generated<boolean>
    readonly told_from: Generated<Timestamp>
    readonly outcome: 'released' | 'confirmed' | null
    readonly decided_cycle_id: number | null
  }
  readonly hold_sums: {
    readonly cycle_id: number
    readonly user_id: number
    readonly number_id: number
    readonly rate_id: number
    readonly settlement: number
    readonly told_from: Timestamp
    readonly record_count: Int8
    readonly amount_micro: Int8
    readonly open_count: Int8
    readonly open_micro: Int8
  }
  readonly holds: {
    readonly id: Computed<Int8>
    readonly user_id: number
    readonly number_id: number
    readonly case_id: Int8 | null
    readonly rule: string
    readonly explanation: string
    readonly words: Json | null
    readonly score: number
    readonly amount_micro: Int8
    readonly record_count: number
    readonly status: Generated<'open' | 'released' | 'confirmed'>
    readonly requested_action: 'release' | 'confirm' | null
    readonly requested_by: number | null
    readonly requested_at: Timestamp | null
    readonly requested_reason: Generated<string>
    readonly decided_by: number | null
    readonly decided_at: Timestamp | null
    readonly decided_cycle_id: number | null
    readonly decision_reason: Generated<string>
    readonly is_moving: Generated<boolean>
    readonly created_at: Timestamp
  }
  readonly idempotency_keys: {
    readonly user_id: number
    readonly key: string
    readonly encrypted_answer: Buffer | null
    readonly created_at: Generated<Timestamp>
  }
  readonly integrity_cases: {
    readonly id: Computed<Int8>
    readonly rule: string
    readonly version_id: number
    readonly client_id: number
    readonly subject: string
    readonly day: string
    readonly level: 'flag' | 'hold'
    readonly state: Generated<'dry' | 'open' | 'released' | 'confirmed'>
    readonly from_day: string
    readonly facts: Json
    readonly words: Json
    readonly sender_count: number
    readonly message_count: Int8
    readonly amount_micro: Int8
    readonly first_at: Timestamp
    readonly created_at: Timestamp
    readonly apply_from: Timestamp | null
    readonly apply_to_at: Timestamp | null
    readonly apply_to_id: Int8 | null
    readonly billed_from: Timestamp | null
    readonly takes_billed: Generated<boolean>
    readonly held_count: Generated<Int8>
    readonly held_micro: Generated<Int8>
    readonly late_count: Generated<Int8>
    readonly late_micro: Generated<Int8>
    readonly owner_id: number | null
    readonly due_at: Timestamp | null
    readonly requested_action: 'release' | 'confirm' | null
    readonly requested_by: number | null
    readonly requested_at: Timestamp | null
    readonly requested_reason: Generated<string>
    readonly decided_by: number | null
    readonly decided_at: Timestamp | null
    readonly decision_reason: Generated<string>
    readonly remembered_until: Timestamp | null
  }
  readonly integrity_members: {
    readonly case_id: Int8
    readonly sender: string
  }
  readonly integrity_version_starts: {
    readonly version_id: number
    readonly live_from: Timestamp
    readonly requested_by: number | null
    readonly approved_by: number | null
  }
  readonly integrity_versions: {
    readonly id: Computed<number>
    readonly parameters: Json
    readonly note: string
    readonly made_by: number | null
    readonly made_at: Generated<Timestamp>
  }
  readonly invoice_wordings: {
    readonly id: Computed<number>
    readonly words: List<string>
  }
  readonly invoices: {
    readonly id: Computed<Int8>
    readonly kind: 'invoice' | 'credit_note'
    readonly year: number
    readonly sequence: number
    readonly number: string
    readonly about: 'bill' | 'payouts'
    readonly cycle_id: number
    readonly user_id: number
    readonly amendment_id: Int8 | null
    readonly corrects_id: Int8 | null
    readonly amount_micro: Int8
    readonly supplier_id: number
    readonly customer_id: number
    readonly wording_id: number
    readonly issued_at: Timestamp
  }
  readonly known_bind_origins: {
    readonly user_id: number
    readonly address: string
    readonly last_bound_at: Generated<Timestamp>
  }
  readonly known_devices: {
    readonly user_id: number
    readonly id_hash: Buffer
    readonly created_at: Timestamp
    readonly last_used_at: Timestamp
    readonly notified_at: Timestamp | null
  }
  readonly leases: {
    readonly name: string
    readonly owner: string | null
    readonly token: Generated<Int8>
    readonly expires_at: Generated<Timestamp>
  }
  readonly ledger_batches: {
    readonly id: Generated<Int8>
    readonly transaction_id: Int8
    readonly at: Generated<Timestamp>
    readonly cycle_id: number
    readonly user_ids: List<number>
    readonly settlements: List<number>
    readonly amounts_micro: List<string>
  }
  readonly ledger_checks: {
    readonly only_row: Generated<boolean>
    readonly checked_at: Timestamp
    readonly imbalance_micro: Numeric
  }
  readonly ledger_entries: {
    readonly id: Int8 | null
    readonly transaction_id: Int8 | null
    readonly at: Timestamp | null
    readonly cycle_id: number | null
    readonly user_id: number | null
    readonly amount_micro: Int8 | null
    readonly account: string | null
    readonly settlement: number | null
    readonly kind: string | null
    readonly reference: string | null
    readonly actor_id: number | null
    readonly reason: string | null
  }
  readonly ledger_lines: {
    readonly id: Computed<Int8>
    readonly transaction_id: Int8
    readonly at: Generated<Timestamp>
    readonly cycle_id: number
    readonly user_id: number | null
    readonly amount_micro: Int8
    readonly account:
      | 'payable'
      | 'held'
      | 'reserved'
      | 'billed'
      | 'paid'
      | 'credit'
      | 'traffic_expense'
      | 'payout_clearing'
      | 'adjustment'
    readonly settlement: Generated<number>
    readonly kind: string
    readonly reference: string | null
    readonly actor_id: number | null
    readonly reason: string | null
  }
  readonly legal_entities: {
    readonly id: Computed<number>
    readonly user_id: number | null
    readonly legal_name: string
    readonly address_lines: List<string>
    readonly country: string
    readonly tax_number: Generated<string>
    readonly latin_name: Generated<string>
    readonly latin_address_lines: Generated<List<string>>
    readonly saved_by: number
    readonly saved_at: Timestamp
  }
  readonly listed_senders: {
    readonly id: Computed<Int8>
    readonly sender: string
    readonly is_block: boolean
    readonly reason: string
    readonly until_day: string | null
    readonly listed_by: number
    readonly listed_at: Timestamp
    readonly removed_by: number | null
    readonly removed_at: Timestamp | null
    readonly removal_reason: Generated<string>
  }
  readonly login_sessions: {
    readonly id_hash: Buffer
    readonly user_id: number
    readonly created_at: Generated<Timestamp>
    readonly last_seen_at: Generated<Timestamp>
    readonly authenticated_at: Generated<Timestamp>
    readonly is_renewal_due: Generated<boolean>
    readonly ends_at: Timestamp | null
    readonly ip: string
    readonly user_agent: Generated<string>
    readonly failures_before: Generated<number>
    readonly last_failure_at: Timestamp | null
    readonly last_failure_ip: string | null
  }
  readonly long_messages: {
    readonly id: Computed<Int8>
    readonly number_id: number
    readonly gateway_id: number
    readonly client_id: number | null
    readonly sender: string
    readonly reference: number
    readonly total: number
    readonly record_ids: List<string>
    readonly created_ats: List<Date>
    readonly last_at: Timestamp
    readonly due_at: Timestamp
    readonly ended_at: Timestamp | null
    readonly ended_xid: string | null
    readonly created_at: Generated<Timestamp>
  }
  readonly mails: {
    readonly id: Computed<Int8>
    readonly event_key: string
    readonly recipient: string
    readonly subject: string
    readonly body: string
    readonly encrypted_body: Buffer | null
    readonly attempts: Generated<number>
    readonly next_try_at: Timestamp | null
    readonly sent_at: Timestamp | null
    readonly failed_at: Timestamp | null
    readonly failure: Generated<string>
    readonly created_at: Timestamp
  }
  readonly money_acts: {
    readonly id: Computed<Int8>
    readonly actor_id: number
    readonly user_id: number
    readonly subject: string
    readonly amount_micro: Int8
    readonly at: Timestamp
  }
  readonly nodes: {
    readonly id: string
    readonly started_at: Generated<Timestamp>
    readonly seen_at: Generated<Timestamp>
    readonly host: Generated<string>
    readonly roles: List<string>
  }
  readonly notification_readers: {
    readonly user_id: number
    readonly read_up_to: Int8
  }
  readonly notifications: {
    readonly id: Computed<Int8>
    readonly at: Timestamp
    readonly event: 'opened' | 'repeated' | 'recovered'
    readonly kind: string
    readonly severity: string
    readonly name: string
    readonly what: string
    readonly words: Json | null
    readonly key: string
  }
  readonly number_holders: {
    readonly id: Computed<Int8>
    readonly number_id: number
    readonly user_id: number
    readonly held_from: Timestamp
    readonly held_to: Timestamp | null
    readonly assigned_by: number | null
    readonly created_at: Generated<Timestamp>
  }
  readonly number_imports: {
    readonly catalog_version: Int8
    readonly first_id: number
    readonly last_id: number
    readonly id: number | null
    readonly user_id: number | null
    readonly file_name: Generated<string>
    readonly line_count: Generated<number>
    readonly added_count: Generated<number>
    readonly imported_at: Timestamp | null
    readonly undo_began_at: Timestamp | null
    readonly undone_at: Timestamp | null
    readonly undone_by: number | null
    readonly removed_count: Generated<number>
  }
  readonly number_requests: {
    readonly id: Computed<Int8>
    readonly user_id: number
    readonly requested_number: Generated<string>
    readonly preferred_country: Generated<string>
    readonly country_code: Generated<string>
    readonly business_purpose: string
    readonly expected_volume: string
    readonly status: Generated<'pending' | 'approved' | 'assigned' | 'rejected' | 'withdrawn'>
    readonly assigned_number: Generated<string>
    readonly rejection_reason: Generated<string>
    readonly processed_at: Timestamp | null
    readonly processed_by: number | null
    readonly created_at: Generated<Timestamp>
  }
  readonly numbers: {
    readonly id: Computed<number>
    readonly number: string
    readonly description: Generated<string>
    readonly tariff_micro: Int8 | null
    readonly status: Generated<'active' | 'inactive' | 'suspended'>
    readonly type: Generated<'premium' | 'standard' | 'toll-free'>
    readonly country: Generated<string>
    readonly country_code: Generated<string>
    readonly operator: Generated<string>
    readonly price_micro: Int8 | null
    readonly account_number: string | null
    readonly holder_id: number | null
    readonly held_from: Timestamp | null
    readonly holder_name: Generated<string>
    readonly version: Generated<number>
    readonly import_id: number | null
    readonly catalog_version: Generated<Int8>
    readonly created_at: Generated<Timestamp>
    readonly deleted_at: Timestamp | null
  }
  readonly object_notes: {
    readonly id: Computed<Int8>
    readonly object_type: string
    readonly object_id: string
    readonly author_id: number
    readonly text: string
    readonly created_at: Generated<Timestamp>
  }
  readonly paid_cycles: {
    readonly id: number | null
  }
  readonly parked_accounts: {
    readonly user_id: number
    readonly reason: string
    readonly words: Json | null
    readonly parked_at: Timestamp
  }
  readonly passkey_challenges: {
    readonly challenge: Buffer
    readonly purpose: 'register' | 'sign_in' | 'confirm'
    readonly user_id: number | null
    readonly user_handle: Buffer | null
    readonly network: string
    readonly expires_at: Timestamp
  }
  readonly passkeys: {
    readonly id: Computed<number>
    readonly user_id: number
    readonly credential_id: Buffer
    readonly user_handle: Buffer
    readonly public_key: Buffer
    readonly sign_count: Int8
    readonly transports: List<string>
    readonly name: string
    readonly created_at: Timestamp
    readonly last_used_at: Timestamp | null
  }
  readonly payment_profiles: {
    readonly user_id: number
    readonly full_name: Generated<string>
    readonly email: Generated<string>
    readonly usdt_address: string | null
    readonly next_address: string | null
    readonly next_from: Timestamp | null
    readonly updated_at: Generated<Timestamp>
  }
  readonly payment_run_debts: {
    readonly line_id: Int8
    readonly run_id: Int8
    readonly reference: string
    readonly due_micro: Int8
    readonly is_live: Generated<boolean>
  }
  readonly payment_run_lines: {
    readonly id: Computed<Int8>
    readonly run_id: Int8
    readonly user_id: number
    readonly address: string
    readonly amount_micro: Int8
    readonly held_micro: Int8
    readonly address_since: Timestamp | null
    readonly warnings: List<string>
    readonly warning_words: Json | null
    readonly transaction_hash: string | null
    readonly transfer_id: Int8 | null
  }
  readonly payment_runs: {
    readonly id: Computed<Int8>
    readonly status: 'draft' | 'approved' | 'exported' | 'closed' | 'cancelled'
    readonly note: Generated<string>
    readonly drafted_by: number
    readonly drafted_at: Timestamp
    readonly approved_by: number | null
    readonly approved_at: Timestamp | null
    readonly exported_by: number | null
    readonly exported_at: Timestamp | null
    readonly closed_by: number | null
    readonly closed_at: Timestamp | null
    readonly close_reason: Generated<string>
  }
  readonly payment_transfers: {
    readonly payment_id: Int8
    readonly transfer_id: Int8
    readonly amount_micro: Int8
  }
  readonly payments: {
    readonly id: Computed<Int8>
    readonly user_id: number
    readonly amount_micro: Int8
    readonly received_micro: Generated<Int8>
    readonly usdt_address: Generated<string>
    readonly transaction_hash: string | null
    readonly hash_place: Generated<number>
    readonly status: 'pending' | 'confirmed' | 'failed'
    readonly verification:
      | 'unverified'
      | 'confirming'
      | 'verified'
      | 'underpaid'
      | 'overpaid'
      | 'rejected'
      | null
    readonly verification_note: Generated<string>
    readonly decision_reason: Generated<string>
    readonly awaits_approval: Generated<boolean>
    readonly proposed_decision: 'waive' | 'credit' | 'reject' | null
    readonly proposed_by: number | null
    readonly proposed_reason: Generated<string>
    readonly proposed_at: Timestamp | null
    readonly requested_by: number | null
    readonly processed_by: number | null
    readonly notes: Generated<string>
    readonly cycle_id: number | null
    readonly payout_id: Int8 | null
    readonly replaced_with: Int8 | null
    readonly next_check_at: Timestamp | null
    readonly check_count: Generated<number>
    readonly created_at: Timestamp
  }
  readonly payouts: {
    readonly id: Computed<Int8>
    readonly cycle_id: number
    readonly user_id: number
    readonly number_id: number
    readonly sms_count: Int8
    readonly amount_micro: Int8
    readonly received_micro: Generated<Int8>
    readonly set_off_micro: Generated<Int8>
    readonly reduced_micro: Generated<Int8>
    readonly excess_micro: Generated<Int8>
    readonly due_micro: Computed<Int8>
    readonly usdt_address: string | null
    readonly status: Generated<'pending' | 'completed'>
    readonly processed_at: Timestamp | null
    readonly payment_id: Int8 | null
    readonly payable_from: Timestamp
    readonly created_at: Timestamp
  }
  readonly preferences: {
    readonly user_id: number
    readonly language: Generated<string>
    readonly time_zone: Generated<string>
    readonly number_format: Generated<string>
    readonly theme: Generated<string>
    readonly density: Generated<string>
    readonly muted_mails: Generated<List<string>>
  }
  readonly provider_dead_letters: {
    readonly id: Computed<Int8>
    readonly provider_id: number
    readonly key: string
    readonly reason: string
    readonly explanation: string
    readonly external_id: string
    readonly number: string
    readonly row_timestamp: string
    readonly encrypted_row: Buffer | null
    readonly tries: Generated<number>
    readonly created_at: Generated<Timestamp>
    readonly last_tried_at: Generated<Timestamp>
    readonly dismissed_at: Timestamp | null
  }
  readonly provider_messages: {
    readonly provider_id: number
    readonly key: string
    readonly record_id: Int8
    readonly record_created_at: Timestamp
    readonly no_report: number
  }
  readonly provider_progress: {
    readonly provider_id: number
    readonly walk_since: Timestamp | null
    readonly walk_newest: Timestamp | null
    readonly cursor: string | null
    readonly is_partial: Generated<boolean>
    readonly newest: Timestamp | null
    readonly message_count: Generated<Int8>
    readonly last_stored_at: Timestamp | null
    readonly status: 'running' | 'error' | null
    readonly node: string | null
    readonly lease_token: Int8 | null
    readonly running_since: Timestamp | null
    readonly last_sync_at: Timestamp | null
    readonly next_poll_at: Timestamp | null
    readonly error_count: Generated<Int8>
    readonly last_error: Generated<string>
    readonly failing_since: Timestamp | null
    readonly status_since: Timestamp | null
    readonly duplicates: Generated<number>
  }
  readonly provider_walk_marks: {
    readonly provider_id: number
    readonly hash: string
    readonly seen_count: Generated<number>
  }
  readonly providers: {
    readonly id: Computed<number>
    readonly slug: string | null
    readonly name: string
    readonly api_url: string
    readonly auth_type: 'bearer' | 'basic' | 'api_key'
    readonly username: Generated<string>
    readonly encrypted_secret: Buffer | null
    readonly poll_interval_ms: number
    readonly lookback_ms: Int8
    readonly gap_alarm_ms: Int8
    readonly start_at: Timestamp | null
    readonly time_zone: Generated<string>
    readonly mapping: Json
    readonly earlier_readings: Generated<Json>
    readonly is_enabled: boolean
    readonly switched_at: Generated<Timestamp>
    readonly enabled_at: Timestamp | null
    readonly start_count: Generated<number>
    readonly replay_due_at: Generated<Timestamp>
    readonly version: Generated<number>
    readonly created_at: Generated<Timestamp>
    readonly updated_at: Generated<Timestamp>
    readonly deleted_at: Timestamp | null
  }
  readonly purchase_prices: {
    readonly id: Computed<Int8>
    readonly range_id: number
    readonly supplier: string
    readonly price_micro: Int8
    readonly starts_on: string
    readonly entered_by: number
    readonly entered_at: Timestamp
  }
  readonly ranges: {
    readonly id: Computed<number>
    readonly range_number: string
    readonly start_number: string
    readonly end_number: string
    readonly description: Generated<string>
    readonly tariff_micro: Generated<Int8>
    readonly earlier_tariff_micro: Int8 | null
    readonly tariff_from: Timestamp | null
    readonly next_tariff_micro: Int8 | null
    readonly next_tariff_from: Timestamp | null
    readonly next_tariff_set_by: number | null
    readonly status: Generated<'active' | 'inactive' | 'suspended'>
    readonly version: Generated<number>
    readonly catalog_version: Generated<Int8>
    readonly created_at: Generated<Timestamp>
    readonly deleted_at: Timestamp | null
  }
  readonly rate_uses: {
    readonly act: string
    readonly subject: string
    readonly at: Timestamp
  }
  readonly rates: {
    readonly id: Computed<number>
    readonly scope: 'global' | 'user' | 'number'
    readonly user_id: number | null
    readonly number_id: number | null
    readonly rate_micro: Int8 | null
    readonly valid_from: Timestamp
    readonly set_by: number | null
    readonly created_at: Generated<Timestamp>
  }
  readonly receipt_hours: {
    readonly user_id: number
    readonly hour: Timestamp
    readonly taken_count: Int8
    readonly failed_count: Int8
  }
  readonly record_batches: {
    readonly id: Int8
    readonly stored_at: Timestamp
    readonly xid: Generated<string>
    readonly record_count: number
    readonly record_flags: number | null
    readonly created_from: Timestamp
    readonly created_to: Timestamp
    readonly priced_at: Timestamp
    readonly client_ids: List<number> | null
    readonly encrypted_bodies: Buffer | null
    readonly bodies_hash: Buffer | null
    readonly peer_ids: Buffer | null
  }
  readonly record_block_groups: {
    readonly id: Computed<Int8>
    readonly created_from: Timestamp
    readonly created_to: Timestamp
    readonly part_count: Generated<number>
    readonly part_ids: List<string> | null
    readonly part_tos: List<Date> | null
    readonly bit_rows: Buffer
  }
  readonly record_blocks: {
    readonly id: Computed<Int8>
    readonly created_from: Timestamp
    readonly created_to: Timestamp
    readonly bloom_filter: Buffer | null
    readonly group_id: Int8 | null
    readonly block_number: number | null
    readonly created_ats: List<Date>
    readonly record_ids: List<string>
    readonly number_ids: List<number>
    readonly client_ids: List<number>
    readonly range_ids: List<number>
    readonly gateway_ids: List<number>
    readonly senders: string
  }
  readonly record_changes: {
    readonly id: Computed<Int8>
    readonly xid: Generated<string>
    readonly at: Generated<Timestamp>
    readonly record_ids: List<string>
    readonly created_ats: List<Date>
    readonly is_for_staff: Generated<boolean>
  }
  readonly record_counter_buffers: {
    readonly cycle_id: number
    readonly hours: List<number>
    readonly client_ids: List<number>
    readonly range_ids: List<number>
    readonly gateway_ids: List<number>
    readonly kinds: List<number>
    readonly record_counts: List<number>
    readonly bills_micro: List<string>
    readonly amounts_micro: List<string>
  }
  readonly record_cycle_counters: {
    readonly cycle_id: number
    readonly client_id: number
    readonly settlement: number
    readonly record_count: Int8
    readonly amount_micro: Int8
  }
  readonly record_cycles: {
    readonly cycle_id: number | null
    readonly client_id: number | null
    readonly settlement: number | null
    readonly record_count: Int8 | null
    readonly amount_micro: Int8 | null
  }
  readonly record_day_counters: {
    readonly day: string
    readonly client_id: number
    readonly range_id: number
    readonly gateway_id: number
    readonly status: number
    readonly record_count: Int8
    readonly bill_micro: Int8
    readonly amount_micro: Int8
  }
  readonly record_hour_counters: {
    readonly hour: Timestamp
    readonly client_id: number
    readonly range_id: number
    readonly gateway_id: number
    readonly status: number
    readonly record_count: Int8
    readonly bill_micro: Int8
    readonly amount_micro: Int8
  }
  readonly record_line_sums: {
    readonly cycle_id: number
    readonly client_id: number
    readonly number_id: number
    readonly rate_id: number
    readonly settlement: number
    readonly record_count: Int8
    readonly amount_micro: Int8
  }
  readonly record_number_counts: {
    readonly client_id: number
    readonly number_count: number
  }
  readonly record_number_days: {
    readonly day: string
    readonly client_id: number
    readonly number_id: number
    readonly range_id: number
    readonly gateway_id: number
    readonly record_count: Int8
    readonly bill_micro: Int8
    readonly amount_micro: Int8
  }
  readonly record_number_weeks: {
    readonly week: string
    readonly client_id: number
    readonly number_id: number
    readonly range_id: number
    readonly record_count: Int8
    readonly bill_micro: Int8
    readonly amount_micro: Int8
  }
  readonly record_numbers: {
    readonly client_id: number
    readonly number_id: number
  }
  readonly record_postings: {
    readonly number_id: number
    readonly created_from: Timestamp
    readonly created_to: Timestamp
    readonly group_id: Int8
    readonly created_ats: List<Date>
    readonly record_ids: List<string>
  }
  readonly record_times: {
    readonly record_id: Int8
    readonly record_created_at: Timestamp
    readonly deliver_at: Timestamp | null
    readonly expires_at: Timestamp | null
  }
  readonly records: {
    readonly created_at: Timestamp
    readonly id: Int8
    readonly updated_at: Timestamp
    readonly bill_micro: Int8
    readonly amount_micro: Int8
    readonly number_id: number
    readonly client_id: number | null
    readonly range_id: number | null
    readonly gateway_id: number
    readonly rate_id: number | null
    readonly cycle_id: number
    readonly segment_reference: number | null
    readonly segment_total: number | null
    readonly segment_sequence: number | null
    readonly data_coding: number | null
    readonly sms_count: Generated<number>
    readonly status: number
    readonly settlement: number
    readonly no_report: Generated<number>
    readonly client_report: Generated<number>
    readonly flags: Generated<number>
    readonly is_held: Generated<boolean>
    readonly sender: string
  }
  readonly recovery_codes: {
    readonly user_id: number
    readonly code_hash: Buffer
    readonly used_at: Timestamp | null
  }
  readonly refusal_hours: {
    readonly gateway_id: number
    readonly hour: Timestamp
    readonly reason: string
    readonly command_status: Generated<Int8>
    readonly number: string
    readonly refused_count: Int8
    readonly last_at: Timestamp
    readonly detail: Generated<string>
    readonly octets: Generated<string>
  }
  readonly refused_binds: {
    readonly hour: Timestamp
    readonly reason: string
    readonly system_id: string
    readonly address: string
    readonly refused_count: Int8
    readonly last_at: Timestamp
  }
  readonly refused_messages: {
    readonly minute: Timestamp
    readonly gateway_id: number
    readonly number: string
    readonly sender: string
    readonly reason: string
    readonly command_status: Int8
    readonly refused_count: Int8
    readonly last_at: Timestamp
  }
  readonly refused_records: {
    readonly record_id: Int8 | null
  }
  readonly reserves: {
    readonly cycle_id: number
    readonly user_id: number
    readonly amount_micro: Int8
    readonly release_at: Timestamp
    readonly released_at: Timestamp | null
    readonly released_cycle_id: number | null
  }
  readonly reset_links: {
    readonly id: Computed<number>
    readonly user_id: number
    readonly way: 'admin' | 'mail' | 'invitation'
    readonly role: string
    readonly requested_by: number | null
    readonly requested_at: Timestamp
    readonly approved_by: number | null
    readonly token_hash: Buffer | null
    readonly expires_at: Timestamp
    readonly used_at: Timestamp | null
    readonly revoked_at: Timestamp | null
  }
  readonly root_keys: {
    readonly key_id: Buffer
    readonly encrypted_key: Buffer
    readonly fingerprint: Buffer
    readonly created_at: Generated<Timestamp>
  }
  readonly rule_alerts: {
    readonly id: Computed<Int8>
    readonly rule_id: Int8
    readonly key: string
    readonly kind: string
    readonly severity: string
    readonly name: string
    readonly what: string
    readonly words: Json | null
    readonly about: Generated<Json>
    readonly largest_count: Int8 | null
    readonly seen_at: Timestamp
    readonly opened_at: Timestamp | null
    readonly notified_at: Timestamp | null
    readonly sent_at: Timestamp | null
    readonly gone_at: Timestamp | null
    readonly recovered_at: Timestamp | null
    readonly owes_recovery: Generated<boolean>
    readonly notified_count: Generated<number>
  }
  readonly scheduled_rates: {
    readonly id: Computed<number>
    readonly user_id: number | null
    readonly number_id: number | null
    readonly rate_micro: Int8 | null
    readonly starts_at: Timestamp
    readonly set_by: number
    readonly created_at: Generated<Timestamp>
  }
  readonly screen_settings: {
    readonly user_id: number
    readonly name: string
    readonly value: string
  }
  readonly sender_blocks: {
    readonly block: string
    readonly first_day: string
    readonly last_day: string
  }
  readonly sender_days: {
    readonly client_id: number
    readonly day: string
    readonly number_id: number
    readonly sender: string
    readonly message_count: number
    readonly amount_micro: Int8
    readonly slots: string
    readonly first_at: Timestamp
    readonly last_at: Timestamp
  }
  readonly set_offs: {
    readonly id: Computed<Int8>
    readonly source: 'carry' | 'credit'
    readonly cycle_id: number
    readonly user_id: number
    readonly payout_id: Int8 | null
    readonly amount_micro: Int8
    readonly at: Timestamp
  }
  readonly setting_changes: {
    readonly id: Computed<Int8>
    readonly key: string
    readonly value: string
    readonly status: Generated<'pending' | 'begun' | 'cancelled'>
    readonly requested_by: number
    readonly requested_at: Timestamp
    readonly begins_at: Timestamp
    readonly begins_alone_at: Timestamp
    readonly approved_by: number | null
    readonly approved_at: Timestamp | null
    readonly ended_by: number | null
    readonly ended_at: Timestamp | null
  }
  readonly settings: {
    readonly key: string
    readonly value: string
    readonly updated_at: Generated<Timestamp>
    readonly updated_by: number | null
  }
  readonly settled_cycles: {
    readonly id: number | null
  }
  readonly smpp_connections: {
    readonly id: Computed<number>
    readonly name: string
    readonly host: string
    readonly port: number
    readonly use_tls: boolean
    readonly tls_ca: string | null
    readonly tls_name: string | null
    readonly bind_type: 'transmitter' | 'receiver' | 'transceiver'
    readonly system_id: string
    readonly encrypted_password: Buffer
    readonly system_type: string
    readonly interface_version: '3.3' | '3.4' | '5.0'
    readonly source_ton: number
    readonly source_npi: number
    readonly dest_ton: number
    readonly dest_npi: number
    readonly throughput: number
    readonly answer_id_form: 'text' | 'caseless' | 'decimal' | 'hex'
    readonly receipt_id_form: 'text' | 'caseless' | 'decimal' | 'hex'
    readonly is_receipt_by_text: Generated<boolean>
    readonly default_alphabet: Generated<'gsm7' | 'packed7' | 'latin1' | 'ascii' | 'utf8'>
    readonly is_strict: Generated<boolean>
    readonly use_national_tables: Generated<boolean>
    readonly receive_window: Generated<number>
    readonly send_window: number | null
    readonly enquire_link_seconds: number | null
    readonly allowed_cidrs: Generated<List<string>>
    readonly is_wanted: Generated<boolean>
    readonly restart_count: Generated<number>
    readonly version: Generated<number>
    readonly created_at: Generated<Timestamp>
    readonly updated_at: Generated<Timestamp>
  }
  readonly smpp_credentials: {
    readonly user_id: number
    readonly system_id: string
    readonly is_system_id_chosen: Generated<boolean>
    readonly former_system_ids: Generated<List<string>>
    readonly encrypted_password: Buffer
    readonly updated_at: Generated<Timestamp>
  }
  readonly statement_archives: {
    readonly cycle_id: number
    readonly user_id: number
    readonly piece: number
    readonly content: Buffer
  }
  readonly statements: {
    readonly cycle_id: number
    readonly user_id: number
    readonly preamble: string
    readonly closing: string
    readonly record_count: Int8
    readonly decided_count: Generated<Int8>
    readonly checkpoints: Buffer
    readonly signed_at: Timestamp
    readonly first_record_at: Timestamp | null
    readonly file_hash: Buffer
    readonly has_erased: Generated<boolean>
  }
  readonly totp_factors: {
    readonly id: Computed<number>
    readonly user_id: number
    readonly encrypted_secret: Buffer
    readonly last_step: Generated<Int8>
    readonly created_at: Timestamp
    readonly confirmed_at: Timestamp | null
  }
  readonly traffic_hours: {
    readonly hour: Timestamp
    readonly kind: 'gateway' | 'range'
    readonly item_id: number
    readonly record_count: Int8
  }
  readonly transfer_decisions: {
    readonly id: Computed<Int8>
    readonly transfer_id: Int8
    readonly kind: 'match' | 'explain'
    readonly debt_references: List<string>
    readonly reason: string
    readonly status: 'pending' | 'done' | 'refused'
    readonly requested_by: number
    readonly requested_at: Timestamp
    readonly decided_by: number | null
    readonly decided_at: Timestamp | null
  }
  readonly transfers: {
    readonly id: Computed<Int8>
    readonly network: string
    readonly txid: string
    readonly log_index: number
    readonly from_address: string
    readonly to_address: string
    readonly amount_micro: Int8
    readonly block_at: Timestamp
    readonly is_final: boolean
    readonly first_seen_at: Timestamp
    readonly booked_micro: Generated<Int8>
  }
  readonly treasury_candidates: {
    readonly network: string
    readonly txid: string
    readonly is_listed: Generated<boolean>
    readonly listed_at: Timestamp
    readonly next_look_at: Timestamp
    readonly look_count: Generated<number>
  }
  readonly treasury_proofs: {
    readonly id: Computed<Int8>
    readonly network: string
    readonly proved_from: Timestamp
    readonly proved_at: Timestamp
    readonly wallets: List<string>
    readonly balance_micro: Numeric
    readonly sent_micro: Int8
    readonly booked_micro: Int8
    readonly explained_micro: Int8
    readonly ledger_micro: Int8
    readonly unread_micro: Numeric
  }
  readonly treasury_readings: {
    readonly network: string
    readonly address: string
    readonly reads_from: Timestamp
    readonly read_to: Timestamp
    readonly resumes_at: Timestamp | null
    readonly read_at: Timestamp | null
    readonly next_read_at: Timestamp
    readonly fault: Generated<string>
    readonly fault_count: Generated<number>
    readonly failing_since: Timestamp | null
  }
  readonly unanswered_records: {
    readonly record_id: Int8
    readonly record_created_at: Timestamp
    readonly user_id: number | null
    readonly connection_id: number | null
    readonly fingerprint: Buffer
    readonly at: Generated<Timestamp>
    readonly repeated_at: Timestamp | null
  }
  readonly unclosed_accounts: {
    readonly cycle_id: number
    readonly user_id: number
    readonly step: 'bill' | 'items'
    readonly reason: string
    readonly noted_at: Timestamp
  }
  readonly untold_sums: {
    readonly cycle_id: number | null
    readonly user_id: number | null
    readonly number_id: number | null
    readonly rate_id: number | null
    readonly settlement: number | null
    readonly told_from: Timestamp | null
    readonly record_count: Int8 | null
    readonly amount_micro: Int8 | null
    readonly open_count: Int8 | null
    readonly open_micro: Int8 | null
  }
  readonly users: {
    readonly id: Computed<number>
    readonly username: string
    readonly email: string
    readonly email_since: Generated<Timestamp>
    readonly first_name: string
    readonly last_name: string
    readonly password_hash: string
    readonly must_change_password: Generated<boolean>
    readonly has_second_factor: Generated<boolean>
    readonly role: 'admin' | 'support' | 'user' | 'test'
    readonly status: Generated<'active' | 'inactive' | 'suspended'>
    readonly awaits_approval: Generated<boolean>
    readonly smpp_access: Generated<boolean>
    readonly max_connections: Generated<number>
    readonly throughput: Generated<number>
    readonly allowed_cidrs: Generated<List<string>>
    readonly smpp_tls_only: Generated<boolean>
    readonly smpp_window: Generated<number>
    readonly smpp_default_alphabet: Generated<'gsm7' | 'packed7' | 'latin1' | 'ascii' | 'utf8'>
    readonly smpp_is_strict: Generated<boolean>
    readonly smpp_delivery_window: Generated<number>
    readonly smpp_enquire_link_seconds: Generated<number>
    readonly smpp_inactivity_seconds: Generated<number>
    readonly smpp_message_id_form: Generated<'text' | 'decimal' | 'hex'>
    readonly smpp_interface_version: Generated<'peer' | '3.3' | '3.4'>
    readonly failed_sign_ins: Generated<number>
    readonly last_failure_at: Timestamp | null
    readonly last_failure_ip: string | null
    readonly failures_notified_at: Timestamp | null
    readonly version: Generated<number>
    readonly created_at: Generated<Timestamp>
    readonly updated_at: Generated<Timestamp>
  }
}
