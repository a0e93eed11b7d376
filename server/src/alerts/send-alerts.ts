// Compares rules with the alerts of now, and tells what opened, lasts or is over. All in one transaction: after a crash
// nothing was told that is not written down, and nothing is told twice.
import { sql } from 'kysely'
import type { FoundAlert, AlertSeverity } from '@tollgate/contract/alerts/alerts.ts'
import type { Endpoints } from '../endpoints/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Db } from '../platform/db.ts'
import { tryLock } from '../platform/locks/locks.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { weightOf, type Collected } from './collect.ts'
import { concerns, isQuiet } from './rules.ts'
import {
  deleteAcknowledgements,
  deleteRuleAlert,
  insertRuleAlert,
  insertNotification,
  listAcknowledgements,
  listLiveRuleAlerts,
  listRules,
  saveRuleAlert,
  type RuleAlertRow,
  type NotificationEvent,
  type RuleRow,
} from './store.ts'

export interface SendAlertsDeps {
  readonly db: Db
  /** Undefined: no mail server, so no mail is sent. */
  readonly mail: Pick<Mail, 'enqueue'> | undefined
  readonly announceTo: Endpoints['announceTo']
  /** The console's address for links; undefined: mails name the page. */
  readonly consoleUrl: string | undefined
  /** Called after the commit when the console has something new to tell. */
  readonly onNotification: () => void
}

// An alert that goes and comes within a minute is the same one.
const goneForMs = 60_000
const minuteMs = 60_000

/** Whether an alert that was not found may be there all the same. */
type MayLast = (kind: string, severity: AlertSeverity) => boolean

/** Its source could not be read, or left some of its kind out because its list was full: it may have become worse. */
function mayLastIn({ missing, unlisted }: Collected): MayLast {
  const unread = new Set<string>(missing.flatMap(({ kinds }) => kinds))
  return (kind, severity) =>
    unread.has(kind) ||
    unlisted.some((left) => left.kind === kind && weightOf(left.severity) >= weightOf(severity))
}

/** May run on two nodes at once: one of them does the work. */
export async function sendAlerts(deps: SendAlertsDeps, collected: Collected, now: Date): Promise<void> {
  const { alerts } = collected
  const mayLast = mayLastIn(collected)
  await transaction(deps.db, async (tx) => {
    if (!(await tryLock(tx, 'alerts'))) return
    const silenced = await keepAcknowledgements(tx, alerts, mayLast, now)
    const rules = await listRules(tx)
    const ruleAlerts = await listLiveRuleAlerts(tx)
    const sender = new AlertSender(deps, tx, now)
    for (const rule of rules) {
      const own = ruleAlerts.filter(({ ruleId }) => ruleId === rule.id)
      const fitting = rule.isOn ? alerts.filter((found) => concerns(rule, found)) : []
      for (const found of fitting) {
        const open = own.find(({ key, recoveredAt }) => key === found.key && recoveredAt === null)
        await sender.onPresent(
          rule,
          open ?? (await insertRuleAlert(tx, rule.id, found, now)),
          found,
          silenced,
        )
      }
      if (!rule.isOn) {
        for (const { id } of own) await deleteRuleAlert(tx, id)
        continue
      }
      const keys = new Set(fitting.map(({ key }) => key))
      for (const ruleAlert of own)
        if (ruleAlert.recoveredAt !== null) await sender.sendRecovery(rule, ruleAlert)
        else if (!keys.has(ruleAlert.key) && !mayLast(ruleAlert.kind, ruleAlert.severity))
          await sender.onAbsent(rule, ruleAlert)
    }
    if (sender.hasNotifications) afterCommit(tx, deps.onNotification)
  })
}

/** Deletes what no longer counts; gives the keys of alerts that somebody deals with. */
async function keepAcknowledgements(
  tx: Db,
  alerts: readonly FoundAlert[],
  mayLast: MayLast,
  now: Date,
): Promise<ReadonlySet<string>> {
  const acknowledged = await listAcknowledgements(tx, now)
  const isOver = ({ key, severity }: (typeof acknowledged)[number]) => {
    const found = alerts.find((each) => each.key === key)
    if (found === undefined) return !mayLast(key.split(':')[0] ?? '', severity)
    return weightOf(found.severity) > weightOf(severity)
  }
  const over = acknowledged.filter(isOver).map(({ key }) => key)
  if (over.length > 0) await deleteAcknowledgements(tx, over)
  return new Set(acknowledged.map(({ key }) => key).filter((key) => !over.includes(key)))
}

/** Whether mail and webhook know less than the console. */
function isUnsent({ sentAt, notifiedAt }: RuleAlertRow): boolean {
  return notifiedAt !== null && (sentAt === null || sentAt < notifiedAt)
}

class AlertSender {
  readonly #deps: SendAlertsDeps
  readonly #tx: Db
  readonly #now: Date
  hasNotifications = false

  constructor(deps: SendAlertsDeps, tx: Db, now: Date) {
    this.#deps = deps
    this.#tx = tx
    this.#now = now
  }

