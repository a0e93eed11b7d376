// SQL on rules, alerts, acknowledgements and notifications.
import { sql, type RawBuilder } from 'kysely'
import type {
  AlertScopeKind,
  FoundAlert,
  AlertKind,
  AlertSeverity,
} from '@tollgate/contract/alerts/alerts.ts'
import { changed, onlyRow, row, rows, type Db } from '../platform/db.ts'
import type { JudgedAlert, QuietHours, RuleCondition, RuleScope } from './rules.ts'

export interface RuleRow extends RuleCondition, QuietHours {
  readonly id: string
  readonly name: string
  readonly forMinutes: number
  readonly repeatMinutes: number
  readonly inConsole: boolean
  readonly mailTo: readonly string[]
  readonly endpointId: string | null
  readonly endpointName: string
  readonly isOn: boolean
  readonly scope: RuleScope | null
  readonly changedAt: Date
  readonly version: number
  readonly openCount: number
}

/** A rule as it is saved. */
export type RuleFields = Omit<
  RuleRow,
  'id' | 'endpointName' | 'version' | 'openCount' | 'scope' | 'changedAt'
> & { readonly scope: ScopeInput | null }

export interface ScopeInput {
  readonly kind: AlertScopeKind
  readonly id: string
}

/** A {@link RuleScope} from a kind and an id; null without a kind. */
const scopeOf = (kind: RawBuilder<unknown>, id: RawBuilder<unknown>) => sql`
  (select jsonb_build_object('kind', s.kind, 'id', s.id::text, 'names', case s.kind
      when 'connection' then array(select name from smpp_connections where id = s.id)
      when 'provider' then array(select name from providers where id = s.id)
      when 'account' then array(select username from users where id = s.id)
        || array(select system_id from smpp_credentials where user_id = s.id)
        || array(select name from gateways where user_id = s.id)
      else array(select range_number from ranges where id = s.id) end,
      'start', coalesce(g.start_number, ''), 'end', coalesce(g.end_number, ''))
    from (select ${kind} as kind, ${id} as id) s left join ranges g on s.kind = 'range' and g.id = s.id
    where s.kind <> '')`

const ruleQuery = sql`
  select r.id, r.name, r.kinds, r.min_severity as "minSeverity", r.threshold::float8 as threshold,
    r.for_minutes as "forMinutes", r.repeat_minutes as "repeatMinutes", r.in_console as "inConsole", r.mail_to as "mailTo",
    r.endpoint_id::text as "endpointId", coalesce(e.name, '') as "endpointName",
    coalesce(to_char(r.quiet_from, 'HH24:MI'), '') as "quietFrom", coalesce(to_char(r.quiet_to, 'HH24:MI'), '') as "quietTo",
    r.time_zone as "timeZone", r.is_on as "isOn", r.version, r.changed_at as "changedAt",
    ${scopeOf(sql`r.scope_kind`, sql`r.scope_id`)} as scope,
    (select count(*)::int from rule_alerts a where a.rule_id = r.id and a.opened_at is not null and a.recovered_at is null)
      as "openCount"
  from alert_rules r left join endpoints e on e.id = r.endpoint_id`

export function listRules(db: Db): Promise<RuleRow[]> {
  return rows(db, sql`${ruleQuery} order by r.id limit 200`)
}

export function findRule(db: Db, id: string): Promise<RuleRow | undefined> {
  return row(db, sql`${ruleQuery} where r.id = ${id}::bigint`)
}

/** What a rule that is not stored would be limited to. */
export async function readScope(db: Db, { kind, id }: ScopeInput): Promise<RuleScope | null> {
  const found = await row<{ scope: RuleScope | null }>(
    db,
    sql`select ${scopeOf(sql`${kind}::text`, sql`${id}::int`)} as scope`,
  )
  return found?.scope ?? null
}

export async function insertRule(tx: Db, rule: RuleFields, now: Date): Promise<string> {
  const made = await onlyRow<{ id: string }>(
    tx,
    sql`insert into alert_rules (name, kinds, min_severity, threshold, for_minutes, repeat_minutes, in_console, mail_to, endpoint_id,
          quiet_from, quiet_to, time_zone, is_on, scope_kind, scope_id, changed_at)
        values (${ruleValues(rule, now)}) returning id`,
  )
  return made.id
}

