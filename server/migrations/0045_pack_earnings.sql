-- What a batch of messages earns its clients is one row of arrays instead of a line for each of them (decision 16). The
-- whole ledger, line by line, keeps the name that everybody reads.
alter table ledger_entries rename to ledger_lines;
alter index ledger_entries_pkey rename to ledger_lines_pkey;
alter index ledger_entries_cycle_idx rename to ledger_lines_cycle_idx;
alter index ledger_entries_user_idx rename to ledger_lines_user_idx;
alter sequence ledger_entries_id_seq rename to ledger_ids;
alter trigger ledger_entries_append_only on ledger_lines rename to ledger_lines_append_only;
alter trigger ledger_entries_no_truncate on ledger_lines rename to ledger_lines_no_truncate;
alter trigger ledger_entries_balanced on ledger_lines rename to ledger_lines_balanced;

create table ledger_batches (
  -- From the sequence of the lines, so that one number says how far the whole ledger was read.
  id bigint primary key default nextval('ledger_ids'),
  transaction_id bigint not null,
  at timestamptz not null default now(),
  cycle_id int not null,
  -- An element for each client and way of settling: credit in `payable`. The debit that balances them is their sum.
  user_ids int[] not null,
  settlements smallint[] not null,
  amounts_micro bigint[] not null,
  check (cardinality(user_ids) = cardinality(amounts_micro) and cardinality(settlements) = cardinality(amounts_micro))
) with (toast_tuple_target = 8160);
alter table ledger_batches
  alter user_ids set storage external, alter settlements set storage external, alter amounts_micro set storage external;
create trigger ledger_batches_append_only before update or delete on ledger_batches
  for each statement execute function refuse_change();
create trigger ledger_batches_no_truncate before truncate on ledger_batches
  for each statement execute function refuse_change();

create view ledger_entries as
  select id, transaction_id, at, cycle_id, user_id, amount_micro, account, settlement, kind, reference, actor_id, reason
  from ledger_lines
  union all
  select b.id, b.transaction_id, b.at, b.cycle_id, e.user_id, e.amount_micro, 'payable'::text, e.settlement,
    'traffic'::text, null::text, null::int, null::text
  from ledger_batches b, unnest(b.user_ids, b.settlements, b.amounts_micro) e (user_id, settlement, amount_micro)
  union all
  select id, transaction_id, at, cycle_id, null::int,
    -(select sum(amount_micro) from unnest(amounts_micro) amount_micro)::bigint, 'traffic_expense'::text, 0::smallint,
    'traffic'::text, null::text, null::int, null::text
  from ledger_batches;

-- A node of the version before writes lines by the old name while it is replaced. They come one by one, so their sum is
-- taken along and looked at when the statement ends.
alter view ledger_entries alter at set default now(), alter settlement set default 1;
create or replace function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() = 1
    and exists (select 1 from added group by transaction_id having sum(amount_micro) <> 0) then
    raise exception 'a ledger transaction does not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create function entries_sum() returns numeric language sql as $$
  select coalesce(nullif(current_setting('tollgate.entries_sum', true), ''), '0')::numeric
$$;
create function insert_entry() returns trigger language plpgsql as $$
begin
  insert into ledger_lines (transaction_id, at, cycle_id, user_id, amount_micro, account, settlement, kind, reference,
    actor_id, reason)
  values (new.transaction_id, new.at, new.cycle_id, new.user_id, new.amount_micro, new.account, new.settlement, new.kind,
    new.reference, new.actor_id, new.reason);
  perform set_config('tollgate.entries_sum', (entries_sum() + new.amount_micro)::text, true);
  return new;
end $$;
create trigger ledger_entries_inserted instead of insert on ledger_entries
  for each row execute function insert_entry();
create function refuse_unbalanced_entries() returns trigger language plpgsql as $$
begin
  if entries_sum() <> 0 then
    raise exception 'a ledger transaction does not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_balanced after insert on ledger_entries
  for each statement execute function refuse_unbalanced_entries();

-- A batch's sums take up to 8 kB and live for a second: rather in the row than beside it.
alter table record_tally_packs set (toast_tuple_target = 8160);
