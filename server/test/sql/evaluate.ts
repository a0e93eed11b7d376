// Evaluates the expressions that SQL is put together from: constants, conditions, lists, records, functions of our own.
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isForOfStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isShorthandPropertyAssignment,
  isSpreadElement,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isVariableDeclaration,
  SyntaxKind,
  type BinaryExpression,
  type ConditionalExpression,
  type ElementAccessExpression,
  type Node,
  type ObjectLiteralExpression,
  type PropertyAccessExpression,
  type TaggedTemplateExpression,
  type TemplateExpression,
} from 'typescript/unstable/ast'
import type { Project, Symbol } from 'typescript/unstable/sync'
import { Compiler } from './compiler.ts'
import { evaluateCall } from './evaluate-call.ts'
import { elementKey, isFunction, keyOf, nameOf, parametersOf, transparent, where } from './nodes.ts'
import { NotComposed, parameter, value, type Evaluation, type Scope, type Value } from './values.ts'

const depthMax = 60
// For one statement, far above what any needs.
const stepsMax = 400_000

/** Which branch a node takes, where it has several; those not named take the first. */
type Chosen = ReadonlyMap<Node, number>

/** A node that branches, with the choices that led to it. */
interface Branching {
  readonly count: number
  readonly under: Chosen
}

export class Evaluator implements Evaluation {
  readonly compiler: Compiler
  #templates = new Set<Node>()
  #chosen: Chosen = new Map()
  #branches = new Map<Node, Branching>()
  #depth = 0
  #steps = 0

  constructor(project: Project) {
    this.compiler = new Compiler(project)
  }

  /** Before each statement. */
  begin(): void {
    this.#steps = 0
  }

  /** The map that fills with the nodes that branch from now on. */
  forgetBranches(): ReadonlyMap<Node, Branching> {
    this.#branches = new Map()
    return this.#branches
  }

  /** The SQL of an expression, and the templates it was put together from. Throws NotComposed. */
  sqlOf(node: Node, scope: Scope, chosen: Chosen): { text: string; templates: ReadonlySet<Node> } {
    this.#chosen = chosen
    this.#templates = new Set()
    const found = this.evaluate(node, scope)
    // A statement with its name: `{ name, text }`.
    const text = this.textOf((found.kind === 'record' ? found.fields.get('text') : undefined) ?? found, node)
    return { text, templates: this.#templates }
  }

  /** One of several branches; where the chosen one cannot be composed, the next that can. */
  choose(node: Node, branches: readonly (() => Value)[]): Value {
    if (branches.length > 1 && !this.#branches.has(node))
      this.#branches.set(node, { count: branches.length, under: this.#chosen })
    const first = this.#chosen.get(node) ?? 0
    let failure = new NotComposed(`${where(node)}: ${node.getText()}`)
    for (const branch of [...branches.slice(first), ...branches.slice(0, first)]) {
      try {
        const found = branch()
        if (found.kind !== 'failure') return found
        failure = found.error
      } catch (error) {
        if (!(error instanceof NotComposed)) throw error
        failure = error
      }
    }
    throw failure
  }

  evaluate(node: Node, scope: Scope): Value {
    this.#steps += 1
    if (this.#depth > depthMax || this.#steps > stepsMax) throw new NotComposed('it is nested too deep')
    this.#depth += 1
    try {
      return this.#evaluateNode(node, scope)
    } finally {
      this.#depth -= 1
    }
  }

  #evaluateNode(node: Node, scope: Scope): Value {
    if (isTaggedTemplateExpression(node)) return this.#template(node, scope)
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) {
      this.#templates.add(node)
      return { kind: 'text', text: node.text }
    }
    if (isNumericLiteral(node)) return { kind: 'value', digits: node.text }
    if (isTemplateExpression(node)) return this.#text(node, scope)
    if (isIdentifier(node)) return this.#symbol(this.compiler.symbolAt(node), node, scope)
    if (isCallExpression(node)) return evaluateCall(this, node, scope)
    if (isBinaryExpression(node)) return this.#binary(node, scope)
    if (isConditionalExpression(node)) return this.#conditional(node, scope)
    if (isArrayLiteralExpression(node)) return { kind: 'list', items: this.#items(node.elements, scope) }
    if (isObjectLiteralExpression(node)) return this.#record(node, scope)
    if (isPropertyAccessExpression(node)) return this.#property(node, scope)
    if (isElementAccessExpression(node)) return this.#element(node, scope)
    return this.#other(node, scope)
  }

  #other(node: Node, scope: Scope): Value {
    if (isArrowFunction(node) || isFunctionExpression(node)) return { kind: 'function', node, scope }
    const inner = (node as { expression?: Node }).expression
    if (inner !== undefined && transparent.has(node.kind)) return this.evaluate(inner, scope)
    return this.opaque(node)
  }

  #conditional(node: ConditionalExpression, scope: Scope): Value {
    const isSo = this.#holds(node.condition, scope)
    if (isSo !== undefined) return this.evaluate(isSo ? node.whenTrue : node.whenFalse, scope)
    return this.choose(node, [
      () => this.evaluate(node.whenTrue, scope),
      () => this.evaluate(node.whenFalse, scope),
    ])
  }

