-- Papers: numbered self-billing invoices and credit notes, and the legal entities that they name. Nothing here is ever
-- changed or deleted, so that a paper reads the same for as long as it must be kept.

-- Each save is a row of its own: a paper keeps the entities that it was issued with.
create table legal_entities (
  id int generated always as identity primary key,
  -- Null: the house, who runs this gateway.
  user_id int references users,
  legal_name text not null check (legal_name <> ''),
  address_lines text[] not null check (cardinality(address_lines) > 0),
  -- ISO 3166-1.
  country text not null check (country ~ '^[A-Z]{2}$'),
  tax_number text not null default '',
  -- What papers print where their fonts lack letters of the others; else empty.
  latin_name text not null default '',
  latin_address_lines text[] not null default '{}',
  saved_by int not null references users,
  saved_at timestamptz not null
);
create index legal_entities_user_idx on legal_entities (user_id, id desc);
create trigger legal_entities_append_only before update or delete on legal_entities
  for each statement execute function refuse_change();
create trigger legal_entities_no_truncate before truncate on legal_entities
  for each statement execute function refuse_change();

-- The words on papers, once for all papers that have the same.
create table paper_wordings (
  id int generated always as identity primary key,
  words text[] not null unique
);
create trigger paper_wordings_append_only before update or delete on paper_wordings
  for each statement execute function refuse_change();
create trigger paper_wordings_no_truncate before truncate on paper_wordings
  for each statement execute function refuse_change();

-- The last number given in each series. It grows in the transaction that writes the papers, so no number is lost.
create table paper_series (
  kind text not null check (kind in ('invoice', 'credit_note')),
  year int not null,
  last_sequence int not null check (last_sequence >= 0),
  primary key (kind, year)
);

create table papers (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('invoice', 'credit_note')),
  year int not null,
  sequence int not null check (sequence > 0),
  -- As printed.
  number text not null unique,
  -- What it is for: the client's bill or all its payouts of the cycle.
  about text not null check (about in ('bill', 'payouts')),
  cycle_id int not null references cycles,
  user_id int not null references users,
  -- What a credit note takes off, and the invoice that it corrects.
  amendment_id bigint unique references bill_amendments,
  corrects_id bigint references papers,
  amount_micro bigint not null check (amount_micro > 0),
  supplier_id int not null references legal_entities,
  customer_id int not null references legal_entities,
  wording_id int not null references paper_wordings,
  issued_at timestamptz not null,
  unique (kind, year, sequence),
  check ((kind = 'credit_note') = (amendment_id is not null)),
  check ((kind = 'credit_note') = (corrects_id is not null))
);
create unique index papers_invoice_key on papers (cycle_id, user_id, about) where kind = 'invoice';
create index papers_issued_idx on papers (issued_at desc, id desc);
create index papers_user_idx on papers (user_id, id desc);
create index papers_amount_idx on papers (amount_micro, id);
create trigger papers_append_only before update or delete on papers
  for each statement execute function refuse_change();
create trigger papers_no_truncate before truncate on papers
  for each statement execute function refuse_change();

-- Null while bills of the cycle may lack a paper that could be issued.
alter table cycle_bills add papers_at timestamptz;

-- A client's own list of payouts, and who has any.
create index payouts_user_idx on payouts (user_id, cycle_id desc);

create index bill_amendments_credits_idx on bill_amendments (id)
  where status = 'done' and kind in ('credit_note', 'void');
