// Every statement that the server can send is parsed by PostgreSQL against the migrated schema, and the rows it gives are
// compared with the type that the code reads them as: a renamed column fails here, before it runs.
import { join } from 'node:path'
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isTaggedTemplateExpression,
  type CallExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import type pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../harness.ts'
import { projectRoot } from '../../src/platform/process/project.ts'
import { Composer } from './compose.ts'
import { describeStatement } from './describe.ts'
import { where } from './nodes.ts'
import { RowTypes } from './row-types.ts'

const { pool } = await openTestDatabase()
const { pool: planted } = await openTestDatabase()
const api = new API({ cwd: projectRoot })
afterAll(() => api.close())
const config = join(projectRoot, 'server/tsconfig.json')
const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)!
const { checker, program } = project

/** Functions of platform/db.ts that send their second argument, and those of them that give rows. */
const senders = new Set(['rows', 'row', 'changed', 'preparedRows'])
const readers = new Set(['rows', 'row', 'preparedRows'])

interface Sent {
  readonly call: CallExpression
  readonly query: Node
}

/** The call, if it sends a statement that was written as a template. */
function sentBy(call: CallExpression): Sent | undefined {
  const { expression: callee } = call
  const query =
    isIdentifier(callee) && senders.has(callee.getText())
      ? call.arguments[1]
      : isPropertyAccessExpression(callee) && ['execute', 'compile'].includes(callee.name.getText())
        ? callee.expression
        : undefined
  const type = query && checker.getTypeAtLocation(query)
  return query !== undefined && type !== undefined && /RawBuilder|Fragment/.test(checker.typeToString(type))
    ? { call, query }
    : undefined
}

function visitAll(source: SourceFile, see: (node: Node) => void): void {
  const visit = (node: Node): void => {
    see(node)
    node.forEachChild(visit)
  }
  visit(source)
}

const sources = program
  .getSourceFileNames()
  .filter(
    (name) =>
      /\/server\/(src|bench|drills)\//.test(name) && !/\.test\.|\/testing\/|platform\/db\.ts/.test(name),
  )
  .map((name) => program.getSourceFile(name)!)
const sent: Sent[] = []
const templates: Node[] = []
for (const source of sources)
  visitAll(source, (node) => {
    if (isTaggedTemplateExpression(node) && /^sql\b/.test(node.tag.getText())) templates.push(node)
    const found = isCallExpression(node) ? sentBy(node) : undefined
    if (found !== undefined) sent.push(found)
  })

const composer = new Composer(project)
const composed = sent.map(({ call, query }) => ({ call, compositions: composer.compose(query) }))

// Lists by a sort and a filter that come from a request, most of them: they run in tests of their own. These numbers may
// only become smaller.
const notComposedMax = 1
const templatesUnseenMax = 60

// Branches that the code never takes together, which composing cannot know.
const neverMeet = [
  // Which table of counters has which columns, and which of them a condition or a group asks for.
  /records\/(read\/totals|search\/day-bounds).* column \S+(day|hour|range_id|gateway_id)"? does not exist/,
]

const rowTypes = new RowTypes(checker)

/** What PostgreSQL refuses, and what the code reads otherwise than it is given. */
async function faultsIn(client: pg.PoolClient): Promise<string[]> {
  const faults = new Set<string>()
  for (const { call, compositions } of composed) {
    if (typeof compositions === 'string') continue
    const row = readers.has(call.expression.getText()) ? rowTypes.rowOf(call) : undefined
    for (const text of new Set(compositions.map(({ text: each }) => each))) {
      try {
        const columns = await describeStatement(client, text)
        if (row === undefined) continue
        for (const fault of rowTypes.faults(row, columns, call)) faults.add(`${where(call)} ${fault}`)
      } catch (error) {
        const fault = `${where(call)}: ${(error as Error).message}`
        if (!neverMeet.some((pair) => pair.test(fault))) faults.add(`${fault}\n${text}`)
      }
    }
  }
  return [...faults]
}

test('nearly every statement can be composed from the sources', () => {
  const missing = composed.flatMap(({ call, compositions }) =>
    typeof compositions === 'string' ? [`${where(call)}: ${compositions}`] : [],
  )
  expect(missing.length, missing.join('\n')).toBeLessThanOrEqual(notComposedMax)
  const seen = new Set(
    composed.flatMap(({ compositions }) =>
      typeof compositions === 'string' ? [] : compositions.flatMap((each) => [...each.templates]),
    ),
  )
  const unseen = templates.filter((template) => !seen.has(template)).map(where)
  expect(unseen.length, unseen.join('\n')).toBeLessThanOrEqual(templatesUnseenMax)
  expect(composed.length).toBeGreaterThan(400)
})

test('PostgreSQL accepts every statement, and gives the rows that the code reads', async () => {
  const client = await pool.connect()
  expect(await faultsIn(client)).toEqual([])
  client.release()
})

test('a renamed column and a changed type are found', async () => {
  const client = await planted.connect()
  await client.query(`alter table mails rename column subject to topic;
    alter table sign_ups rename column made_at to created_at; alter table ledger_checks alter checked_at type text`)
  const faults = (await faultsIn(client)).join('\n')
  expect(faults).toMatch(/mail\/store.ts:\d+: column "subject" of relation "mails" does not exist/)
  expect(faults).toMatch(/sign-up\/store.ts:\d+: column "made_at"/)
  expect(faults).toMatch(/gives (\w+) as string, and the code reads Date/)
  client.release()
})
