// Composes the SQL that the sources can send, without running them: templates are put together from the fragments that
// constants, helper functions, conditions and call sites give. Values become parameters, as they do when a statement is
// sent. What depends on more than that (a list that a loop fills, a text from outside) is reported as not composed.
import {
  isCallExpression,
  isPropertyAccessExpression,
  type CallExpression,
  type Node,
} from 'typescript/unstable/ast'
import type { Project } from 'typescript/unstable/sync'
import { Evaluator } from './evaluate.ts'
import { nameOf } from './nodes.ts'
import { NotComposed, parameter, type Scope, type Value } from './values.ts'

/** A statement as it is sent, with the templates it was put together from. */
export interface ComposedStatement {
  readonly text: string
  readonly templates: ReadonlySet<Node>
}

/** A call of a function whose parameters a statement depends on. */
interface Caller {
  readonly of: Node
  readonly call: CallExpression
}

// Bounds for one statement, far above what any needs.
const chainsMax = 100
const callsMax = 40

export class Composer {
  readonly #project: Project
  readonly #evaluator: Evaluator

  constructor(project: Project) {
    this.#project = project
    this.#evaluator = new Evaluator(project)
  }

  /**
   * The statements that an expression can come to: one with every first branch, and one more for each other branch, so
   * that each branch is seen once without all combinations. Gives the reason instead where it cannot be composed.
   */
  compose(expression: Node): readonly ComposedStatement[] | string {
    const found: ComposedStatement[] = []
    let reason = ''
    let chains = 0
    this.#evaluator.begin()
    const composeIn = (callers: readonly Caller[]): void => {
      try {
        found.push(...this.#variants(expression, this.#scopeOf(callers)))
      } catch (error) {
        if (!(error instanceof NotComposed)) throw error
        reason = error.message
        const { of } = error
        if (of === undefined || callers.length > 3 || (chains += 1) > chainsMax) return
        for (const call of this.#callsOf(of)) composeIn([...callers, { of, call }])
      }
    }
    composeIn([])
    return found.length === 0 ? reason : found
  }

  /** What the parameters of functions are when they are called so. */
  #scopeOf(callers: readonly Caller[]): Scope {
    const scope = new Map<number, () => Value>()
    for (const { of, call } of callers)
      for (const [id, bound] of this.#evaluator.bound(of, call.arguments, scope)) scope.set(id, bound)
    return scope
  }

  #callsOf(node: Node): CallExpression[] {
    const name = nameOf(node)
    if (name === undefined) return []
    return this.#project.checker
      .getReferencedSymbolsForNode(name, name.getStart())
      .flatMap(({ references }) => references)
      .flatMap((handle) => {
        const reference = handle.resolve(this.#project)
        const { parent } = reference ?? {}
        if (reference === undefined || parent === undefined) return []
        const callee = isPropertyAccessExpression(parent) && parent.name === reference ? parent : reference
        const call = callee.parent
        return isCallExpression(call) && call.expression === callee ? [call] : []
      })
      .filter((call) => !call.getSourceFile().fileName.includes('.test.'))
      .slice(0, callsMax)
  }

  #variants(expression: Node, scope: Scope): ComposedStatement[] {
    const once = (chosen: ReadonlyMap<Node, number>): ComposedStatement => {
      const { text, templates } = this.#evaluator.sqlOf(expression, scope, chosen)
      return { text: numbered(text), templates }
    }
    const branches = this.#evaluator.forgetBranches()
    const found = [once(new Map())]
    const tried = new Set<Node>()
    for (;;) {
      const next = [...branches].find(([node]) => !tried.has(node))
      if (next === undefined) return found
      const [node, { count, under }] = next
      tried.add(node)
      for (let branch = 1; branch < count; branch += 1) found.push(once(new Map([...under, [node, branch]])))
    }
  }
}

function numbered(text: string): string {
  let count = 0
  return text.replaceAll(parameter, () => `$${(count += 1)}`)
}
