// What PostgreSQL knows of a migrated schema: tables with their columns and keys.
import { sql } from 'kysely'
import { rows, type Db } from '../../src/platform/db.ts'

export interface Column {
  readonly name: string
  /** As PostgreSQL names it: `int8`, and `_int8` for an array of them. */
  readonly type: string
  readonly isNullable: boolean
  readonly hasDefault: boolean
  /** Computed by the database, which refuses any other value. */
  readonly isAlwaysGenerated: boolean
  /** The words that a check allows; empty for any. */
  readonly words: readonly string[]
}

interface ForeignKey {
  readonly columns: readonly string[]
  readonly to: string
}

export interface Table {
  readonly name: string
  readonly isView: boolean
  readonly comment: string
  readonly columns: readonly Column[]
  readonly keys: readonly ForeignKey[]
}

const wordsCheck = /^CHECK \(\(\(?(\w+)(?:\)::text)? = ANY \(ARRAY\[(.*)\]\)\)\)$/

type ColumnRow = Omit<Column, 'words'> & { readonly table: string }

/** Tables and views, by name. Partitions are parts of their tables. */
export async function introspect(db: Db): Promise<Table[]> {
  const found = await rows<{ name: string; isView: boolean; comment: string }>(
    db,
    sql`select c.relname as name, c.relkind = 'v' as "isView", coalesce(obj_description(c.oid, 'pg_class'), '') as comment
      from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')
        and not c.relispartition and c.relname <> 'schema_migrations' order by 1`,
  )
  const columns = await rows<ColumnRow>(
    db,
    sql`select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as "isNullable",
        a.atthasdef or a.attidentity <> '' as "hasDefault", a.attgenerated <> '' or a.attidentity = 'a' as "isAlwaysGenerated"
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
      where c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped order by a.attnum`,
  )
  const constraints = await rows<{
    table: string
    kind: string
    text: string
    columns: string[]
    to: string
  }>(
    db,
    sql`select c.conrelid::regclass::text as table, c.contype as kind, pg_get_constraintdef(c.oid) as text,
        coalesce(c.confrelid::regclass::text, '') as to,
        array(select a.attname::text from unnest(c.conkey) with ordinality k (num, nth)
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.num order by k.nth) as columns
      from pg_constraint c
      where c.connamespace = current_schema()::regnamespace and c.contype in ('c', 'f') and c.conrelid <> 0 order by 1, 4, 5`,
  )
  return found.map((table) => {
    const own = constraints.filter((each) => each.table === table.name)
    return {
      ...table,
      columns: columns
        .filter((column) => column.table === table.name)
        .map((column) => ({ ...column, words: own.flatMap(({ text }) => wordsOf(text, column.name)) })),
      keys: own.filter(({ kind }) => kind === 'f'),
    }
  })
}

function wordsOf(check: string, column: string): string[] {
  const [, name, list = ''] = wordsCheck.exec(check) ?? []
  return name === column ? [...list.matchAll(/'([^']*)'::text/g)].map(([, word = '']) => word) : []
}
