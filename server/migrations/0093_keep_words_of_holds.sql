-- Why an amount is held, as template and values, so that each person reads it in the own language.
alter table holds add words jsonb;
