-- Why a person decided about a payment, for staff alone. The note of the check, which the client reads too, stays beside it.
alter table payments add decision_reason text not null default '';

-- Until now the reason took the place of the note. Once a payment is settled, every other note is what a person wrote.
update payments set decision_reason = verification_note, verification_note = ''
where status <> 'pending' and verification_note not in (
    '',
    'The transaction failed on chain.',
    'The transaction moves no USDT.',
    'The transfer goes to another address than the bill''s.',
    'The transfer does not come from one of our wallets.',
    'The transfer is older than the bill.',
    'The transfer has paid something else.',
    'Nobody has said which wallets are ours, so the transfer may be of somebody else.',
    'Its transaction was never seen on chain.',
    'Its hash was replaced before it was approved.',
    'Its hash was replaced. It is still looked up.',
    'Paid in several transfers.',
    'The rest was set off.'
  ) and verification_note !~ '^The transfer is of [0-9.]+ USDT instead of [0-9.]+\.$';
