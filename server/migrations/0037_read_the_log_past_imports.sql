-- Up to where the log of records can change no more: the oldest transaction still running that could write into it.
-- Others do not count: those in other databases, and those that said that they stand aside. An activity that was seen
-- too late, or may not be seen, only makes the answer lower. See docs/decisions/0021.
create function log_horizon() returns xid8
language sql stable
as $$
  select case
    when pg_snapshot_xmin(s.now) = pg_snapshot_xmax(s.now) then pg_snapshot_xmax(s.now)
    else coalesce(
      (
        select min(running) from pg_snapshot_xip(s.now) running
        where not exists (
          select from pg_stat_activity a
          where a.backend_xid = running::xid
            and (a.datid <> d.oid or a.application_name = 'tollgate-aside')
        )
      ),
      pg_snapshot_xmax(s.now)
    )
  end
  from (select pg_current_snapshot() as now offset 0) s, pg_database d where d.datname = current_database()
$$;
