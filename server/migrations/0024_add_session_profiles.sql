-- How the two sides of an SMPP session read, check and pace each other, for each account and each connection.
alter table users
  -- How the account's data_coding 0 is read.
  add column smpp_default_alphabet text not null default 'gsm7'
    check (smpp_default_alphabet in ('gsm7', 'packed7', 'latin1', 'ascii', 'utf8')),
  -- Reserved values and times in the past are refused.
  add column smpp_is_strict boolean not null default true,
  -- Deliveries that one of its sessions may leave unanswered; smpp_window is the other direction.
  add column smpp_delivery_window int not null default 50 check (smpp_delivery_window between 1 and 1000),
  add column smpp_enquire_link_seconds int not null default 30 check (smpp_enquire_link_seconds between 5 and 3600),
  -- How it gets its message ids.
  add column smpp_message_id_form text not null default 'text' check (smpp_message_id_form in ('text', 'decimal', 'hex')),
  -- The version that it is treated as, or `peer`: the one that it names itself.
  add column smpp_interface_version text not null default 'peer'
    check (smpp_interface_version in ('peer', '3.3', '3.4'));

alter table smpp_connections
  add column default_alphabet text not null default 'gsm7'
    check (default_alphabet in ('gsm7', 'packed7', 'latin1', 'ascii', 'utf8')),
  add column is_strict boolean not null default true,
  -- Messages of the upstream that may be unanswered.
  add column receive_window int not null default 50 check (receive_window between 1 and 1000),
  -- Messages of ours that may be unanswered, and the silence before an enquire_link; null: as all connections have it.
  add column send_window int check (send_window between 1 and 100),
  add column enquire_link_seconds int check (enquire_link_seconds between 5 and 3600),
  -- Networks in which its host must be; none is any.
  add column allowed_cidrs text[] not null default '{}';
