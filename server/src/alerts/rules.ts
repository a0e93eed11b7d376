// Pure decisions: whether a rule concerns an alert, and whether its quiet hours are now.
import type {
  AlertScopeKind,
  FoundAlert,
  AlertKind,
  AlertSeverity,
} from '@tollgate/contract/alerts/alerts.ts'
import { weightOf } from './collect.ts'

/** What a rule is limited to, as it is called now. */
export interface RuleScope {
  readonly kind: AlertScopeKind
  readonly id: string
  /** Empty when it was deleted. An account also has the names by which it sends. */
  readonly names: readonly string[]
  /** The first and the last number of a range; empty for another kind. */
  readonly start: string
  readonly end: string
}

export interface RuleCondition {
  /** Empty: every kind. */
  readonly kinds: readonly AlertKind[]
  readonly minSeverity: AlertSeverity
  readonly threshold: number
  /** Null: about anything. */
  readonly scope?: RuleScope | null
}

/** What a rule asks of an alert. */
export type JudgedAlert = Pick<FoundAlert, 'kind' | 'severity' | 'count' | 'name' | 'about'>

/** What is not counted passes every threshold. */
export function concerns(rule: RuleCondition, found: JudgedAlert): boolean {
  const { kind, severity, count } = found
  if (rule.scope && !isAbout(rule.scope, found)) return false
  if (rule.kinds.length > 0 && !rule.kinds.includes(kind)) return false
  return weightOf(severity) >= weightOf(rule.minSeverity) && (count === null || count >= rule.threshold)
}

/** Whether an alert is about what a rule is limited to: by its id, else by its names. */
function isAbout({ kind, id, names, start, end }: RuleScope, { about }: JudgedAlert): boolean {
  const { connectionId, providerId, userId, username, supplier, systemId, client, range, number } = about
  const isNamed = (name: string | undefined) => name !== undefined && names.includes(name)
  switch (kind) {
    case 'connection':
      return connectionId === id || (userId === undefined && isNamed(supplier))
    case 'provider':
      return providerId === id || (userId === undefined && isNamed(supplier))
    case 'account':
      return userId === id || [username, supplier, systemId, client].some(isNamed)
    case 'range':
      return (
        isNamed(range) ||
        (number !== undefined && number.length === start.length && number >= start && number <= end)
      )
  }
}

/** Whether every alert that concerns `rule` also concerns `other` and lasts long enough for it. */
export function covers(other: LastingCondition, rule: LastingCondition): boolean {
  const hasKinds =
    other.kinds.length === 0 ||
    (rule.kinds.length > 0 && rule.kinds.every((kind) => other.kinds.includes(kind)))
  const hasScope = !other.scope || (other.scope.kind === rule.scope?.kind && other.scope.id === rule.scope.id)
  return (
    hasKinds &&
    hasScope &&
    weightOf(other.minSeverity) <= weightOf(rule.minSeverity) &&
    other.threshold <= rule.threshold &&
    other.forMinutes <= rule.forMinutes
  )
}

export interface LastingCondition extends RuleCondition {
  readonly forMinutes: number
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
