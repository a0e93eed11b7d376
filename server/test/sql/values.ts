// What expressions come to, as far as SQL is concerned.
import type { Node } from 'typescript/unstable/ast'

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
  // Any other value: it is sent as a parameter.
  | { readonly kind: 'value' }

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
