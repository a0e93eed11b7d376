// Compares rules with the troubles of now, and tells what opened, lasts or is over. All in one transaction: after a crash
// nothing was told that is not written down, and nothing is told twice.
import { sql } from 'kysely'
import type { FoundTrouble, TroubleSeverity } from '@tollgate/contract/alerts/alerts.ts'
import type { Endpoints } from '../endpoints/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Db } from '../platform/db.ts'
import { tryLock } from '../platform/locks/locks.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { weightOf, type Collected } from './collect.ts'
import { concerns, isQuiet } from './rules.ts'
import {
  deleteAcknowledgements,
  deleteAlert,
  insertAlert,
  insertNotice,
  listAcknowledgements,
  listLiveAlerts,
  listRules,
  saveAlert,
  type AlertRow,
  type NoticeEvent,
  type RuleRow,
} from './store.ts'

export interface AlertDeps {
  readonly db: Db
  /** Undefined: no mail server, so no mail is sent. */
  readonly mail: Pick<Mail, 'enqueue'> | undefined
  readonly announceTo: Endpoints['announceTo']
  /** The console's address for links; undefined: mails name the page. */
  readonly consoleUrl: string | undefined
  /** Called after the commit when the bell has something new. */
  readonly onNotice: () => void
}

// A trouble that goes and comes within a minute is the same one.
const goneForMs = 60_000
const minuteMs = 60_000

/** Whether a trouble that was not found may be there all the same. */
type MayLast = (kind: string, severity: TroubleSeverity) => boolean

/** Its source could not be read, or left some of its kind out because its list was full: it may have become worse. */
function mayLastIn({ missing, unlisted }: Collected): MayLast {
  const unread = new Set<string>(missing.flatMap(({ kinds }) => kinds))
  return (kind, severity) =>
    unread.has(kind) ||
    unlisted.some((left) => left.kind === kind && weightOf(left.severity) >= weightOf(severity))
}

/** May run on two nodes at once: one of them does the work. */
export async function sendAlerts(deps: AlertDeps, collected: Collected, now: Date): Promise<void> {
  const { troubles } = collected
  const mayLast = mayLastIn(collected)
  await transaction(deps.db, async (tx) => {
    if (!(await tryLock(tx, 'alerts'))) return
    const silenced = await keepAcknowledgements(tx, troubles, mayLast, now)
    const rules = await listRules(tx)
    const alerts = await listLiveAlerts(tx)
    const sender = new AlertSender(deps, tx, now)
    for (const rule of rules) {
      const own = alerts.filter(({ ruleId }) => ruleId === rule.id)
      const fitting = rule.isOn ? troubles.filter((found) => concerns(rule, found)) : []
      for (const found of fitting) {
        const open = own.find(({ key, recoveredAt }) => key === found.key && recoveredAt === null)
        await sender.onPresent(rule, open ?? (await insertAlert(tx, rule.id, found, now)), found, silenced)
      }
      if (!rule.isOn) {
        for (const { id } of own) await deleteAlert(tx, id)
        continue
      }
      const keys = new Set(fitting.map(({ key }) => key))
      for (const alert of own)
        if (alert.recoveredAt !== null) await sender.sendRecovery(rule, alert)
        else if (!keys.has(alert.key) && !mayLast(alert.kind, alert.severity))
          await sender.onAbsent(rule, alert)
    }
    if (sender.hasNotices) afterCommit(tx, deps.onNotice)
  })
}

/** Deletes what no longer counts; gives the keys of troubles that somebody deals with. */
async function keepAcknowledgements(
  tx: Db,
  troubles: readonly FoundTrouble[],
  mayLast: MayLast,
  now: Date,
): Promise<ReadonlySet<string>> {
  const acknowledged = await listAcknowledgements(tx, now)
  const isOver = ({ key, severity }: (typeof acknowledged)[number]) => {
    const found = troubles.find((each) => each.key === key)
    if (found === undefined) return !mayLast(key.split(':')[0] ?? '', severity)
    return weightOf(found.severity) > weightOf(severity)
  }
  const over = acknowledged.filter(isOver).map(({ key }) => key)
  if (over.length > 0) await deleteAcknowledgements(tx, over)
  return new Set(acknowledged.map(({ key }) => key).filter((key) => !over.includes(key)))
}

/** Whether mail and webhook know less than the bell. */
function isUnsent({ sentAt, notifiedAt }: AlertRow): boolean {
  return notifiedAt !== null && (sentAt === null || sentAt < notifiedAt)
}

class AlertSender {
  readonly #deps: AlertDeps
  readonly #tx: Db
  readonly #now: Date
  hasNotices = false

  constructor(deps: AlertDeps, tx: Db, now: Date) {
    this.#deps = deps
    this.#tx = tx
    this.#now = now
  }

