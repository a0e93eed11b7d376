-- The cycle that a hold was decided in. Its statement and the lines of its bill name the messages, those worth nothing,
-- too, which move no money in the ledger.
alter table holds add column decided_cycle_id int references cycles;

with noted as (
  select reference::bigint as id, min(cycle_id) as cycle_id from ledger_entries
  where kind in ('hold', 'release', 'refusal') and account = 'held' and amount_micro < 0 group by 1
)
update holds h set decided_cycle_id = coalesce(
  (select n.cycle_id from noted n where n.id = h.id),
  (select min(c.id) from cycles c where c.closed_at is null or c.closed_at >= h.decided_at)
)
where h.status <> 'open';

-- By the database, so that it holds whichever release a node runs. Who decides keeps the cycle open meanwhile.
create function note_decided_cycle() returns trigger language plpgsql as $$
begin
  new.decided_cycle_id := (select id from cycles where closed_at is null);
  return new;
end
$$;
create trigger holds_decided before update of status on holds
  for each row when (old.status = 'open' and new.status <> 'open') execute function note_decided_cycle();

create index holds_decided_idx on holds (decided_cycle_id, user_id) where decided_cycle_id is not null;
