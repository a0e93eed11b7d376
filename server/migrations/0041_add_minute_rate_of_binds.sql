-- What a bind brought in the last minute, as links and the status page show their rates. messages_per_second stays the rate
-- since the last check: by it the nodes share an account's throughput.
alter table binds add column minute_rate real not null default 0;
