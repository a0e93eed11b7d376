-- What finds rare records among millions without an index on the hot table: see docs/decisions/0020.

-- A stretch of the log of batches, about 256 records: all of its records lie within its time, and hardly any others do.
-- Where others do (late records, a provider's whole hours), the segment names its records one by one.
create table record_segments (
  id bigint generated always as identity primary key,
  created_from timestamptz not null,
  created_to timestamptz not null,
  record_count int not null,
  key_times timestamptz[],
  key_ids bigint[],
  -- One bit for each token that some record of the segment has; null once it stands in a signature.
  tokens bytea,
  signature_id bigint,
  place smallint,
  check ((key_times is null) = (key_ids is null))
);
create index record_segments_signature_idx on record_segments (signature_id, place) where signature_id is not null;
create index record_segments_open_idx on record_segments (id) where signature_id is null;

-- The tokens of 256 segments, turned around: for each token 32 bytes, one bit a segment. Kept uncompressed, so that
-- reading one token's bytes does not read the rest.
create table record_signatures (
  id bigint generated always as identity primary key,
  created_from timestamptz not null,
  created_to timestamptz not null,
  slices bytea not null
);
alter table record_signatures alter column slices set storage external;
-- A segment's bits live until the next signature: not worth compressing.
alter table record_segments alter column tokens set storage external;
create index record_signatures_created_to_idx on record_signatures (created_to, id);

-- Which numbers have records, and for whom; 0 stands for nobody.
create table record_numbers (
  client_id int not null,
  number_id int not null,
  primary key (client_id, number_id)
);

-- How far the two tables above have come in the log.
create table record_search_position (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null default '0',
  batch bigint not null default 0
);
insert into record_search_position default values;
