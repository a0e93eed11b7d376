-- One transaction may hold transfers for several bills. Each payment has a place of its own under the hash: 0 without
-- asking, another one only when the chain shows a transfer for it. Nodes of the version before give 0 and share none.
alter table payments add column hash_place smallint not null default 0;
alter index payments_transaction_hash_key rename to payments_transaction_hash_key_before;
create unique index payments_transaction_hash_key on payments (transaction_hash, hash_place) where status <> 'failed';
drop index payments_transaction_hash_key_before;
