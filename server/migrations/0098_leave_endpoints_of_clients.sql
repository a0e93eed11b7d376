-- Alerts are for staff. A rule whose endpoint was given to a client since tells it nothing, and must not seem to.
update alert_rules set endpoint_id = null
where endpoint_id in (select id from endpoints where user_id is not null);
