// Whether an upgrade keeps the rows of every table. Traffic and jobs go on meanwhile, so that not every table may stand
// still: PostgreSQL's own counts tell which ones were written by somebody.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { tablesOf, type MovedTable } from '../src/backup/move/contents.ts'

/** A process of the database tells what it wrote after so long; where others are in its way, after a minute at the latest. */
const countsDelayMs = 12_000
const countsDelayMaxMs = 72_000

interface Writes {
  readonly inserted: number
  readonly changed: number
}

export interface RowsKept {
  /** Tables with rows before. */
  readonly filled: number
  /** Of these, nobody wrote to so many; each row and no other is there. */
  readonly same: number
  /** To so many rows were only added; each row of before is there. */
  readonly grown: number
  /** In so many rows were changed or removed, as their work is: these are judged by what they must say. */
  readonly changed: number
  /** Tables that lack rows, or have others. */
  readonly faults: readonly string[]
}

/** Notes the rows of all tables; the result compares them with those of a later time, in the columns of now. */
export async function noteRows(
  address: { readonly host: string; readonly database: string },
  onEnd: (end: () => Promise<unknown>) => void,
): Promise<() => Promise<RowsKept>> {
  const client = new pg.Client({ ...address, user: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  onEnd(() => client.end())
  const tables = await tablesOf(client)
  const writesBefore = await writesOf(client)
  for (const [at, { name, columns }] of tables.entries())
    await client.query(`create temp table before_${at} as ${hashesOf(name, columns)}`)

  return async () => {
    const differing = new Map<string, Difference>()
    for (const [at, table] of tables.entries())
      differing.set(table.name, await differenceOf(client, table, at))
    const judge = async () => judgeRows(differing, writesBefore, await writesOf(client))
    if ([...differing.values()].every(({ lost, added }) => lost + added === 0)) return judge()
    for (let waitedMs = countsDelayMs; ; waitedMs += countsDelayMs) {
      await sleep(countsDelayMs)
      const judged = await judge()
      if (judged.faults.length === 0 || waitedMs >= countsDelayMaxMs) return judged
    }
  }
}

const hashesOf = (name: string, columns: string) => `select md5(row(${columns})::text) as hash from ${name}`

export interface Difference {
  /** Rows before. */
  readonly rows: number
  /** Rows that are there no more. */
  readonly lost: number
  /** Rows that were not there. */
  readonly added: number
}

async function differenceOf(
  client: pg.Client,
  { name, columns }: MovedTable,
  at: number,
): Promise<Difference> {
  const { rows } = await client.query<Difference>(
    `with now as materialized (${hashesOf(name, columns)})
     select (select count(*) from before_${at})::int as rows,
       (select count(*) from (select hash from before_${at} except all select hash from now) l)::int as lost,
       (select count(*) from (select hash from now except all select hash from before_${at}) a)::int as added`,
  )
  return rows[0] ?? { rows: 0, lost: 0, added: 0 }
}

/** What was written to each table since the database began. */
async function writesOf(client: pg.Client): Promise<ReadonlyMap<string, Writes>> {
  const { rows } = await client.query<Writes & { name: string }>(
    `select quote_ident(relname) as name, n_tup_ins::float8 as inserted, (n_tup_upd + n_tup_del)::float8 as changed
     from pg_stat_user_tables where schemaname = current_schema()`,
  )
  return new Map(rows.map(({ name, inserted, changed }) => [name, { inserted, changed }]))
}

/** What each table may have lost or gained, by what was written to it. */
export function judgeRows(
  tables: ReadonlyMap<string, Difference>,
  before: ReadonlyMap<string, Writes>,
  after: ReadonlyMap<string, Writes>,
): RowsKept {
  const none = { inserted: 0, changed: 0 }
  const counts = { filled: 0, same: 0, grown: 0, changed: 0 }
  const faults: string[] = []
  for (const [name, { rows, lost, added }] of tables) {
    const [was, is] = [before.get(name) ?? none, after.get(name) ?? none]
    const inserted = is.inserted - was.inserted
    const changed = is.changed - was.changed
    if (lost > 0 && changed === 0)
      faults.push(`${name} lacks ${lost} of its ${rows} rows, and nobody changed it`)
    if (added > inserted + changed)
      faults.push(`${name} has ${added} other rows, and ${inserted + changed} were written`)
    if (rows === 0) continue
    counts.filled += 1
    if (changed > 0) counts.changed += 1
    else if (inserted > 0) counts.grown += 1
    else counts.same += 1
  }
  return { ...counts, faults }
}