  #record(node: ObjectLiteralExpression, scope: Scope): Value {
    const fields = new Map<string, Value>()
    for (const property of node.properties) {
      if (isPropertyAssignment(property))
        fields.set(
          keyOf(property.name),
          this.lenient(() => this.evaluate(property.initializer, scope)),
        )
      else if (isShorthandPropertyAssignment(property))
        fields.set(
          property.name.getText(),
          this.lenient(() => this.#symbol(this.compiler.shorthandAt(property), property, scope)),
        )
    }
    return { kind: 'record', fields }
  }

  lenient(evaluate: () => Value): Value {
    try {
      return evaluate()
    } catch (error) {
      if (error instanceof NotComposed) return { kind: 'failure', error }
      throw error
    }
  }

  /** Whether constant texts are equal, a list has so many items, or a value is no SQL; undefined for other conditions. */
  #holds(node: Node, scope: Scope): boolean | undefined {
    if (!isBinaryExpression(node)) return undefined
    const operator = node.operatorToken.kind
    if (
      operator !== SyntaxKind.EqualsEqualsEqualsToken &&
      operator !== SyntaxKind.ExclamationEqualsEqualsToken
    )
      return undefined
    const isEqual = operator === SyntaxKind.EqualsEqualsEqualsToken
    const typed = (node.left as { expression?: Node }).expression
    if (
      node.left.kind === SyntaxKind.TypeOfExpression &&
      typed !== undefined &&
      node.right.getText() === `'string'`
    )
      return (this.evaluate(typed, scope).kind !== 'sql') === isEqual
    if (isPropertyAccessExpression(node.left) && node.left.name.getText() === 'length') {
      const list = this.lenient(() =>
        this.evaluate((node.left as PropertyAccessExpression).expression, scope),
      )
      return list.kind === 'list'
        ? (String(list.items.length) === node.right.getText()) === isEqual
        : undefined
    }
    const [left, right] = [node.left, node.right].map((side) =>
      this.lenient(() => this.evaluate(side, scope)),
    )
    if (left?.kind !== 'text' || right?.kind !== 'text') return undefined
    return (left.text === right.text) === isEqual
  }

  opaque(node: Node, of?: Node): Value {
    if (/RawBuilder|Fragment|Query\b|\bSql\b/.test(this.compiler.wordsAt(node)))
      throw new NotComposed(`${where(node)}: ${node.getText()}`, of)
    return of === undefined ? value : { kind: 'value', of }
  }

  #template(node: TaggedTemplateExpression, scope: Scope): Value {
    const tag = isIdentifier(node.tag) ? node.tag.getText() : node.tag.getText().replace(/<.*/s, '')
    if (tag !== 'sql') return this.opaque(node)
    const { template } = node
    if (isNoSubstitutionTemplateLiteral(template)) {
      this.#templates.add(node)
      return { kind: 'sql', text: template.text }
    }
    let text = template.head.text
    for (const span of template.templateSpans) {
      const piece = this.evaluate(span.expression, scope)
      if (piece.kind === 'failure') throw piece.error
      text += (piece.kind === 'sql' ? piece.text : parameter) + span.literal.text
    }
    this.#templates.add(node)
    return { kind: 'sql', text }
  }

  #text(node: TemplateExpression, scope: Scope): Value {
    let text = node.head.text
    for (const span of node.templateSpans) {
      const piece = this.constant(span.expression, scope)
      const constant = piece.kind === 'value' ? piece.digits : piece.kind === 'text' ? piece.text : undefined
      if (constant === undefined) return piece.kind === 'value' ? piece : value
      text += constant + span.literal.text
    }
    this.#templates.add(node)
    return { kind: 'text', text }
  }

  #symbol(symbol: Symbol | undefined, node: Node, scope: Scope): Value {
    if (symbol === undefined) return this.opaque(node)
    const bound = scope.get(symbol.id)
    if (bound !== undefined) return bound()
    const declaration = this.compiler.declarationOf(symbol)
    if (declaration === undefined) return this.opaque(node)
    if (isVariableDeclaration(declaration)) {
      const { initializer } = declaration
      if (initializer === undefined) return this.#each(declaration, node, scope)
      const evaluated = this.evaluate(initializer, scope)
      return evaluated.kind === 'list' ? this.#withPushed(declaration, evaluated, scope) : evaluated
    }
    if (isFunctionDeclaration(declaration)) return { kind: 'function', node: declaration, scope: new Map() }
    if (isBindingElement(declaration)) return this.#bindingElement(declaration, node, scope)
    if (isParameterDeclaration(declaration)) return this.opaque(node, declaration.parent)
    return this.opaque(node)
  }

  /** `const { a } = record`, also in the parameters of a function. */
  #bindingElement(element: Node, node: Node, scope: Scope): Value {
    const pattern = element.parent
    const holder = pattern.parent
    if (isParameterDeclaration(holder)) return this.opaque(node, holder.parent)
    if (!isVariableDeclaration(holder)) return this.opaque(node)
    // In `for (const { a } of list)`, a list of records.
    const isLoop = holder.initializer === undefined
    if (isLoop && !isObjectBindingPattern(pattern)) return this.opaque(node)
    const whole = isLoop ? this.#each(holder, node, scope) : this.evaluate(holder.initializer, scope)
    if (isObjectBindingPattern(pattern)) return this.#field(whole, elementKey(element), node)
    const index = (pattern as unknown as { elements: readonly Node[] }).elements.indexOf(element)
    if (whole.kind !== 'list') return this.opaque(node)
    const { dotDotDotToken, initializer } = element as { dotDotDotToken?: Node; initializer?: Node }
    if (dotDotDotToken !== undefined) return { kind: 'list', items: whole.items.slice(index) }
    const item = whole.items[index]
    if (item !== undefined) return item
    return initializer === undefined ? this.opaque(node) : this.evaluate(initializer, scope)
  }

  /** `for (const each of list)`: any of them. */
  #each(declaration: Node, node: Node, scope: Scope): Value {
    const loop = declaration.parent.parent
    if (!isForOfStatement(loop)) return this.opaque(node)
    const list = this.evaluate(loop.expression, scope)
    if (list.kind !== 'list' || list.items.length === 0) return this.opaque(node)
    return this.choose(
      declaration,
      list.items.map((item) => () => item),
    )
  }

  /** A list that its function adds to: `parts.push(…)` counts, also under a condition. */
  #withPushed(declaration: Node, list: { readonly items: readonly Value[] }, scope: Scope): Value {
    const name = nameOf(declaration)
    const added: Value[] = []
    const visit = (node: Node): void => {
      if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
        const { expression: target, name: method } = node.expression
        if (method.getText() === 'push' && name !== undefined && target.getText() === name.getText())
          added.push(...this.#items(node.arguments, scope))
      }
      node.forEachChild(visit)
    }
    let body = declaration.parent
    while (body.parent !== undefined && !isBlock(body)) body = body.parent
    if (isBlock(body)) visit(body)
    return { kind: 'list', items: [...list.items, ...added] }
  }

  #items(nodes: readonly Node[], scope: Scope): Value[] {
    return nodes
      .flatMap((node): Value[] => {
        if (!isSpreadElement(node)) return [this.evaluate(node, scope)]
        const spread = this.evaluate(node.expression, scope)
        return spread.kind === 'list' ? [...spread.items] : [value]
      })
      .filter(({ kind }) => kind !== 'nothing')
  }

  #binary(node: BinaryExpression, scope: Scope): Value {
    switch (node.operatorToken.kind) {
      case SyntaxKind.AmpersandAmpersandToken:
        return this.choose(node, [() => this.evaluate(node.right, scope), () => ({ kind: 'nothing' })])
      case SyntaxKind.QuestionQuestionToken:
      case SyntaxKind.BarBarToken:
        return this.choose(node, [
          () => this.evaluate(node.left, scope),
          () => this.evaluate(node.right, scope),
        ])
      case SyntaxKind.PlusToken: {
        const [left, right] = [this.evaluate(node.left, scope), this.evaluate(node.right, scope)]
        return left.kind === 'text' && right.kind === 'text'
          ? { kind: 'text', text: left.text + right.text }
          : value
      }
      default:
        return value
    }
  }

  #property(node: PropertyAccessExpression, scope: Scope): Value {
    if (node.expression.kind === SyntaxKind.ThisKeyword) {
      const declared = this.compiler.declarationAt(node.name)
      const { initializer } = (declared ?? {}) as { initializer?: Node }
      if (initializer !== undefined) return this.evaluate(initializer, new Map())
      const assigned = assignedTo(node, declared)
      const found = assigned && this.lenient(() => this.evaluate(assigned, new Map()))
      return found?.kind === 'text' ? found : this.opaque(node)
    }
    return this.#field(this.evaluate(node.expression, scope), node.name.getText(), node)
  }

  #field(holder: Value, name: string, node: Node): Value {
    return (holder.kind === 'record' ? holder.fields.get(name) : undefined) ?? this.opaque(node)
  }

  /** `sorts[name]`: any of the fields where the name is not a constant. */
  #element(node: ElementAccessExpression, scope: Scope): Value {
    const holder = this.evaluate(node.expression, scope)
    if (holder.kind !== 'record') return this.opaque(node)
    const key = this.constant(node.argumentExpression, scope)
    if (key.kind === 'text') return this.#field(holder, key.text, node)
    return this.choose(
      node,
      [...holder.fields.values()].map((field) => () => field),
    )
  }

  constant(node: Node, scope: Scope): Value {
    const found = this.evaluate(node, scope)
    if (found.kind === 'text') return found
    // `also_${index}`: any number does.
    if (isTemplateExpression(node))
      return {
        kind: 'text',
        text: [node.head.text, ...node.templateSpans.map(({ literal }) => `0${literal.text}`)].join(''),
      }
    const type = this.compiler.typeAt(node)
    const texts = (type?.isUnionType() === true ? (type.getTypes() ?? []) : [type]).flatMap((each) =>
      each?.isStringLiteralType() === true ? [each.value] : [],
    )
    return texts.length === 0
      ? found
      : this.choose(
          (isIdentifier(node) && this.compiler.declarationAt(node)) || node,
          texts.map((text) => () => ({ kind: 'text', text })),
        )
  }

  bound(node: Node, args: readonly Node[], caller: Scope): [number, () => Value][] {
    return parametersOf(node).flatMap((declared, index) => {
      const arg = args[index] ?? (declared as { initializer?: Node }).initializer
      return this.bindParameter(declared, () =>
        arg === undefined ? { kind: 'nothing' } : this.evaluate(arg, caller),
      )
    })
  }

  bindParameter(declared: Node, bound: () => Value): [number, () => Value][] {
    const name = nameOf(declared)
    if (name === undefined) return []
    if (isIdentifier(name)) {
      const id = this.compiler.symbolAt(name)?.id
      return id === undefined ? [] : [[id, bound]]
    }
    if (!isObjectBindingPattern(name)) return []
    return name.elements.flatMap((element): [number, () => Value][] => {
      const inner = nameOf(element)
      const id = inner === undefined ? undefined : this.compiler.symbolAt(inner)?.id
      if (inner === undefined || id === undefined) return []
      return [[id, () => this.#field(bound(), elementKey(element), inner)]]
    })
  }

  run(node: Node, scope: Scope, call: Node): Value {
    const { body } = node as { body?: Node }
    if (body === undefined) return this.opaque(call)
    if (!isBlock(body)) return this.evaluate(body, scope)
    const results: Node[] = []
    const visit = (inner: Node): void => {
      if (isReturnStatement(inner) && inner.expression !== undefined) results.push(inner.expression)
      if (!isFunction(inner)) inner.forEachChild(visit)
    }
    body.forEachChild(visit)
    return results.length === 0
      ? value
      : this.choose(
          node,
          results.map((result) => () => this.evaluate(result, scope)),
        )
  }

  textOf(found: Value, node: Node): string {
    if (found.kind === 'sql' || found.kind === 'text') return found.text
    if (found.kind === 'failure') throw found.error
    throw new NotComposed(`${where(node)}: ${node.getText()}`, found.kind === 'value' ? found.of : undefined)
  }
}

/** What the constructor gives a field: `this.#text = …`. */
function assignedTo(field: Node, declared: Node | undefined): Node | undefined {
  let found: Node | undefined
  const visit = (node: Node): void => {
    if (
      isBinaryExpression(node) &&
      node.operatorToken.kind === SyntaxKind.EqualsToken &&
      node.left.getText() === field.getText()
    )
      found = node.right
    node.forEachChild(visit)
  }
  declared?.parent.forEachChild((member) => {
    if (member.kind === SyntaxKind.Constructor) visit(member)
  })
  return found
}
