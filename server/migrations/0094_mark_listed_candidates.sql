-- Whether the node listed a transaction, or a person named it for a line of a payment run. Only the daily proof of wallet
-- and ledger waits for what the node listed: a mistyped hash has no receipt, ever. False is what a node of the version before
-- writes; what the node did list is listed again before a proof.
alter table treasury_candidates add is_listed boolean not null default false;
-- Of those from before nobody knows. A receipt takes minutes, and before a proof the last two days are listed again.
update treasury_candidates c set is_listed = true
where c.listed_at >= now() - interval '2 days'
  and not exists (select from payment_run_lines l where l.transaction_hash = c.txid);
-- Whether another line names the hash as well.
create index payment_run_lines_hash_idx on payment_run_lines (transaction_hash)
  where transaction_hash is not null and transfer_id is null;
