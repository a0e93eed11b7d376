-- Short codes of three to eight digits are numbers too, alone and in ranges.
alter table numbers
  drop constraint numbers_number_check,
  add constraint numbers_number_check check (number ~ '^[1-9][0-9]{2,14}$');
alter table ranges
  drop constraint ranges_start_number_check,
  drop constraint ranges_end_number_check,
  add constraint ranges_start_number_check check (start_number ~ '^[1-9][0-9]{2,14}$'),
  add constraint ranges_end_number_check check (end_number ~ '^[1-9][0-9]{2,14}$');
