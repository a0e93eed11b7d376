// Where the sources send SQL, as a template of the sql tag or as a plain text, and every piece of SQL that is written in them.
import {
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  type CallExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import type { Checker, Project } from 'typescript/unstable/sync'

/** A call that sends a statement, or a statement that is written with its name to be sent elsewhere. */
export interface Sent {
  readonly call: Node
  readonly query: Node
  /** Whether the call names the type of the rows that it gives. */
  readonly hasRows: boolean
}

/** Functions of platform/db.ts that send SQL: which argument it is, and whether they give rows. */
const senders: Readonly<Record<string, { readonly at: number; readonly hasRows: boolean }>> = {
  rows: { at: 1, hasRows: true },
  row: { at: 1, hasRows: true },
  preparedRows: { at: 1, hasRows: true },
  prepared: { at: 2, hasRows: true },
  changed: { at: 1, hasRows: false },
  execute: { at: 1, hasRows: false },
}

const begins = /^\s*(select|insert into|update \w+ set|delete from|with (recursive )?\w+ as|copy|declare) /i

/** All that the sources send, and all SQL that is written in them. */
export function findSent(
  project: Project,
  sources: readonly SourceFile[],
): { sent: Sent[]; written: Node[] } {
  const sent: Sent[] = []
  const written: Node[] = []
  const visit = (node: Node): void => {
    if (isWritten(node)) written.push(node)
    const found = isCallExpression(node) ? sentBy(project.checker, node) : named(node)
    if (found !== undefined) sent.push(found)
    node.forEachChild(visit)
  }
  for (const source of sources) visit(source)
  return { sent, written }
}

/** `{ name, text: 'insert …' }` */
function named(node: Node): Sent | undefined {
  return isPropertyAssignment(node) && node.name.getText() === 'text' && isPlain(node.initializer)
    ? { call: node, query: node.initializer, hasRows: false }
    : undefined
}

function isWritten(node: Node): boolean {
  if (isTaggedTemplateExpression(node)) return /^sql\b/.test(node.tag.getText())
  return (node.parent === undefined || !isTaggedTemplateExpression(node.parent)) && isPlain(node)
}

/** A text that begins as SQL does. */
function isPlain(node: Node): boolean {
  if (isTemplateExpression(node)) return begins.test(node.head.text)
  return (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) && begins.test(node.text)
}

function sentBy(checker: Checker, call: CallExpression): Sent | undefined {
  const { expression: callee } = call
  if (isIdentifier(callee)) {
    const sender = senders[callee.getText()]
    const query = sender && call.arguments[sender.at]
    return sender !== undefined &&
      query !== undefined &&
      hasType(checker, query, /RawBuilder|Fragment|string|^"|^`/)
      ? { call, query, hasRows: sender.hasRows }
      : undefined
  }
  if (!isPropertyAccessExpression(callee)) return undefined
  const [query] = call.arguments
  const [method, holder] = [callee.name.getText(), callee.expression]
  if ((method === 'execute' || method === 'compile') && hasType(checker, holder, /RawBuilder|Fragment/))
    return { call, query: holder, hasRows: false }
  if (method !== 'query' || query === undefined || isUtility(query)) return undefined
  const isDriver = hasType(checker, holder, /\b(Pool|PoolClient|Client|ClientBase|Driver)\b/)
  return isDriver && hasType(checker, query, /^string$|^"|text: string/)
    ? { call, query, hasRows: true }
    : undefined
}

/** Whether the type of an expression is written so. */
function hasType(checker: Checker, node: Node, words: RegExp): boolean {
  const type = checker.getTypeAtLocation(node)
  return type !== undefined && words.test(checker.typeToString(type))
}

/** Utility statements are not planned, and most of them name something. */
function isUtility(query: Node): boolean {
  return isTemplateExpression(query) && !begins.test(query.head.text)
}
