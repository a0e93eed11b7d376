// The rules of the schema and of SQL, as functions of the repository's files.
import { writersOf } from '../server/test/schema/writers.ts'
import { isShipped, type Files } from './rules.ts'

/** The tables that the migrations make. */
export function tablesOf(files: Files): Set<string> {
  const made = [...files].filter(([path]) => path.startsWith('server/migrations/'))
  return new Set(
    made.flatMap(([, text]) =>
      [...text.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/gi)].map(
        ([, name = '']) => name,
      ),
    ),
  )
}

/** Each table is written by one slice alone, so that its rules stand in one place. */
export function writerBreaches(files: Files): string[] {
  const shipped = [...files].filter(([path]) => isShipped(path))
  return [...writersOf(shipped, tablesOf(files))]
    .filter(([, found]) => found.size > 1)
    .map(([table, found]) => `${table} is written by ${[...found].join(' and ')}`)
}

/** Slices that write their SQL: the hot path, and those whose statements are mostly batches and windows. */
const rawSlices = ['ingest', 'gateway', 'records', 'ledger', 'http', 'platform', 'integrity', 'alerts', 'cdr']

/** A plain statement by one key is built, so that the compiler knows its columns. */
export function rawSqlBreaches(files: Files): string[] {
  const plain =
    /\bsql(?:<[^`\n]*>)?`\s*(?:delete from \w+|select \w[\w.,\s]*? from \w+|update \w+ set \w+ = \$\{[^{}`]*\})\s+where \w+ = \$\{[^{}`]*\}(?:::\w+)?\s*`/
  return [...files]
    .filter(([path, text]) => {
      const [, slice = ''] = /^server\/src\/([\w-]+)\//.exec(path) ?? []
      return slice !== '' && isShipped(path) && !rawSlices.includes(slice) && plain.test(text)
    })
    .map(([path]) => `${path}: build the plain statement (STYLE.md, SQL)`)
}

const isForeignKey = /^add (constraint \w+ )?foreign key\b/

/** Whether a file of the schema changes what another one makes. A key that points to a later file is added there. */
function isPatch(text: string): boolean {
  const made = new Set([...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name = '']) => name))
  const altered = [...text.matchAll(/^alter table (\w+)\s+([^;]*)/gm)]
  const indexed = [...text.matchAll(/^create (?:unique )?index \w+\s+on (\w+)/gm)]
  return (
    /^(drop|update|delete|create or replace)\b/m.test(text) ||
    altered.some(([, table = '', change = '']) => !made.has(table) && !isForeignKey.test(change)) ||
    indexed.some(([, table = '']) => !made.has(table))
  )
}

/**
 * Whether a migration reads all records when it runs, which takes hours where there are many, and messages wait: a query
 * over them, an index, a constraint that is checked, another type. What a function does, it does later.
 */
function readsRecords(text: string): boolean {
  if (/^create table records\b/m.test(text)) return false
  const now = text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/^create (?:or replace )?function\b[^$]*(\$\w*\$)[^]*?\1/gm, '')
    .replaceAll(/^create view\b[^;]*;/gm, '')
  const tables = String.raw`(only )?(records|record_batches)\b`
  return (
    new RegExp(String.raw`\b(from|join|update|using|index [^;]*\bon) ${tables}`).test(now) ||
    new RegExp(
      String.raw`\balter table ${tables}[^;]*\b(type|constraint|check|unique|not null|primary|foreign)\b`,
    ).test(now)
  )
}

/**
 * Numbered without a gap, and named by verb and noun: 0001_create_platform.sql, 0002_create_audit.sql. Until 1.0.0 a change
 * of the schema edits the file that makes the table; from then on each is a file of its own. None reads all records.
 */
export function migrationBreaches(files: Files): string[] {
  const isReleased = /"version": "[1-9]/.test(files.get('server/package.json') ?? '')
  return [...files]
    .filter(([path]) => path.startsWith('server/migrations/'))
    .map(([path, text]) => [path.slice('server/migrations/'.length), text] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, text], index) => {
      if (!/^\d{4}_[a-z]+(_[a-z]+)+\.sql$/.test(name) || Number(name.slice(0, 4)) !== index + 1)
        return [`${name} breaks the numbering of migrations`]
      if (readsRecords(text))
        return [`${name}: a follower of the log goes through the records, no migration does`]
      return !isReleased && isPatch(text) ? [`${name}: until 1.0.0, edit the file that makes the table`] : []
    })
}
