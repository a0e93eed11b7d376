// What a database of Tollgate consists of, and what stands in the way of rows that are copied as they are.
import type pg from 'pg'

/** A table without partitions, or the week of one that has them. Names are quoted where they must be. */
export interface MovedTable {
  readonly name: string
  /** Those that are stored, not generated. */
  readonly columns: string
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

type Queries = Pick<pg.ClientBase, 'query'>

const ofSchema = `relnamespace = current_schema()::regnamespace and relname <> 'schema_migrations'`
const weekName = /^record(?:_batche)?s_(\d{8})$/

/** The small tables first, then the weeks. */
export async function tablesOf(pool: Queries): Promise<MovedTable[]> {
  const { rows } = await pool.query<MovedTable>(
    `select quote_ident(relname) as name,
       (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
     from pg_class c where relkind = 'r' and ${ofSchema} order by relispartition, relname`,
  )
  return rows
}

async function foreignKeysOf(pool: Queries): Promise<ForeignKey[]> {
  const { rows } = await pool.query<ForeignKey>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace order by 1, 2`,
  )
  return rows
}

/** Tables with all of their partitions below them. */
async function wholesOf(pool: Queries): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relkind in ('r', 'p') and not relispartition and ${ofSchema} order by relname`,
  )
  return rows.map(({ name }) => name)
}

/**
 * Empties a migrated database for rows that come in any order and set nothing off: its triggers are off, and its foreign
 * keys are gone. Only a superuser could switch those off, which a managed server has not.
 */
export async function emptyForRows(target: Queries): Promise<void> {
  for (const { table, name } of await foreignKeysOf(target))
    await target.query(`alter table ${table} drop constraint ${name}`)
  const wholes = await wholesOf(target)
  for (const name of wholes) await target.query(`alter table ${name} disable trigger user`)
  await target.query(`truncate ${wholes.join(', ')}`)
}

/** Makes the weeks that the tables of the source have. Harmless where they are. */
export async function makeWeeks(target: Queries, tables: readonly MovedTable[]): Promise<void> {
  const weeks = new Set(tables.flatMap(({ name }) => weekName.exec(name)?.[1] ?? []))
  for (const week of weeks)
    await target.query(`select ensure_record_week(($1 || ' 00:00Z')::timestamptz)`, [week])
}

/** What rows alone do not bring: the places of sequences, foreign keys, which are checked by that, and triggers. */
export async function completeRows(source: Queries, target: Queries): Promise<void> {
  const { rows: sequences } = await source.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'S' and ${ofSchema}`,
  )
  for (const { name } of sequences) {
    const { rows } = await source.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${name}`,
    )
    await target.query('select setval($1, $2, $3)', [name, rows[0]?.last, rows[0]?.called])
  }
  const present = new Set((await foreignKeysOf(target)).map(({ table, name }) => `${table} ${name}`))
  for (const { table, name, definition } of await foreignKeysOf(source))
    if (!present.has(`${table} ${name}`))
      await target.query(`alter table ${table} add constraint ${name} ${definition}`)
  const wholes = await wholesOf(target)
  for (const name of wholes) await target.query(`alter table ${name} enable trigger user`)
  await target.query('select settle_log()')
  await target.query(`analyze ${wholes.join(', ')}`)
}
