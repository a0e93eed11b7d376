// Answers of the TypeScript compiler, each asked for once: it is another process, and the same few thousand questions come
// up again in each form of a statement.
import type { Node } from 'typescript/unstable/ast'
import { SymbolFlags, type Project, type Symbol, type Type } from 'typescript/unstable/sync'

/** Gives the answer of `ask`, and from then on the same one for the same object. */
function once<Key extends object, Answer>(ask: (key: Key) => Answer): (key: Key) => Answer {
  const answers = new WeakMap<Key, { readonly answer: Answer }>()
  return (key) => {
    const known = answers.get(key) ?? { answer: ask(key) }
    answers.set(key, known)
    return known.answer
  }
}

export class Compiler {
  /** What a name stands for, through imports. */
  readonly symbolAt: (name: Node) => Symbol | undefined
  /** The variable of `{ name }`. */
  readonly shorthandAt: (property: Node) => Symbol | undefined
  readonly declarationOf: (symbol: Symbol) => Node | undefined
  readonly typeAt: (node: Node) => Type | undefined
  /** The type of an expression as a person reads it. */
  readonly wordsAt: (node: Node) => string

  constructor(project: Project) {
    const { checker } = project
    const target = (symbol: Symbol | undefined) =>
      symbol === undefined || (symbol.flags & SymbolFlags.Alias) === 0
        ? symbol
        : checker.getAliasedSymbol(symbol)
    this.symbolAt = once((name) => target(checker.getSymbolAtLocation(name)))
    this.shorthandAt = once((property) => target(checker.getShorthandAssignmentValueSymbol(property)))
    this.declarationOf = once((symbol) => symbol.valueDeclaration?.resolve(project))
    this.typeAt = once((node) => checker.getTypeAtLocation(node))
    this.wordsAt = once((node) => {
      const type = this.typeAt(node)
      return type === undefined ? '' : checker.typeToString(type)
    })
  }

  declarationAt(name: Node): Node | undefined {
    const symbol = this.symbolAt(name)
    return symbol && this.declarationOf(symbol)
  }
}
