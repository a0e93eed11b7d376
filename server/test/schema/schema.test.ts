// Holds what is written from the schema to it. `npm run schema` writes both files anew.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, type FormatConfig } from 'oxfmt'
import { expect, test } from 'vitest'
import { migrationsFolder, projectRoot } from '../../src/platform/process/project.ts'
import { openTestDatabase } from '../environment/database.ts'
import { introspect } from './introspect.ts'
import { renderPage, type SchemaPart } from './schema-page.ts'
import { renderTypes } from './table-types.ts'
import { writersOf } from './writers.ts'

const { db } = await openTestDatabase()
const schema = await introspect(db)
const tables = schema.filter(({ isView }) => !isView)

const sources = (readdirSync(join(projectRoot, 'server/src'), { recursive: true }) as string[])
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('/testing/'))
  .map((path) => [`server/src/${path}`, readFileSync(join(projectRoot, 'server/src', path), 'utf8')] as const)
const writers = writersOf(sources, new Set(tables.map(({ name }) => name)))

/** The tables of each migration, in the order in which it makes them. */
const tablesByFile = readdirSync(migrationsFolder)
  .toSorted()
  .map((name) =>
    [
      ...readFileSync(join(migrationsFolder, name), 'utf8').matchAll(/^create (?:unlogged )?table (\w+)/gm),
    ].flatMap(([, made]) => tables.filter((table) => table.name === made)),
  )

/** A table that only functions of the database write belongs to who writes most of its file. */
function writerOf(name: string, beside: readonly string[]): string {
  const [own] = writers.get(name) ?? []
  if (own !== undefined) return own
  const found = beside.flatMap((other) => [...(writers.get(other) ?? [])])
  const countOf = (slice: string) => found.filter((each) => each === slice).length
  return found.toSorted((one, other) => countOf(other) - countOf(one))[0] ?? ''
}

function parts(): SchemaPart[] {
  const placed = tablesByFile.flatMap((made) => {
    const names = made.map(({ name }) => name)
    return made.map((table) => ({ table, slice: writerOf(table.name, names) }))
  })
  return [...new Set(placed.map(({ slice }) => slice))].map((slice) => ({
    slice,
    tables: placed.filter((each) => each.slice === slice).map(({ table }) => table),
  }))
}

test('docs/schema.md has every table with its writer', async () => {
  const page = parts()
  expect(page.flatMap((part) => part.tables).length).toBe(tables.length)
  await expect(renderPage(page)).toMatchFileSnapshot(join(projectRoot, 'docs/schema.md'))
})

test('the types of the tables are those of the schema', async () => {
  const settings = JSON.parse(readFileSync(join(projectRoot, '.oxfmtrc.json'), 'utf8')) as FormatConfig
  const path = 'server/src/platform/database/schema.generated.ts'
  const { code } = await format(path, renderTypes(schema), settings)
  await expect(code).toMatchFileSnapshot(join(projectRoot, path))
})
