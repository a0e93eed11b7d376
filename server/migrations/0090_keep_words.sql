-- What a kept text is made of, template and values, so that each person reads it in the own language. The ready English
-- text stays beside it; rows from before have only that.
alter table alerts add words jsonb;
alter table notices add words jsonb;
alter table payment_run_lines add warning_words jsonb;
alter table close_waits add words jsonb;
alter table parked_accounts add words jsonb;
