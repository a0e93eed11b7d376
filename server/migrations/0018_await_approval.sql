-- An account that somebody made by signing up while the setting `registration` was `approval`: inactive until staff decide.
alter table users add awaits_approval boolean not null default false;
alter table users add check (not awaits_approval or status = 'inactive');
create index users_awaiting_idx on users (id) where awaits_approval;
