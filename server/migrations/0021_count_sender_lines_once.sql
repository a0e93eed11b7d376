-- As many line breaks as there are up to a place, so many lines stand before it. Cutting the text once at every place
-- and counting octets takes half as long as looking for one place after another.
create or replace function lines_with(senders text, part text) returns int[]
language plpgsql immutable strict parallel safe
as $$
declare
  pieces text[] := string_to_array(senders, part);
  line int := 1;
  found int[] := '{}';
begin
  if cardinality(pieces) > 16 then
    return array(
      select nth::int from string_to_table(senders, E'\n') with ordinality t (sender, nth)
      where strpos(sender, part) > 0 order by nth
    );
  end if;
  for place in 1 .. cardinality(pieces) - 1 loop
    line := line + octet_length(pieces[place]) - octet_length(replace(pieces[place], E'\n', ''));
    if found[cardinality(found)] is distinct from line then
      found := found || line;
    end if;
  end loop;
  return found;
end $$;
