// Judges a client's day: all rules as one statement, and their findings as cases. It reads counts of senders only, never
// a text, and writes no record and no ledger line: a case that holds is carried out later, by apply/.
import { sql, type RawBuilder } from 'kysely'
import { preparedRows, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { rules } from '../rules/all.ts'
import { sharedTables, type Scope } from '../rules/pieces.ts'
import type { Rule } from '../rules/rule.ts'
import type { Thresholds } from '../rules/thresholds.ts'
import type { Version } from '../versions/versions.ts'
import { saveCase, type Finding } from './case-store.ts'
import { withoutExempt } from './exempt.ts'
import { scopeOf } from './scope.ts'

const flagStrength = 0.5

type FindingRow = Pick<Finding, 'subject' | 'facts' | 'senders'> & {
  readonly rule: string
  readonly strength: number
}

interface JudgeOptions {
  readonly version: Version
  readonly now: Date
  /** Whether a case for a hold holds its messages; otherwise it is only listed. */
  readonly isEnforced?: boolean
  /** Whether messages of the day may still come as usual. */
  readonly isUnfinished?: boolean
}

/**
 * Judges a day as it is now; gives how many cases it found. Judging again changes nothing but what new messages bring: a
 * hold stays one, and its senders stay in it.
 */
export async function judgeDay(
  db: Db,
  clientId: number,
  day: string,
  { version, now, isEnforced = false, isUnfinished = false }: JudgeOptions,
): Promise<number> {
  const found = await withoutExempt(db, clientId, await findOfDay(db, clientId, day, version), now)
  if (found.length > 0)
    await transaction(db, async (tx) => {
      for (const finding of found) {
        const level = isUnfinished && finding.rule.needsWholeDays === true ? 'flag' : finding.level
        await saveCase(tx, { ...finding, level, versionId: version.id, clientId, day, now, isEnforced })
      }
    })
  return found.length
}

/** What a version finds on a client's day as it is now. It writes nothing. */
export async function findOfDay(
  db: Db,
  clientId: number,
  day: string,
  { thresholds }: Pick<Version, 'thresholds'>,
): Promise<Finding[]> {
  const scope = await scopeOf(db, clientId, day)
  // To plan the statement takes as long as to judge a small client.
  const found = await preparedRows<FindingRow>(db, findings(scope, thresholds))
  const named = new Map(rules.map((rule) => [rule.name, rule]))
  return found.map(({ rule: name, strength, ...finding }) => {
    const rule = named.get(name)
    if (rule === undefined) throw new Error(`There is no rule ${name}`)
    const words = rule.say({ ...finding, day }, thresholds)
    return { ...finding, rule, level: strength >= 1 ? 'hold' : 'flag', words }
  })
}

function findings(scope: Scope, thresholds: Thresholds): RawBuilder<unknown> {
  const each = rules.flatMap((rule) => {
    const query = queryOf(rule, scope, thresholds)
    return query === undefined
      ? []
      : [
          sql`select ${rule.name}::text as rule, subject, strength::float8 as strength, facts, senders from (${query}) found`,
        ]
  })
  return sql`
    with ${sharedTables(scope, { heldBefore: sql`${scope.day}::date`, withoutHeld: false })}
    select rule, subject, strength, facts, senders from (${sql.join(each, sql` union all `)}) found
    where strength >= ${flagStrength}::float8 and senders is not null order by rule, subject`
}

function queryOf(rule: Rule, scope: Scope, thresholds: Thresholds): RawBuilder<unknown> | undefined {
  if (!rule.needsUsual) return rule.query(scope, thresholds)
  return scope.usual && rule.query(scope, thresholds, scope.usual)
}
