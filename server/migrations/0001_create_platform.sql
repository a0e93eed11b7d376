-- Platform: leases, the keys that encrypt secrets, tables that may only grow, and what the program may do.

-- Trigram indexes, for lists that are searched by a piece of a word (decision 18).
create extension if not exists pg_trgm;

-- Append-only tables refuse every change, whoever asks for it. A table with a trigger on this function is also granted to
-- the program without UPDATE and DELETE, see grant_to_application.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- Each write of an owner carries its token, so an owner whose lease has run out cannot write any more.
create table leases (
  name text primary key,
  owner text, token bigint not null default 0,
  expires_at timestamptz not null default '-infinity'
);
comment on table leases is 'The right to do something alone, with its owner and when it ends. [settings]';

create table rate_uses (
  act text not null, subject text not null,
  at timestamptz not null
);
comment on table rate_uses is 'A sign-up, a failed sign-in, a test message or another act that is limited by a rate, in the last hour. [passing]';
create index rate_uses_subject_idx on rate_uses (act, subject, at);

-- During a rotation of SECRET_KEY one row is under the old and one under the new one; both contain the same root key.
create table root_keys (
  key_id bytea primary key, -- Which SECRET_KEY encrypted the row; it does not reveal that key.
  encrypted_key bytea not null,
  fingerprint bytea not null, -- Which root key the row contains; a node compares it with its own.
  created_at timestamptz not null default now()
);
comment on table root_keys is 'The key that encrypts secrets and texts, under one SECRET_KEY. [settings]';

-- The program runs as a role that owns nothing (decision 49); what it must do as the owner, it does through functions that
-- run as the owner and check their arguments. This one gives a role what the program needs at run time, and takes away what
-- is more. The owner calls it at each start, because migrations add tables. It writes nothing when nothing is to be done.
create function grant_to_application(application text) returns void language plpgsql as $$
declare
  every constant text[] := array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];
  each record;
  has text[];
begin
  perform pg_advisory_xact_lock(hashtext('grant_to_application'));
  for each in
    select c.oid, c.oid::regclass as name, c.relkind, case
        when c.relkind = 'S' then array['SELECT', 'USAGE']
        -- Reached through the tables they are partitions of.
        when c.relispartition and c.relname <> 'records_default' then '{}'
        when c.relname = 'records_default' then array['SELECT', 'DELETE']
        when c.relname in ('records', 'record_batches') then array['SELECT', 'INSERT', 'UPDATE']
        when c.relkind = 'v' or c.relname = 'schema_migrations' then array['SELECT']
        when c.relname = 'audit_head' then array['SELECT', 'UPDATE']
        -- Append-only: what its trigger refuses is not granted either.
        when exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = to_regproc('refuse_change'))
          or c.relname = 'audit_keys' then array['SELECT', 'INSERT']
        else array['SELECT', 'INSERT', 'UPDATE', 'DELETE']
      end as wanted
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
      and pg_has_role(c.relowner, 'USAGE') and not pg_has_role(application, c.relowner, 'USAGE')
  loop
    if each.relkind = 'S' then
      has := array(select p from unnest(array['SELECT', 'UPDATE', 'USAGE']) p where has_sequence_privilege(application, each.oid, p));
    else
      has := array(select p from unnest(every) p where has_table_privilege(application, each.oid, p));
    end if;
    continue when has @> each.wanted and each.wanted @> has;
    execute format('revoke all on %s %s from %I', case when each.relkind = 'S' then 'sequence' else 'table' end, each.name, application);
    if cardinality(each.wanted) > 0 then
      execute format('grant %s on %s %s to %I', array_to_string(each.wanted, ', '),
        case when each.relkind = 'S' then 'sequence' else 'table' end, each.name, application);
    end if;
  end loop;
  if not has_schema_privilege(application, current_schema(), 'USAGE') then
    execute format('grant usage on schema %I to %I', current_schema(), application);
  end if;
  if not has_column_privilege(application, 'audit_keys', 'encrypted_key', 'UPDATE') then
    -- A rotation of SECRET_KEY encrypts them anew.
    execute format('grant update (encrypted_key) on audit_keys to %I', application);
  end if;
  if not has_function_privilege(application, 'drop_record_week(text, date, boolean)', 'EXECUTE') then
    execute format('grant execute on function ensure_record_week(timestamptz), drop_record_week(text, date, boolean) to %I', application);
  end if;
  perform let_vacuum_counter_buffers(application);
end $$;
