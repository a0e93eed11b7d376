-- Signed heads of the audit log, as they were published: who kept one elsewhere can prove that the log was rewritten.
create table audit_heads (
  id int generated always as identity primary key,
  published_at timestamptz not null,
  entry_id bigint not null,
  -- One line with everything that is signed, and the signature.
  line text not null
);
create index audit_heads_entry_idx on audit_heads (entry_id);
create trigger audit_heads_append_only before update or delete on audit_heads
  for each statement execute function refuse_change();
create trigger audit_heads_no_truncate before truncate on audit_heads
  for each statement execute function refuse_change();

-- How far the job has checked the chain, and what it found. `state` is JSON, sealed with a key of the log.
create table audit_checks (
  only_row boolean primary key default true check (only_row),
  state text not null,
  key_id int not null,
  seal bytea not null
);
