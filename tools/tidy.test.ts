// Holds the repository to its own rules, and each rule to a breach that it must find.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  circleBreaches,
  consoleBreaches,
  depthBreaches,
  docCommentBreaches,
  environmentBreaches,
  figureBreaches,
  folderBreaches,
  folderCircleBreaches,
  nameBreaches,
  noteBreaches,
  roleBreaches,
  roomBreaches,
  slices,
  sliceBreaches,
  testNameBreaches,
  typeNameBreaches,
  workspaceBreaches,
  type Files,
} from './rules.ts'
import { migrationBreaches, rawSqlBreaches, tablesOf, writerBreaches } from './sql-rules.ts'

const root = resolve(import.meta.dirname, '..')
const places = ['contract', 'smpp', 'server', 'web', 'tools', 'e2e', 'docs', '.ci']
const skipped = new Set(['node_modules', 'dist', 'data', 'test-results'])
const isText = (path: string) => /\.(tsx?|mjs|sql|css|html|md|json)$|\/run$/.test(path)

function read(): Files {
  const files = new Map<string, string>()
  const walk = (path: string) => {
    for (const name of readdirSync(join(root, path))) {
      const child = `${path}/${name}`
      if (skipped.has(name)) continue
      if (statSync(join(root, child)).isDirectory()) walk(child)
      else if (isText(child)) files.set(child, readFileSync(join(root, child), 'utf8'))
    }
  }
  for (const place of places) walk(place)
  return files
}

const files = read()

