-- An import writes each of its numbers into three search indexes, which took more than half of its time. What waits to be
-- sorted in is cheaper by the piece when more waits; the import sorts in what is left before it commits.
alter index numbers_premium_search_idx set (gin_pending_list_limit = 4096);
alter index numbers_stock_search_idx set (gin_pending_list_limit = 4096);
alter index numbers_account_search_idx set (gin_pending_list_limit = 4096);
