// What a rule is: a query over the shared tables of a judgement, and the sentences that say what it found.
import type { RawBuilder } from 'kysely'
import type { Sentence } from '@tollgate/contract/sentences.ts'
import type { Scope } from './pieces.ts'
import type { Thresholds } from './thresholds.ts'
import type { Usual } from './usual.ts'

/** What a rule found and what it was compared with, by the names that its query gives them. */
export type Facts = Readonly<Record<string, number | string>>

export interface RuleFinding {
  /** What the rule looked at; empty for the client as a whole. */
  readonly subject: string
  readonly day: string
  readonly facts: Facts
}

interface RuleBase {
  readonly name: string
  /** How far back the earlier messages of its senders are held with them. */
  readonly backDays: number
  /**
   * It looks at a share of all messages, which those still to come make smaller. So it holds what whole days show, two days
   * later, and notes before.
   */
  readonly needsWholeDays?: boolean
  readonly say: (found: RuleFinding, thresholds: Thresholds) => readonly Sentence[]
}

/**
 * Gives the columns subject, strength (1 for a hold, from 0.5 a flag), facts and senders, and a row for each thing that
 * it looks at.
 */
interface PlainRule extends RuleBase {
  readonly needsUsual: false
  readonly query: (scope: Scope, thresholds: Thresholds) => RawBuilder<unknown>
}

/** As {@link PlainRule}, for a client of whom it is known what is usual. */
interface ComparingRule extends RuleBase {
  readonly needsUsual: true
  readonly query: (scope: Scope, thresholds: Thresholds, usual: Usual) => RawBuilder<unknown>
}

export type Rule = PlainRule | ComparingRule

export const countOf = ({ facts }: RuleFinding, name: string): number => Number(facts[name] ?? 0)

/** A share as whole percent. */
export const percentOf = (found: RuleFinding, name: string): number => Math.round(100 * countOf(found, name))
