-- Invoices: numbered self-billing invoices and credit notes, and the legal entities that they name. Nothing of these is ever
-- changed or deleted, so that an invoice reads the same for as long as it must be kept. And books: what an accountant's program
-- calls our accounts, and what suppliers pay us.

create table legal_entities (
  id int generated always as identity primary key,
  user_id int references users, -- Null: the own company, which runs this gateway.
  legal_name text not null check (legal_name <> ''),
  address_lines text[] not null check (cardinality(address_lines) > 0),
  country text not null check (country ~ '^[A-Z]{2}$'), -- ISO 3166-1.
  tax_number text not null default '',
  -- What invoices print where their fonts lack letters of the others; else empty.
  latin_name text not null default '',
  latin_address_lines text[] not null default '{}',
  saved_by int not null references users, saved_at timestamptz not null
);
comment on table legal_entities is 'A legal entity as it was saved: an invoice keeps the one that it was issued with. [people]';
create index legal_entities_user_idx on legal_entities (user_id, id desc);
create trigger legal_entities_append_only before update or delete or truncate on legal_entities execute function refuse_change();

create table invoice_wordings (
  id int generated always as identity primary key,
  words text[] not null unique
);
comment on table invoice_wordings is 'The words on invoices, once for all invoices that have the same. [settings]';
create trigger invoice_wordings_append_only before update or delete or truncate on invoice_wordings execute function refuse_change();

create table invoices (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('invoice', 'credit_note')),
  year int not null,
  -- The next of its kind and year, given in the transaction that writes the invoice, so no number is lost.
  sequence int not null check (sequence > 0),
  number text not null unique, -- As printed.
  -- What it is for: the client's bill or all its payouts of the cycle.
  about text not null check (about in ('bill', 'payouts')),
  cycle_id int not null references cycles, user_id int not null references users,
  -- What a credit note takes off, and the invoice that it corrects.
  amendment_id bigint unique references bill_amendments,
  corrects_id bigint references invoices,
  amount_micro bigint not null check (amount_micro > 0),
  supplier_id int not null references legal_entities,
  customer_id int not null references legal_entities,
  wording_id int not null references invoice_wordings,
  issued_at timestamptz not null,
  unique (kind, year, sequence),
  check ((kind = 'credit_note') = (amendment_id is not null)),
  check ((kind = 'credit_note') = (corrects_id is not null))
);
comment on table invoices is 'A numbered invoice or credit note. [money]';
create unique index invoices_invoice_key on invoices (cycle_id, user_id, about) where kind = 'invoice';
create index invoices_issued_idx on invoices (issued_at desc, id desc);
create index invoices_user_idx on invoices (user_id, id desc);
create index invoices_amount_idx on invoices (amount_micro, id);
create index invoices_number_prefix_idx on invoices (lower(number) text_pattern_ops);
create trigger invoices_append_only before update or delete or truncate on invoices execute function refuse_change();

create table book_accounts (
  account text primary key check (
    account in ('payable', 'held', 'reserved', 'billed', 'paid', 'credit', 'traffic_expense', 'payout_clearing', 'adjustment')),
  code text not null check (code ~ '^[0-9A-Za-z./-]{1,20}$'),
  updated_by int not null references users, updated_at timestamptz not null
);
comment on table book_accounts is 'The number that an account of the ledger has in the accountant''s program. [settings]';

create table purchase_prices (
  id bigint generated always as identity primary key,
  range_id int not null references ranges,
  supplier text not null check (supplier <> ''),
  price_micro bigint not null check (price_micro >= 0),
  starts_on date not null,
  entered_by int not null references users, entered_at timestamptz not null
);
comment on table purchase_prices is 'What a supplier pays us for each message to a range, from a day on. Of several for one day the newest counts. [acts]';
create index purchase_prices_range_idx on purchase_prices (range_id, starts_on desc, id desc);
create trigger purchase_prices_append_only before update or delete or truncate on purchase_prices execute function refuse_change();
