-- Books: the way to the ledger's lines of some days, what an accountant's program calls our accounts, rates of the day,
-- and what suppliers pay us.

-- Both tables are only added to, in the order of time: an entry for each hundred pages is enough.
create index ledger_lines_at_idx on ledger_lines using brin (at) with (autosummarize = on);
create index ledger_batches_at_idx on ledger_batches using brin (at) with (autosummarize = on);

-- How the journal is exported. Without the row: in USDT.
create table book_setup (
  only_row boolean primary key default true check (only_row),
  -- USDT, or the currency of the books.
  currency text not null check (currency = 'USDT' or currency ~ '^[A-Z]{3}$'),
  -- The month in which the fiscal year begins, on its first day.
  fiscal_month smallint not null check (fiscal_month between 1 and 12),
  -- DATEV: consultant, client, and digits of general accounts; null until somebody enters them.
  datev_consultant int check (datev_consultant between 1001 and 9999999),
  datev_client int check (datev_client between 1 and 99999),
  datev_digits smallint not null check (datev_digits between 4 and 8),
  -- The name of Xero's tax rate for lines without tax.
  xero_tax_rate text not null,
  updated_by int not null references users,
  updated_at timestamptz not null
);

-- The number that an account of the ledger has in the accountant's program.
create table book_accounts (
  account text primary key check (
    account in ('payable', 'held', 'billed', 'paid', 'credit', 'traffic_expense', 'payout_clearing', 'adjustment')),
  code text not null check (code ~ '^[0-9A-Za-z./-]{1,20}$')
);

-- What one USDT is worth in a currency on a day, in hundred-millionths.
create table day_rates (
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  day date not null,
  rate_e8 bigint not null check (rate_e8 > 0),
  entered_by int not null references users,
  entered_at timestamptz not null,
  primary key (currency, day)
);

-- What a supplier pays us for each message to a range, from a day on. Of several for one day the newest counts.
create table purchase_prices (
  id bigint generated always as identity primary key,
  range_id int not null references ranges,
  supplier text not null check (supplier <> ''),
  price_micro bigint not null check (price_micro >= 0),
  starts_on date not null,
  entered_by int not null references users,
  entered_at timestamptz not null
);
create index purchase_prices_range_idx on purchase_prices (range_id, starts_on desc, id desc);
create trigger purchase_prices_append_only before update or delete on purchase_prices
  for each statement execute function refuse_change();
create trigger purchase_prices_no_truncate before truncate on purchase_prices
  for each statement execute function refuse_change();
