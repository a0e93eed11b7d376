-- What clients see instead of a supplier's name: what staff chose, or a neutral word with the gateway's id.
alter table gateways
  add column chosen_alias text check (chosen_alias <> ''),
  add column alias text not null generated always as (coalesce(chosen_alias, 'Supplier ' || id::text)) stored;
