// Every statement that the programs can send is parsed by PostgreSQL against the migrated schema, and the rows it gives are
// compared with the type that the code reads them as, null included: a renamed column fails here, before it runs.
import { join } from 'node:path'
import type { Node } from 'typescript/unstable/ast'
import { API, type Type } from 'typescript/unstable/sync'
import type pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../environment/database.ts'
import { projectRoot } from '../../src/platform/process/project.ts'
import { Composer, type ComposedStatement } from './compose.ts'
import { describeStatement } from './describe.ts'
import { where } from './nodes.ts'
import { orderedByText } from './order-by-text.ts'
import { notNullColumns, nullableColumns } from './nullability.ts'
import { RowTypes } from './row-types.ts'
import { findSent, type Sent } from './sent.ts'

const [present, planted] = [await ownClient(), await ownClient()]
const api = new API({ cwd: projectRoot })
afterAll(() => api.close())

const workspaces = [
  { config: 'server/tsconfig.json', sources: /\/server\/(src|drills)\// },
  { config: 'bench/tsconfig.json', sources: /^(?!.*node_modules).*\/bench\/[^/]*$/ },
].map(({ config, sources }) => ({ config: join(projectRoot, config), sources }))
const snapshot = api.updateSnapshot({ openProjects: workspaces.map(({ config }) => config) })

/** A connection to a database of its own. */
async function ownClient(): Promise<pg.PoolClient> {
  const { pool } = await openTestDatabase()
  const client = await pool.connect()
  afterAll(() => client.release())
  return client
}

/** What one call sends, in each form that it can have; the reason instead where it cannot be composed. */
interface Composed extends Sent {
  readonly compositions: readonly ComposedStatement[] | string
  readonly rowTypes: RowTypes
  readonly row: Type | undefined
}

const written: Node[] = []
const composed = workspaces.flatMap(({ config, sources: pattern }): Composed[] => {
  const project = snapshot.getProject(config)!
  const sources = project.program
    .getSourceFileNames()
    .filter((name) => pattern.test(name) && !/\.test\.|\/testing\/|platform\/db\.ts/.test(name))
    .map((name) => project.program.getSourceFile(name)!)
  const found = findSent(project, sources)
  written.push(...found.written)
  const composer = new Composer(project)
  const rowTypes = new RowTypes(project.checker)
  return found.sent.map((each) => ({
    ...each,
    compositions: composer.compose(each.query),
    rowTypes,
    row: each.hasRows ? rowTypes.rowOf(each.call) : undefined,
  }))
})

// A filter that a route hands on, a migration's file, what an operator types, and a list of the columns of a table. Most
// templates that are not seen are lists by a sort and a filter that come from a request: they run in tests of their own.
// These numbers may only become smaller.
const notComposedMax = 4
const unseenMax = 75

// Branches that the code never takes together, which composing cannot know.
const neverMeet = [
  // Which table of counters has which columns, and which of them a condition or a group asks for.
  /records\/(read\/totals|search\/day-bounds).* column \S+(day|hour|range_id|gateway_id)"? does not exist/,
  // Counters without these columns, which no condition on them reads; names of ids, with the join of a dimension without.
  /analytics\/analyse.* (column "(client_id|status)" does not exist|missing FROM-clause entry for table "n[12]")/,
  // A cursor of the same transaction.
  /analytics\/analyse.* cursor "sums" does not exist/,
  // Of the replication protocol, and of tables that a drill makes.
  /"CREATE_REPLICATION_SLOT"|drills\/.* relation "(drill_users|copied\.\w+)" does not exist/,
]

/** A text may hold several statements. */
const statementsOf = (text: string) =>
  (text.match(/(?:'(?:[^']|'')*'|\$\$[^]*?\$\$|--.*|[^;'])+/g) ?? []).filter((each) => each.trim() !== '')

/** What PostgreSQL refuses, and what the code reads otherwise than it is given. */
async function faultsIn(client: pg.PoolClient): Promise<string[]> {
  const faults = new Set<string>()
  const notNull = await notNullColumns(client)
  for (const { call, compositions, row, rowTypes } of composed) {
    if (typeof compositions === 'string') continue
    for (const text of new Set(compositions.flatMap(({ text: each }) => statementsOf(each)))) {
      try {
        const columns = await describeStatement(client, text)
        if (row === undefined || columns.length === 0) continue
        const nullable = await nullableColumns(client, text, columns, notNull)
        for (const fault of rowTypes.faults(row, columns, nullable, call))
          faults.add(`${where(call)} ${fault}`)
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
  const unseen = written.filter((node) => !seen.has(node)).map(where)
  expect(unseen.length, unseen.join('\n')).toBeLessThanOrEqual(unseenMax)
  expect(composed.length).toBeGreaterThan(600)
})

test('PostgreSQL accepts every statement, and gives the rows that the code reads', async () => {
  expect(await faultsIn(present)).toEqual([])
})

test('no list is in the order of a text where a number or a time is meant', () => {
  const faults = composed.flatMap(({ call, compositions }) =>
    typeof compositions === 'string'
      ? []
      : compositions.flatMap(({ text }) => orderedByText(text).map((name) => `${where(call)}: ${name}`)),
  )
  expect([...new Set(faults)]).toEqual([])
  expect(orderedByText('select xid::text as xid from a order by xid desc limit 1')).toEqual(['xid'])
  expect(orderedByText('select id, stored_at::text from a where id > $1 order by stored_at, id')).toEqual([
    'stored_at',
  ])
  expect(orderedByText('select a.xid::text from a order by a.xid')).toEqual([])
})

test('a renamed column, a changed type and a column that may be null now are found', async () => {
  await planted.query(`alter table mails rename column subject to topic;
    alter table rate_uses rename column subject to of_whom; alter table ledger_checks alter checked_at type text;
    alter table users alter email drop not null`)
  const faults = (await faultsIn(planted)).join('\n')
  expect(faults).toMatch(/mail\/store.ts:\d+: column "subject" of relation "mails" does not exist/)
  expect(faults).toMatch(/load\/rate-uses.ts:\d+: column "subject"/)
  expect(faults).toMatch(/gives (\w+) as string, and the code reads Date/)
  expect(faults).toMatch(/users\/\S+ gives email, which may be null, and the code reads string/)
})
