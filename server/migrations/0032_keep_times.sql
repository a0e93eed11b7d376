-- What a message asks of its delivery: its times, receipts that name the id that was answered, and how many SMS it fills.

-- As many SMS as its text fills: a text in message_payload may fill hundreds. 0 for an acknowledgement, which earns nothing.
alter table records add column sms_count smallint not null default 1;

-- Times of messages that wait for their client. A row goes when the message has been delivered or its time is over.
create table record_times (
  record_id bigint primary key,
  record_created_at timestamptz not null,
  -- Not to be delivered before (schedule_delivery_time); null for at once.
  deliver_at timestamptz,
  -- Not to be delivered after (validity_period); null for the usual time.
  expires_at timestamptz,
  check (deliver_at is not null or expires_at is not null)
);
create index record_times_over_idx on record_times (coalesce(expires_at, deliver_at));

-- The id that a submit_multi was answered with, for each record that it made: their receipts name it.
create table answered_ids (
  record_id bigint primary key,
  answered_id text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index answered_ids_created_at_idx on answered_ids (created_at);

-- What the receipt of each part said, in the order of message_keys; empty while there is none.
alter table connection_sends add column part_states text[] not null default '{}';