/** False when the rule is gone, or has another version. */
export async function updateRule(
  tx: Db,
  id: string,
  version: number | undefined,
  rule: RuleFields,
  now: Date,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update alert_rules set (name, kinds, min_severity, threshold, for_minutes, repeat_minutes, in_console, mail_to,
          endpoint_id, quiet_from, quiet_to, time_zone, is_on, scope_kind, scope_id, changed_at) = (${ruleValues(rule, now)}),
          version = version + 1
        where id = ${id}::bigint and (${version ?? null}::int is null or version = ${version ?? null})`,
  )
  return count === 1
}

function ruleValues(rule: RuleFields, now: Date): RawBuilder<unknown> {
  const time = (text: string) => (text === '' ? null : text)
  return sql`${rule.name}, ${[...rule.kinds]}::text[], ${rule.minSeverity}, ${rule.threshold}::bigint,
    ${rule.forMinutes}::int, ${rule.repeatMinutes}::int, ${rule.inConsole}::boolean, ${[...rule.mailTo]}::text[],
    ${rule.endpointId}::int, ${time(rule.quietFrom)}::time, ${time(rule.quietTo)}::time, ${rule.timeZone},
    ${rule.isOn}::boolean, ${rule.scope?.kind ?? ''}, ${Number(rule.scope?.id ?? 0)}::int,
    ${now}::timestamptz`
}

export async function deleteRule(tx: Db, id: string): Promise<boolean> {
  return (await changed(tx, sql`delete from alert_rules where id = ${id}::bigint`)) === 1
}

export async function hasEndpoint(db: Db, id: string): Promise<boolean> {
  return (await row(db, sql`select from endpoints where id = ${id}::int and user_id is null`)) !== undefined
}

export interface AcknowledgementRow {
  readonly key: string
  readonly by: string
  readonly at: Date
  readonly until: Date | null
  readonly severity: AlertSeverity
}

/** Those that still count at `now`. */
export function listAcknowledgements(db: Db, now: Date): Promise<AcknowledgementRow[]> {
  return rows(
    db,
    sql`select a.key, u.username as by, a.acknowledged_at as at, a.until, a.severity
        from alert_acknowledgements a join users u on u.id = a.acknowledged_by
        where a.until is null or a.until > ${now}`,
  )
}

export async function putAcknowledgement(
  tx: Db,
  { key, severity }: FoundAlert,
  { userId, now, until }: { readonly userId: number; readonly now: Date; readonly until: Date | null },
): Promise<void> {
  await sql`
    insert into alert_acknowledgements (key, acknowledged_by, acknowledged_at, until, severity)
    values (${key}, ${userId}, ${now}, ${until}, ${severity})
    on conflict (key) do update set acknowledged_by = excluded.acknowledged_by,
      acknowledged_at = excluded.acknowledged_at, until = excluded.until, severity = excluded.severity`.execute(
    tx,
  )
}

export async function deleteAcknowledgements(tx: Db, keys: readonly string[]): Promise<number> {
  return changed(tx, sql`delete from alert_acknowledgements where key = any(${[...keys]}::text[])`)
}

export interface RuleAlertRow {
  readonly id: string
  readonly ruleId: string
  readonly key: string
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  readonly name: string
  readonly what: string
  /** What name and text are made of; null for an alert of before they were kept. */
  readonly words: FoundAlert['words'] | null
  readonly seenAt: Date
  readonly openedAt: Date | null
  readonly notifiedAt: Date | null
  readonly sentAt: Date | null
  readonly goneAt: Date | null
  readonly recoveredAt: Date | null
  readonly notifiedCount: number
  readonly largestCount: number | null
}

/** Alerts that last, and those whose end mail and webhook have not been told. */
export function listLiveRuleAlerts(tx: Db): Promise<RuleAlertRow[]> {
  return rows(
    tx,
    sql`select id, rule_id as "ruleId", key, kind, severity, name, what, words, seen_at as "seenAt", opened_at as "openedAt",
          notified_at as "notifiedAt", sent_at as "sentAt", gone_at as "goneAt", recovered_at as "recoveredAt",
          notified_count as "notifiedCount", largest_count::float8 as "largestCount"
        from rule_alerts where recovered_at is null or owes_recovery order by id`,
  )
}

export async function insertRuleAlert(
  tx: Db,
  ruleId: string,
  found: FoundAlert,
  now: Date,
): Promise<RuleAlertRow> {
  const { key, kind, severity, name, what, words, about, count } = found
  const made = await onlyRow<{ id: string }>(
    tx,
    sql`insert into rule_alerts (rule_id, key, kind, severity, name, what, words, seen_at, about, largest_count)
        values (${ruleId}::bigint, ${key}, ${kind}, ${severity}, ${name}, ${what}, ${JSON.stringify(words)}::jsonb, ${now},
          ${JSON.stringify(about)}::jsonb, ${count}::bigint)
        returning id`,
  )
  return {
    id: made.id,
    ruleId,
    key,
    kind,
    severity,
    name,
    what,
    words,
    seenAt: now,
    openedAt: null,
    notifiedAt: null,
    sentAt: null,
    goneAt: null,
    recoveredAt: null,
    notifiedCount: 0,
    largestCount: count,
  }
}

export async function saveRuleAlert(tx: Db, ruleAlert: RuleAlertRow, owesRecovery: boolean): Promise<void> {
  await sql`
    update rule_alerts set severity = ${ruleAlert.severity}, name = ${ruleAlert.name}, what = ${ruleAlert.what},
      words = ${wordsOf(ruleAlert)}, opened_at = ${ruleAlert.openedAt}, notified_at = ${ruleAlert.notifiedAt}, sent_at = ${ruleAlert.sentAt}, gone_at = ${ruleAlert.goneAt},
      recovered_at = ${ruleAlert.recoveredAt}, owes_recovery = ${owesRecovery}, notified_count = ${ruleAlert.notifiedCount},
      largest_count = ${ruleAlert.largestCount}::bigint
    where id = ${ruleAlert.id}::bigint`.execute(tx)
}

interface PastAlert extends JudgedAlert {
  readonly seenAt: Date
  /** Null while it lasts. */
  readonly endedAt: Date | null
}

/** The alerts of a rule that were there at `since` or came later. */
export function listRuleAlertsSince(db: Db, ruleId: string, since: Date): Promise<PastAlert[]> {
  return rows(
    db,
    sql`select kind, severity, name, about, largest_count::float8 as count, seen_at as "seenAt",
          case when recovered_at is not null then coalesce(gone_at, recovered_at) end as "endedAt"
        from rule_alerts where rule_id = ${ruleId}::bigint and (recovered_at is null or recovered_at >= ${since})`,
  )
}

export async function deleteRuleAlert(tx: Db, id: string): Promise<void> {
  await sql`delete from rule_alerts where id = ${id}::bigint`.execute(tx)
}

export type NotificationEvent = 'opened' | 'repeated' | 'recovered'

export async function insertNotification(
  tx: Db,
  event: NotificationEvent,
  ruleAlert: RuleAlertRow,
  now: Date,
): Promise<void> {
  await sql`
    insert into notifications (at, event, kind, severity, name, what, words, key)
    values (${now}, ${event}, ${ruleAlert.kind}, ${ruleAlert.severity}, ${ruleAlert.name}, ${ruleAlert.what}, ${wordsOf(ruleAlert)},
      ${ruleAlert.key})`.execute(tx)
}

const wordsOf = ({ words }: RuleAlertRow): RawBuilder<unknown> =>
  sql`${words === null ? null : JSON.stringify(words)}::jsonb`

/** Deletes notifications and ended alerts of rules that are older than `before`. */
export async function pruneNotifications(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from notifications where at < ${before}`)
  await changed(db, sql`delete from rule_alerts where recovered_at < ${before} and not owes_recovery`)
}