test('the gate sees the code of every workspace, its imports and its tables', () => {
  for (const [place, least] of Object.entries({ contract: 8, smpp: 30, server: 60, web: 40 }))
    expect(
      [...files.keys()].filter((path) => path.startsWith(`${place}/src/`)).length,
      place,
    ).toBeGreaterThan(least)
  expect(files.has('server/src/platform/db.ts')).toBe(true)
  expect(tablesOf(files)).toContain('users')
  const folders = readdirSync(join(root, 'server/src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  expect(folders.map(({ name }) => name).filter((name) => !slices.includes(name))).toEqual([])
})

const rules: [string, (files: Files) => string[], Record<string, string>][] = [
  [
    'web and server never meet, and nothing is reached round its name',
    workspaceBreaches,
    {
      'web/src/a.ts': `import { x } from '@tollgate/server/main.ts'`,
      'web/src/b.ts': `export * from '../../contract/src/money.ts'`,
      'server/src/users/a.ts': `const x = await import('@tollgate/web/main.tsx')`,
      'contract/src/a.ts': `import { readFile } from 'node:fs'`,
      'smpp/src/wire/a.ts': `import {\n  x,\n} from 'node:fs'`,
    },
  ],
  [
    'server slices import only slices below them, through their index.ts',
    sliceBreaches,
    {
      'server/src/users/a.ts': `import { x } from '../billing/index.ts'`,
      'server/src/billing/a/b.ts': `import { x } from '../../users/store.ts'`,
      'server/src/http/a.ts': `import { x } from '../users/index.ts'`,
      'server/src/gateway/a.ts': `import { x } from '../analytics/index.ts'`,
      'server/src/mystery/a.ts': `import { x } from '../users/index.ts'`,
    },
  ],
  [
    'folders of the contract and of the console are called as the slices of the server',
    nameBreaches,
    { 'contract/src/papers/papers.ts': '', 'web/src/trouble/TroublePage.tsx': '' },
  ],
  [
    'the folders of the SMPP library and of the gateway point one way',
    folderBreaches,
    {
      'smpp/src/wire/a.ts': `import { x } from '../pdu/bind.ts'`,
      'smpp/src/session/b.ts': `import { x } from '../net/server.ts'`,
      'server/src/gateway/binds/a.ts': `import type { X } from '../deliver/lane.ts'`,
    },
  ],
  [
    'files do not import each other in a circle, not even for types',
    circleBreaches,
    {
      'server/src/users/a.ts': `import type { X } from './b.ts'`,
      'server/src/users/b.ts': `import { y } from './keys/c.ts'`,
      'server/src/users/keys/c.ts': `import type { X } from '../a.ts'`,
    },
  ],
  [
    'the folders of a slice do not import each other in a circle',
    folderCircleBreaches,
    {
      'server/src/users/login/a.ts': `import { x } from '../factors/b.ts'`,
      'server/src/users/factors/c.ts': `import type { X } from '../keys/d.ts'`,
      'server/src/users/keys/e.ts': `import type { X } from '../login/f.ts'`,
    },
  ],
  [
    'within a slice calls go from routes and jobs to services, and from services to stores',
    roleBreaches,
    {
      'server/src/users/accounts/store.ts': `import { x } from './service.ts'`,
      'server/src/users/service.ts': `import { x } from './routes.ts'`,
      'server/src/users/rules.ts': `import { x } from './accounts/store.ts'`,
    },
  ],
  [
    'the layers of the console point one way',
    consoleBreaches,
    {
      'web/src/ui/a.tsx': `import { useNavigate } from '@tanstack/react-router'`,
      'web/src/ui/b.tsx': `import { x } from '../api/call.ts'`,
      'web/src/money/a.tsx': `import { x } from '../users/queries.ts'`,
      'web/src/users/a.tsx': `import { x } from '../shell/page.ts'`,
      'web/src/users/b.tsx': `import { x } from '../pages.tsx'`,
      'web/src/records/a.tsx': `import { x } from '../dashboard/queries.ts'`,
      'web/src/billing/a.tsx': `import { x } from '../records/RecordsPage.tsx'`,
    },
  ],
  [
    'every table has one writing slice',
    writerBreaches,
    {
      'server/migrations/0001_a_b.sql': 'create table planted (x int);\ncreate table other (x int);',
      'server/src/users/store.ts': 'sql`insert into planted values (1)`; sql`update other as o set x = 1`',
      'server/src/billing/store.ts': "sql`UPDATE planted SET x = 1`; db.deleteFrom('other')",
    },
  ],
  [
    'a plain statement is built, not written',
    rawSqlBreaches,
    {
      'server/src/users/a.ts': 'sql`delete from users where id = ${id}::bigint`',
      'server/src/users/b.ts': 'sql<X>`select id, name from users where id = ${of.id}`',
      'server/src/users/c.ts': 'sql`update users set name = ${name}\n  where id = ${id}`',
    },
  ],
  [
    'an exported type has a name of its own',
    typeNameBreaches,
    {
      'web/src/users/a.ts': 'export interface Planted {}\nexport type Other = 1',
      'smpp/src/session/b.ts': 'export class Other {}',
    },
  ],
  [
    'no note of deferred work stands in the code',
    noteBreaches,
    { 'a.ts': `// ${'TO' + 'DO'}: later`, 'b.sql': `-- ${'FIX' + 'ME'}` },
  ],
  [
    'figures of the console are written in format/, as their reader chose',
    figureBreaches,
    {
      'web/src/gateway/a.tsx': 'rate.toFixed(2)',
      'web/src/alerts/b.ts': `count.toLocaleString('en-GB')`,
      'web/src/ui/c.tsx': `new Intl.NumberFormat('en-GB')`,
    },
  ],
  [
    'a doc comment stands on its owner',
    docCommentBreaches,
    {
      'server/src/users/a.ts': '/** A user. */\n\nexport interface User {}',
      'server/src/users/b.ts': '/** A user. */\n/** A name. */\nexport type Name = string',
      'web/src/users/c.ts': 'interface A {\n  readonly a: 1\n  /** The end. */\n}',
      'contract/src/d.ts': '/**\n * A user.\n */\n// Of the contract.\nexport type User = 1',
    },
  ],
  [
    'a slice of the server is no more than a person can hold',
    roomBreaches,
    { 'server/src/billing/a.ts': 'const a = 1\n'.repeat(7_000) },
  ],
  ['no path is too deep', depthBreaches, { 'web/src/a/b/c/d/e.ts': '' }],
  [
    'migrations are numbered without a gap, named by verb and noun, none patches another, and none reads all records',
    migrationBreaches,
    {
      'server/migrations/0001_create_users.sql': 'create table users (x int);',
      'server/migrations/0002_users.sql': '',
      'server/migrations/0003_add_words.sql': 'alter table users\n  add words text;',
      'server/migrations/0004_find_users.sql': 'create index users_x_idx on users (x);',
      'server/migrations/0005_keep_words.sql': `update users set x = 1;`,
      'server/migrations/0006_create_sums.sql':
        'create table sums (x int);\n\ninsert into sums select count(*) from records group by client_id;',
      'server/migrations/0008_create_records.sql': '',
    },
  ],
  [
    'the name of a test says in which set it runs',
    testNameBreaches,
    {
      'web/src/a.slow.test.tsx': '',
      'web/src/b.program.test.ts': '',
      'e2e/c.long.e2e.ts': '',
      'server/src/users/d.e2e.ts': '',
      'server/src/users/e.test.ts': `const program = await startProgram('main', {})`,
    },
  ],
  [
    'the environment is read where the process begins',
    environmentBreaches,
    { 'server/src/users/a.ts': `const x = process.env['X']` },
  ],
]

test.each(rules)('%s', (_, rule) => {
  expect(rule(files)).toEqual([])
})

test.each(rules)('a breach is found: %s', (_, rule, planted) => {
  const code = Object.keys(planted).filter((path) => !/migrations\/0001/.test(path))
  // The writers' rule names tables; all others name the file.
  expect(rule(new Map(Object.entries(planted)))).toHaveLength(code.length)
})

test('the map shows the slices in the order that is held', () => {
  const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const [, order = ''] = /^server: +main ► compose ► (.+)$/m.exec(map) ?? []
  expect([...order.split(' ► ').toReversed(), 'programs']).toEqual(slices)
  const owners = [...map.matchAll(/^\| ([\w-]+) \| [^|]+ \|$/gm)].map(([, name]) => name)
  expect(slices.filter((name) => !owners.includes(name))).toEqual([])
})

// npm passes a signal on to its shell, and a shell that waits for its child dies of it and leaves the child running.
test('a signal to npm alone reaches the program: its scripts replace their shell', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const name of ['start', 'demo', 'bench', 'drill', 'test', 'test:long', 'test:all'])
    expect(scripts[name]).toMatch(/^exec node (--\S+ )*\S+( \w+)?$/)
})
