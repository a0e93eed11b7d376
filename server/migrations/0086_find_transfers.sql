-- From the first characters of a transaction's hash.
create index transfers_txid_prefix_idx on transfers (txid text_pattern_ops);
