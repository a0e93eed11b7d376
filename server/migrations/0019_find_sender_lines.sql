-- Which lines of a segment's senders contain a part, each once and in order. A part that most lines contain is looked
-- for line by line.
create function lines_with(senders text, part text) returns int[] language plpgsql immutable strict parallel safe as $$
declare
  rest text := senders || '';
  before text;
  place int;
  line int := 1;
  found int[] := '{}';
begin
  loop
    place := strpos(rest, part);
    exit when place = 0;
    if cardinality(found) = 16 then
      return array(
        select nth::int from string_to_table(senders, E'\n') with ordinality t (sender, nth)
        where strpos(sender, part) > 0 order by nth
      );
    end if;
    before := left(rest, place - 1);
    line := line + length(before) - length(replace(before, E'\n', ''));
    found := found || line;
    rest := substr(rest, place);
    place := strpos(rest, E'\n');
    exit when place = 0;
    rest := substr(rest, place + 1);
    line := line + 1;
  end loop;
  return found;
end $$;

-- The sum of a range without any other filter that an index answers.
create index record_days_range_idx on record_days (range_id, status, day);
