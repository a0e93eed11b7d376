// What expressions come to, as far as SQL is concerned.
import type { Node } from 'typescript/unstable/ast'
import type { Compiler } from './compiler.ts'

/** Marks a parameter in SQL. */
export const parameter = '\u0000'

export type Value =
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Value> }
  | { readonly kind: 'function'; readonly node: Node; readonly scope: Scope }
  // `a && fragment` when a is false.
  | { readonly kind: 'nothing' }
  // Fails when it is used.
  | { readonly kind: 'failure'; readonly error: NotComposed }
  // Any other value: it is sent as a parameter. `of` is the function that it is a parameter of, `digits` a constant number.
  | { readonly kind: 'value'; readonly of?: Node | undefined; readonly digits?: string }

/** What parameters of functions are bound to, by symbol. */
export type Scope = ReadonlyMap<number, () => Value>

export const value: Value = { kind: 'value' }

/** Why an expression cannot be composed; `of` is the function whose parameter it depends on, where that is why. */
export class NotComposed extends Error {
  readonly of: Node | undefined

  constructor(reason: string, of?: Node) {
    super(reason)
    this.of = of
  }
}

/** A list of texts joined, or a text with a piece replaced; undefined where it is neither. */
export function ofTexts(
  method: 'join' | 'replace',
  holder: Value,
  [first = ',', second = '']: string[],
): Value | undefined {
  if (method === 'replace')
    return holder.kind === 'text' ? { kind: 'text', text: holder.text.replace(first, second) } : undefined
  if (holder.kind !== 'list') return undefined
  const texts = holder.items.flatMap((item) => (item.kind === 'text' ? [item.text] : []))
  return texts.length === holder.items.length ? { kind: 'text', text: texts.join(first) } : undefined
}

/** What the evaluation of a call needs of the evaluation of everything else (evaluate.ts). */
export interface Evaluation {
  readonly compiler: Compiler
  /** What an expression comes to, with the parameters of its functions as `scope` says. Throws NotComposed. */
  evaluate(node: Node, scope: Scope): Value
  /** What cannot be composed fails only when it is used. */
  lenient(evaluate: () => Value): Value
  /** A value of which only the type is known. */
  opaque(node: Node, of?: Node): Value
  /** A text, or one of those that its type names. */
  constant(node: Node, scope: Scope): Value
  /** What the parameters of a function are bound to in a call. */
  bound(node: Node, args: readonly Node[], caller: Scope): [number, () => Value][]
  bindParameter(declared: Node, bound: () => Value): [number, () => Value][]
  /** What a function returns; where it may return several things, one of them. */
  run(node: Node, scope: Scope, call: Node): Value
  /** The text of SQL or of a constant. Throws NotComposed for anything else. */
  textOf(found: Value, node: Node): string
}
