// The names for a record's ids, fetched for a whole page at once.
import { sql } from 'kysely'
import { recordSources, type RecordSource } from '@tollgate/contract/vocabulary.ts'
import { prepared, type Db } from '../../platform/db.ts'
import { wordAt } from '../codes.ts'
import type { RecordRow } from './record-row.ts'

export interface RecordNames {
  number(id: number): { readonly digits: string; readonly description: string }
  client(id: number | null): string
  range(id: number | null): string
  gateway(id: number): GatewayNames
}

interface GatewayNames {
  /** The supplier's own name, for staff alone. */
  readonly name: string
  readonly alias: string
  readonly source: RecordSource
}

interface NameRow {
  readonly kind: 'number' | 'client' | 'range' | 'gateway'
  readonly id: number
  readonly name: string
  readonly more: string
  readonly alias: string | null
}

/** A record with its names. */
export interface NamedRow extends RecordRow {
  readonly digits: string | null
  readonly description: string | null
  readonly client: string | null
  readonly range: string | null
  readonly gateway: string | null
  readonly alias: string | null
  readonly source: number | null
}

/** Such a row, or none: of an outer join. */
export type NamedRowOrNone = { readonly [Column in keyof NamedRow]: NamedRow[Column] | null }

/** SQL of the names of rows `r`: the columns, and the joins for them. */
export const nameColumnsText = `n.number as digits, n.description, u.username as client, g.range_number as range,
  w.name as gateway, w.alias, w.source`
export const nameJoinsText = `left join numbers n on n.id = r.number_id left join users u on u.id = r.client_id
  left join ranges g on g.id = r.range_id left join gateways w on w.id = r.gateway_id`
export const nameColumns = sql.raw(nameColumnsText)
export const nameJoins = sql.raw(nameJoinsText)

/** The names in such a row. */
export function ownNames(row: NamedRow): RecordNames {
  return {
    number: () => ({ digits: row.digits ?? '', description: row.description ?? '' }),
    client: () => row.client ?? '',
    range: () => row.range ?? '',
    gateway: () => ({
      name: row.gateway ?? '',
      alias: row.alias ?? '',
      source: wordAt(recordSources, row.source ?? 0),
    }),
  }
}

/** Reads the names for these rows. A name is empty if its row no longer exists. */
export async function readNames(db: Db, records: readonly RecordRow[]): Promise<RecordNames> {
  const found = new Map<string, NameRow>()
  if (records.length > 0) for (const row of await fetch(db, records)) found.set(`${row.kind} ${row.id}`, row)
  return {
    number: (id) => {
      const row = found.get(`number ${id}`)
      return { digits: row?.name ?? '', description: row?.more ?? '' }
    },
    client: (id) => found.get(`client ${id}`)?.name ?? '',
    range: (id) => found.get(`range ${id}`)?.name ?? '',
    gateway: (id) => {
      const row = found.get(`gateway ${id}`)
      return {
        name: row?.name ?? '',
        alias: row?.alias ?? '',
        source: wordAt(recordSources, Number(row?.more ?? 0)),
      }
    },
  }
}

function fetch(db: Db, records: readonly RecordRow[]): Promise<NameRow[]> {
  const ids = (pick: (row: RecordRow) => number | null): (number | null)[] => [...new Set(records.map(pick))]
  return prepared<NameRow>(db, 'names-of-records', namesText, [
    ids((row) => row.number_id),
    ids((row) => row.client_id),
    ids((row) => row.range_id),
    ids((row) => row.gateway_id),
  ])
}

// Prepared, since each page of the live feed needs it.
const namesText = `
  select 'number' as kind, id, number as name, description as more, null as alias from numbers where id = any($1::int[])
  union all select 'client', id, username, '', null from users where id = any($2::int[])
  union all select 'range', id, range_number, '', null from ranges where id = any($3::int[])
  union all select 'gateway', id, name, source::text, alias from gateways where id = any($4::int[])`
