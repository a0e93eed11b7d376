// Small questions about nodes of the syntax tree.
import {
  isArrowFunction,
  isFunctionDeclaration,
  isFunctionExpression,
  isMethodDeclaration,
  isPropertyAssignment,
  isStringLiteral,
  isVariableDeclaration,
  SyntaxKind,
  type Node,
} from 'typescript/unstable/ast'

/** Expressions that come to the same as the expression in them. */
export const transparent: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ParenthesizedExpression,
  SyntaxKind.AsExpression,
  SyntaxKind.SatisfiesExpression,
  SyntaxKind.NonNullExpression,
  SyntaxKind.AwaitExpression,
])

export const isFunction = (node: Node) =>
  isFunctionDeclaration(node) ||
  isArrowFunction(node) ||
  isFunctionExpression(node) ||
  isMethodDeclaration(node)

export function nameOf(node: Node): Node | undefined {
  const { name } = node as { name?: Node }
  if (name !== undefined) return name
  // const f = () => …
  return (isArrowFunction(node) || isFunctionExpression(node)) &&
    (isVariableDeclaration(node.parent) || isPropertyAssignment(node.parent))
    ? node.parent.name
    : undefined
}

export function parametersOf(node: Node): readonly Node[] {
  return isFunction(node) ? (node as { parameters: readonly Node[] }).parameters : []
}

/** The field that an element of a binding pattern takes. */
export function elementKey(element: Node): string {
  const { propertyName, name } = element as { propertyName?: Node; name?: Node }
  return (propertyName ?? name)?.getText() ?? ''
}

export function keyOf(name: Node): string {
  return isStringLiteral(name) ? name.text : name.getText()
}

/** `records/store.ts:12`, for a person. */
export function where(node: Node): string {
  const source = node.getSourceFile()
  const { line } = source.getLineAndCharacterOfPosition(node.getStart())
  return `${source.fileName.replace(/^.*\/server\//, 'server/')}:${line + 1}`
}
