// Evaluates calls: of the sql tag's own functions, of lists and texts, and of functions of our own.
import {
  isMethodDeclaration,
  isParameterDeclaration,
  isPropertyAccessExpression,
  type CallExpression,
  type Node,
} from 'typescript/unstable/ast'
import { parametersOf, where } from './nodes.ts'
import { NotComposed, ofTexts, parameter, value, type Evaluation, type Scope, type Value } from './values.ts'

/** What a call comes to. */
export function evaluateCall(evaluator: Evaluation, node: CallExpression, scope: Scope): Value {
  const callee = node.expression
  if (isPropertyAccessExpression(callee)) {
    const method = callee.name.getText()
    if (callee.expression.getText() === 'sql') return ofTag(evaluator, method, node, scope)
    const [first] = node.arguments
    if ((method === 'map' || method === 'flatMap') && first !== undefined)
      return mapped(
        evaluator,
        evaluator.evaluate(callee.expression, scope),
        evaluator.evaluate(first, scope),
        method,
      )
    if (callee.expression.getText() === 'Object' && first !== undefined)
      return ofObject(evaluator, method, evaluator.evaluate(first, scope), node)
    if (method === 'join' || method === 'replace') {
      const args = node.arguments.map((each) => evaluator.evaluate(each, scope))
      const texts = args.map((arg) => (arg.kind === 'text' ? arg.text : ''))
      return ofTexts(method, evaluator.evaluate(callee.expression, scope), texts) ?? evaluator.opaque(node)
    }
    if (['compile', 'filter', 'toSorted'].includes(method))
      return ofHolder(evaluator, method, callee.expression, scope)
  }
  const target = functionOf(evaluator, callee, scope)
  if (target.kind !== 'function') return evaluator.opaque(node)
  return evaluator.run(
    target.node,
    new Map([...target.scope, ...evaluator.bound(target.node, node.arguments, scope)]),
    node,
  )
}

/** `query.compile(db)`, which has its text as `sql`; and lists of the same kind of items. */
function ofHolder(evaluator: Evaluation, method: string, holder: Node, scope: Scope): Value {
  const found = evaluator.evaluate(holder, scope)
  if (method !== 'compile') return found.kind === 'list' ? found : evaluator.opaque(holder.parent)
  return {
    kind: 'record',
    fields: new Map([['sql', { kind: 'text', text: evaluator.textOf(found, holder) }]]),
  }
}

/** Object.keys and the like. */
function ofObject(evaluator: Evaluation, method: string, of: Value, node: Node): Value {
  if (of.kind !== 'record') return evaluator.opaque(node)
  const entries = [...of.fields].map(([key, field]): [Value, Value] => [{ kind: 'text', text: key }, field])
  if (method === 'keys') return { kind: 'list', items: entries.map(([key]) => key) }
  if (method === 'values') return { kind: 'list', items: entries.map(([, field]) => field) }
  if (method === 'entries') return { kind: 'list', items: entries.map((items) => ({ kind: 'list', items })) }
  return evaluator.opaque(node)
}

function functionOf(evaluator: Evaluation, node: Node, scope: Scope): Value {
  if (isPropertyAccessExpression(node)) {
    const method = evaluator.compiler.declarationAt(node.name)
    if (method !== undefined && isMethodDeclaration(method))
      return { kind: 'function', node: method, scope: new Map() }
  }
  return evaluator.lenient(() => evaluator.evaluate(node, scope))
}

/** The function whose parameter this is: its callers give the name. */
function functionOfParameter({ compiler }: Evaluation, node: Node): Node | undefined {
  const declared = compiler.declarationAt(node)
  return declared !== undefined && isParameterDeclaration(declared) ? declared.parent : undefined
}

/** sql.raw, sql.ref, sql.join and the like. */
function ofTag(evaluator: Evaluation, method: string, node: CallExpression, scope: Scope): Value {
  const [first, second] = node.arguments
  if (first === undefined) return evaluator.opaque(node)
  const argument = method === 'join' ? evaluator.evaluate(first, scope) : evaluator.constant(first, scope)
  if (method === 'val') return value
  if (method === 'raw' && argument.kind === 'text') return { kind: 'sql', text: argument.text }
  if ((method === 'ref' || method === 'table' || method === 'id') && argument.kind === 'text')
    return {
      kind: 'sql',
      text: argument.text
        .split('.')
        .map((name) => `"${name}"`)
        .join('.'),
    }
  if (method === 'join') {
    const between = second === undefined ? ', ' : evaluator.textOf(evaluator.evaluate(second, scope), second)
    const items = argument.kind === 'list' ? argument.items : [argument]
    return {
      kind: 'sql',
      text: items.map((item) => (item.kind === 'sql' ? item.text : parameter)).join(between),
    }
  }
  throw new NotComposed(`${where(node)}: ${node.getText()}`, functionOfParameter(evaluator, first))
}

/** A list that comes from values has one element: what the function makes of a value. */
function mapped(evaluator: Evaluation, list: Value, made: Value, method: 'map' | 'flatMap'): Value {
  if (made.kind !== 'function') return value
  const items = list.kind === 'list' ? list.items : [value]
  const results = items.map((item, index) => {
    const [first, second] = parametersOf(made.node)
    const bound = [
      ...(first === undefined ? [] : evaluator.bindParameter(first, () => item)),
      ...(second === undefined
        ? []
        : evaluator.bindParameter(second, () => ({ kind: 'text', text: `${index}` }))),
    ]
    return evaluator.run(made.node, new Map([...made.scope, ...bound]), made.node)
  })
  return {
    kind: 'list',
    items: results
      .flatMap((result) => (method === 'flatMap' && result.kind === 'list' ? result.items : [result]))
      .filter(({ kind }) => kind !== 'nothing'),
  }
}
