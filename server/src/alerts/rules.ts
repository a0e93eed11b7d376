// Pure decisions: whether a rule concerns an alert, and whether its quiet hours are now.
import type { FoundAlert, AlertKind, AlertSeverity } from '@tollgate/contract/alerts/alerts.ts'
import { weightOf } from './collect.ts'

export interface RuleCondition {
  /** Empty: every kind. */
  readonly kinds: readonly AlertKind[]
  readonly minSeverity: AlertSeverity
  readonly threshold: number
}

/** What is not counted passes every threshold. */
export function concerns(rule: RuleCondition, { kind, severity, count }: FoundAlert): boolean {
  if (rule.kinds.length > 0 && !rule.kinds.includes(kind)) return false
  return weightOf(severity) >= weightOf(rule.minSeverity) && (count === null || count >= rule.threshold)
}

export interface QuietHours {
  /** `HH:mm`; empty for none. */
  readonly quietFrom: string
  readonly quietTo: string
  readonly timeZone: string
}

/** From `quietFrom` until before `quietTo` in the rule's time zone; they may span midnight. */
export function isQuiet({ quietFrom, quietTo, timeZone }: QuietHours, now: Date): boolean {
  if (quietFrom === '' || quietFrom === quietTo) return false
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(now)
  return quietFrom < quietTo ? time >= quietFrom && time < quietTo : time >= quietFrom || time < quietTo
}
