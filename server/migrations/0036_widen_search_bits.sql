-- Pieces of telephone numbers get twice the bits, so that a search for six digits looks at a quarter of the segments.
-- The follower builds the search tables anew; until it has, searches read the records themselves.
truncate record_segments, record_signatures;
update record_search_position set xid = '0', batch = 0;