  /** The trouble is there: it is told once it has lasted long enough, and again when it is worse or time has passed. */
  async onPresent(
    rule: RuleRow,
    alert: AlertRow,
    found: FoundTrouble,
    silenced: ReadonlySet<string>,
  ): Promise<void> {
    const now = this.#now
    const { severity, name, what, words } = found
    const isWorse = weightOf(severity) > weightOf(alert.severity)
    const isSilenced = silenced.has(alert.key)
    let next: AlertRow = { ...alert, severity, name, what, words, goneAt: null }
    if (next.openedAt === null && now.getTime() - next.seenAt.getTime() >= rule.forMinutes * minuteMs)
      next = { ...next, openedAt: now }
    if (next.openedAt !== null && !isSilenced) {
      if (next.notifiedAt === null) next = await this.#notify(rule, next, 'opened')
      else if (isWorse || this.#isDue(rule, next)) next = await this.#notify(rule, next, 'repeated')
      if (isUnsent(next) && !isQuiet(rule, now))
        next = await this.#send(rule, next, next.notifiedCount > 1 ? 'repeated' : 'opened')
    }
    await saveAlert(this.#tx, next, false)
  }

  /** The trouble is not there: after a minute it is over. One that was never told goes without a word. */
  async onAbsent(rule: RuleRow, alert: AlertRow): Promise<void> {
    const now = this.#now
    if (alert.openedAt === null) return deleteAlert(this.#tx, alert.id)
    const goneAt = alert.goneAt ?? now
    if (now.getTime() - goneAt.getTime() < goneForMs) return saveAlert(this.#tx, { ...alert, goneAt }, false)
    const over = await this.#notify(rule, { ...alert, goneAt, recoveredAt: now }, 'recovered')
    await this.sendRecovery(rule, over)
  }

  /** Mail and webhook are told of the end if they were told of the begin, and not within the quiet hours. */
  async sendRecovery(rule: RuleRow, alert: AlertRow): Promise<void> {
    const isDelayed = alert.sentAt !== null && isQuiet(rule, this.#now)
    if (alert.sentAt !== null && !isDelayed) await this.#send(rule, alert, 'recovered')
    await saveAlert(this.#tx, alert, isDelayed)
  }

  #isDue({ repeatMinutes }: RuleRow, { notifiedAt }: AlertRow): boolean {
    if (repeatMinutes === 0 || notifiedAt === null) return false
    return this.#now.getTime() - notifiedAt.getTime() >= repeatMinutes * minuteMs
  }

  async #notify(rule: RuleRow, alert: AlertRow, event: NoticeEvent): Promise<AlertRow> {
    if (rule.bell) {
      await insertNotice(this.#tx, event, alert, this.#now)
      this.hasNotices = true
    }
    return { ...alert, notifiedAt: this.#now, notifiedCount: alert.notifiedCount + 1 }
  }

  async #send(rule: RuleRow, alert: AlertRow, event: NoticeEvent): Promise<AlertRow> {
    await this.#mail(rule, alert, event)
    if (rule.endpointId !== null) {
      const { id, key, kind, severity, name, what, openedAt } = alert
      await this.#deps.announceTo(this.#tx, {
        endpointId: Number(rule.endpointId),
        type: `alert.${event}`,
        id,
        data: { rule: rule.name, key, kind, severity, name, what, openedAt: openedAt?.toISOString() ?? null },
      })
    }
    return { ...alert, sentAt: this.#now }
  }

  async #mail(rule: RuleRow, alert: AlertRow, event: NoticeEvent): Promise<void> {
    const { mail, consoleUrl } = this.#deps
    if (mail === undefined || rule.mailTo.length === 0) return
    const begin = { opened: '', repeated: 'Still: ', recovered: 'Over: ' }[event]
    const page = consoleUrl === undefined ? 'the page Trouble of the console' : `${consoleUrl}/trouble`
    const body = [
      alert.name,
      alert.what,
      '',
      event === 'recovered'
        ? `It lasted from ${alert.openedAt?.toISOString() ?? ''} to ${alert.recoveredAt?.toISOString() ?? ''}.`
        : `Since ${alert.openedAt?.toISOString() ?? ''}. See how to fix it, or acknowledge it: ${page}`,
      '',
      `You get this mail because of the rule "${rule.name}".`,
      '',
    ].join('\n')
    const subject = `${begin}${alert.name}: ${alert.kind.replaceAll('_', ' ')}`
    await mail.enqueue(
      this.#tx,
      sql`select 'alert-' || ${alert.id}::text || '-' || ${event}::text || '-' || ${alert.notifiedCount}::int || '-' || r.address as event_key,
            r.address as recipient, ${subject}::text as subject, ${body}::text as body
          from unnest(${[...rule.mailTo]}::text[]) as r (address)`,
    )
  }
}
