-- Long messages: what a record says of its segment, and the messages that the segments of a supplier make together.

alter table records
  -- The data_coding of its PDU; null for a source without PDUs.
  add column data_coding smallint,
  -- Its place in a long message, by its user data header or its sar_ parameters; null for a message of one piece.
  add column segment_reference int,
  add column segment_total smallint,
  add column segment_sequence smallint;

-- One row for each long message, from its first segment on. A follower of the log writes it (records/long-messages), so it
-- costs ingest nothing, and a segment finds the others without a search.
create table long_messages (
  id bigint generated always as identity primary key,
  -- Segments of one message have all of these in common.
  number_id int not null,
  gateway_id int not null,
  client_id int,
  sender text not null,
  reference int not null,
  total smallint not null check (total between 2 and 255),
  -- Its records in the order of the segments, null for one that is missing; and when they were created.
  record_ids bigint[] not null,
  created_ats timestamptz[] not null,
  -- When the last segment so far was created.
  last_at timestamptz not null,
  -- When it ends although segments are missing.
  due_at timestamptz not null,
  -- When it was complete, or its time was over; null while it is open.
  ended_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
create index long_messages_key_idx on long_messages (number_id, sender, reference, last_at);
create index long_messages_due_idx on long_messages (due_at) where ended_at is null;
create index long_messages_ended_idx on long_messages (ended_at) where ended_at is not null;

-- How far the log has been joined into long messages.
create table long_message_position (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null default '0',
  batch bigint not null default 0
);
insert into long_message_position default values;

-- A delivery of the event message.completed names the message instead of a record. The types are those of the contract.
alter table endpoint_deliveries add column long_message_id bigint;
alter table endpoint_deliveries drop constraint endpoint_deliveries_type_check;