  /** The alert is there: it is told once it has lasted long enough, and again when it is worse or time has passed. */
  async onPresent(
    rule: RuleRow,
    ruleAlert: RuleAlertRow,
    found: FoundAlert,
    silenced: ReadonlySet<string>,
  ): Promise<void> {
    const now = this.#now
    const { severity, name, what, words, count } = found
    const isWorse = weightOf(severity) > weightOf(ruleAlert.severity)
    const isSilenced = silenced.has(ruleAlert.key)
    let next: RuleAlertRow = {
      ...ruleAlert,
      severity,
      name,
      what,
      words,
      goneAt: null,
      largestCount: count === null ? ruleAlert.largestCount : Math.max(count, ruleAlert.largestCount ?? 0),
    }
    if (next.openedAt === null && now.getTime() - next.seenAt.getTime() >= rule.forMinutes * minuteMs)
      next = { ...next, openedAt: now }
    if (next.openedAt !== null && !isSilenced) {
      if (next.notifiedAt === null) next = await this.#notify(rule, next, 'opened')
      else if (isWorse || this.#isDue(rule, next)) next = await this.#notify(rule, next, 'repeated')
      if (isUnsent(next) && !isQuiet(rule, now))
        next = await this.#send(rule, next, next.notifiedCount > 1 ? 'repeated' : 'opened')
    }
    await saveRuleAlert(this.#tx, next, false)
  }

  /** The alert is not there: after a minute it is over. One that was never told goes without a word. */
  async onAbsent(rule: RuleRow, ruleAlert: RuleAlertRow): Promise<void> {
    const now = this.#now
    if (ruleAlert.openedAt === null) return deleteRuleAlert(this.#tx, ruleAlert.id)
    const goneAt = ruleAlert.goneAt ?? now
    if (now.getTime() - goneAt.getTime() < goneForMs)
      return saveRuleAlert(this.#tx, { ...ruleAlert, goneAt }, false)
    const over = await this.#notify(rule, { ...ruleAlert, goneAt, recoveredAt: now }, 'recovered')
    await this.sendRecovery(rule, over)
  }

  /** Mail and webhook are told of the end if they were told of the begin, and not within the quiet hours. */
  async sendRecovery(rule: RuleRow, ruleAlert: RuleAlertRow): Promise<void> {
    const isDelayed = ruleAlert.sentAt !== null && isQuiet(rule, this.#now)
    if (ruleAlert.sentAt !== null && !isDelayed) await this.#send(rule, ruleAlert, 'recovered')
    await saveRuleAlert(this.#tx, ruleAlert, isDelayed)
  }

  #isDue({ repeatMinutes }: RuleRow, { notifiedAt }: RuleAlertRow): boolean {
    if (repeatMinutes === 0 || notifiedAt === null) return false
    return this.#now.getTime() - notifiedAt.getTime() >= repeatMinutes * minuteMs
  }

  async #notify(rule: RuleRow, ruleAlert: RuleAlertRow, event: NotificationEvent): Promise<RuleAlertRow> {
    if (rule.inConsole) {
      await insertNotification(this.#tx, event, ruleAlert, this.#now)
      this.hasNotifications = true
    }
    return { ...ruleAlert, notifiedAt: this.#now, notifiedCount: ruleAlert.notifiedCount + 1 }
  }

  async #send(rule: RuleRow, ruleAlert: RuleAlertRow, event: NotificationEvent): Promise<RuleAlertRow> {
    await this.#mail(rule, ruleAlert, event)
    if (rule.endpointId !== null) {
      const { id, key, kind, severity, name, what, openedAt } = ruleAlert
      await this.#deps.announceTo(this.#tx, {
        endpointId: Number(rule.endpointId),
        type: `alert.${event}`,
        id,
        data: { rule: rule.name, key, kind, severity, name, what, openedAt: openedAt?.toISOString() ?? null },
      })
    }
    return { ...ruleAlert, sentAt: this.#now }
  }

  async #mail(rule: RuleRow, ruleAlert: RuleAlertRow, event: NotificationEvent): Promise<void> {
    const { mail, consoleUrl } = this.#deps
    if (mail === undefined || rule.mailTo.length === 0) return
    const begin = { opened: '', repeated: 'Still: ', recovered: 'Over: ' }[event]
    const page = consoleUrl === undefined ? 'the page Alerts of the console' : `${consoleUrl}/alerts`
    const body = [
      ruleAlert.name,
      ruleAlert.what,
      '',
      event === 'recovered'
        ? `It lasted from ${ruleAlert.openedAt?.toISOString() ?? ''} to ${ruleAlert.recoveredAt?.toISOString() ?? ''}.`
        : `Since ${ruleAlert.openedAt?.toISOString() ?? ''}. See how to fix it, or acknowledge it: ${page}`,
      '',
      `You get this mail because of the rule "${rule.name}".`,
      '',
    ].join('\n')
    const subject = `${begin}${ruleAlert.name}: ${ruleAlert.kind.replaceAll('_', ' ')}`
    await mail.enqueue(
      this.#tx,
      sql`select 'alert-' || ${ruleAlert.id}::text || '-' || ${event}::text || '-' || ${ruleAlert.notifiedCount}::int || '-' || r.address as event_key,
            r.address as recipient, ${subject}::text as subject, ${body}::text as body
          from unnest(${[...rule.mailTo]}::text[]) as r (address)`,
    )
  }
}
