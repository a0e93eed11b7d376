-- When all that failed, or all that waits, may be tried again: as long after the last time as that one was large.
alter table endpoints add column replay_due_at timestamptz not null default '-infinity';
alter table providers add column replay_due_at timestamptz not null default '-infinity';
