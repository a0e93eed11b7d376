// How many alerts of the last seven days a rule would have told of. Only what fits a rule that is on is stored.
import type { Db } from '../platform/db.ts'
import { concerns, covers, type LastingCondition } from './rules.ts'
import { listRuleAlertsSince, listRules } from './store.ts'

const weekMs = 7 * 86_400_000

/** Counts from when a rule that covers this one began to store, at most a week back; null without such a rule. */
export async function countFitting(db: Db, rule: LastingCondition, now: Date) {
  const covering = (await listRules(db)).filter((other) => other.isOn && covers(other, rule))
  const [oldest] = covering.toSorted((a, b) => a.changedAt.getTime() - b.changedAt.getTime())
  if (oldest === undefined) return { count: null, since: null }
  const since = new Date(Math.max(oldest.changedAt.getTime(), now.getTime() - weekMs))
  const past = await listRuleAlertsSince(db, oldest.id, since)
  const lastedMs = ({ seenAt, endedAt }: (typeof past)[number]) =>
    (endedAt ?? now).getTime() - seenAt.getTime()
  const fitting = past.filter((each) => concerns(rule, each) && lastedMs(each) >= rule.forMinutes * 60_000)
  return { count: fitting.length, since: since.toISOString() }
}
