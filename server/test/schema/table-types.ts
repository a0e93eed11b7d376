// The types of all tables for Kysely, as our parsers deliver their columns.
import type { Column, Table } from './introspect.ts'

const head = `// Written from the migrated schema by \`npm run schema\`; a test compares it. Change a migration, not this file.
import type { ColumnType } from 'kysely'

/** With a default: an insert may leave it out. */
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
/** Computed by the database. */
type Computed<T> = T extends ColumnType<infer S, infer _I, infer _U> ? ColumnType<S, never, never> : ColumnType<T, never, never>
type Int8 = ColumnType<string, string | number | bigint, string | number | bigint>
type Numeric = Int8
type Timestamp = ColumnType<Date, Date | string, Date | string>
/** Read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>
type List<T> = ColumnType<T[], readonly T[], readonly T[]>
`

const types: Readonly<Record<string, string>> = {
  bit: 'string',
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'Int8',
  jsonb: 'Json',
  numeric: 'Numeric',
  text: 'string',
  time: 'string',
  timestamptz: 'Timestamp',
  uuid: 'string',
  xid8: 'string',
}
// Elements are no columns of their own.
const elements: Readonly<Record<string, string>> = { ...types, int8: 'string', timestamptz: 'Date' }

function typeOf({ type, words, name }: Column): string {
  if (words.length > 0) return words.map((word) => `'${word}'`).join(' | ')
  const element = /^_(\w+)$/.exec(type)?.[1]
  const found = element === undefined ? types[type] : elements[element] && `List<${elements[element]}>`
  if (found === undefined || found === '') throw new Error(`${name}: no type is known for ${type}`)
  return found
}

function columnType(column: Column): string {
  const type = typeOf(column) + (column.isNullable ? ' | null' : '')
  if (column.isAlwaysGenerated) return `Computed<${type}>`
  return column.hasDefault ? `Generated<${type}>` : type
}

/** The module's text, before it is formatted. */
export function renderTypes(tables: readonly Table[]): string {
  const all = tables.map(
    ({ name, columns }) =>
      `  readonly ${name}: {\n${columns.map((column) => `    readonly ${column.name}: ${columnType(column)}\n`).join('')}  }\n`,
  )
  return `${head}\n/** All tables and views. */\nexport interface Schema {\n${all.join('')}}\n`
}
