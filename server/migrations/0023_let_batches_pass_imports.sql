-- An import adds numbers and changes none, so what a batch was priced with still holds after it: the batch passes when
-- every change since its version was an import. Otherwise as before, see 0003.
create or replace function enter_traffic_gate(expected_version bigint, expected_cycle int) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7001);
  if not exists (
    select from catalog, cycles
    where cycles.id = expected_cycle and closed_at is null and (
      version = expected_version
      or version - expected_version = (select count(*) from number_imports where catalog_version > expected_version)
    )
  ) then
    raise exception 'the catalog or the cycle has moved on' using errcode = 'TG001';
  end if;
end $$;
