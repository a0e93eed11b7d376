-- The requester may withdraw a number request.
alter table number_requests drop constraint number_requests_status_check;
alter table number_requests add constraint number_requests_status_check
  check (status in ('pending', 'approved', 'assigned', 'rejected', 'withdrawn'));
