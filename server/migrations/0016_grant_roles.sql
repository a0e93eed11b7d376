-- What the program may do. It runs as a role that owns nothing (decision 49); what it must do as the owner, it does through
-- functions that run as the owner and check their arguments.

-- Gives a role what the program needs at run time, and takes away what is more. The owner calls it at each start, because
-- migrations add tables. It writes nothing when nothing is to be done.
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
        when exists (
          select from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = to_regproc('refuse_change')
        ) or c.relname = 'audit_keys' then array['SELECT', 'INSERT']
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
  if not has_column_privilege(application, 'audit_keys', 'sealed', 'UPDATE') then
    -- A rotation of SECRET_KEY encrypts them anew.
    execute format('grant update (sealed) on audit_keys to %I', application);
  end if;
  if not has_function_privilege(application, 'drop_record_week(text, date)', 'EXECUTE') then
    execute format('grant execute on function ensure_record_week(timestamptz), drop_record_week(text, date) to %I', application);
  end if;
  perform let_vacuum_tallies(application);
end $$;

-- Rows of record_tally_packs come and go with each batch, and the job that empties the table vacuums it. Before PostgreSQL
-- 17 only its owner may do that.
create function let_vacuum_tallies(application text) returns void language plpgsql as $$
begin
  if current_setting('server_version_num')::int >= 170000 then
    if not has_table_privilege(application, 'record_tally_packs', 'MAINTAIN') then
      execute format('grant maintain on record_tally_packs to %I', application);
    end if;
  elsif pg_has_role(application, 'MEMBER')
    and not pg_has_role(application, (select relowner from pg_class where oid = 'record_tally_packs'::regclass), 'USAGE') then
    execute format('grant create on schema %I to %I', current_schema(), application);
    execute format('alter table record_tally_packs owner to %I', application);
    execute format('revoke create on schema %I from %I', current_schema(), application);
  end if;
end $$;
