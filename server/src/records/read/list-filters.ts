// The options of the filter bar: ranges, clients and gateways from stored data that the viewer may see.
import { sql } from 'kysely'
import { countryOf } from '../../numbers/index.ts'
import { rows, type Db } from '../../platform/db.ts'
import { countedByDay } from '../query/counters.ts'
import { clientsWithoutReceiver } from './no-receiver.ts'
import { ownerScope, type Viewer } from './viewer.ts'

export interface FilterOptions {
  readonly ranges: string[]
  readonly clients: string[]
  readonly gateways: string[]
  readonly countries: string[]
  readonly withoutReceiver: string[]
}

/**
 * Staff can choose everything; a client only the ranges of numbers it holds or held, the gateways of its records, and
 * itself.
 */
export async function listFilterOptions(db: Db, viewer: Viewer): Promise<FilterOptions> {
  const owner = ownerScope(viewer)
  const [withoutReceiver, [ranges, clients, gateways]] = await Promise.all([
    clientsWithoutReceiver(db, owner),
    Promise.all(owner === undefined ? everything(db) : ownedBy(db, owner)),
  ])
  const starts = await namesOf(
    db,
    sql`select distinct start_number as name from ranges where range_number = any(${ranges ?? []}::text[])`,
  )
  const countries = [...new Set(starts.map(countryOf))].filter((country) => country !== '').toSorted()
  return {
    ranges: ranges ?? [],
    clients: clients ?? [],
    gateways: gateways ?? [],
    countries,
    withoutReceiver,
  }
}

type Query = ReturnType<typeof sql>

async function namesOf(db: Db, query: Query): Promise<string[]> {
  return (await rows<{ name: string }>(db, query)).map(({ name }) => name)
}

function everything(db: Db): Promise<string[]>[] {
  return [
    namesOf(db, sql`select distinct range_number as name from ranges where deleted_at is null order by 1`),
    // Who holds or held a number: not every account is a client.
    namesOf(
      db,
      sql`select username as name from users u
          where exists (select from number_holders h where h.user_id = u.id)
            or exists (select from record_cycle_counters c where c.client_id = u.id)
          order by lower(username)`,
    ),
    namesOf(db, sql`select distinct name from gateways order by 1`),
  ]
}

function ownedBy(db: Db, owner: number): Promise<string[]>[] {
  return [
    namesOf(
      db,
      sql`select distinct range_number as name from ranges where id in (
            select range_id from ${countedByDay({ clientIds: [owner] }, { by: ['range'] })} c
            union select r.id from number_holders h join numbers n on n.id = h.number_id
              join ranges r on n.number between r.start_number and r.end_number
                and length(n.number) = length(r.start_number)
              where h.user_id = ${owner}
          ) order by 1`,
    ),
    namesOf(db, sql`select username as name from users where id = ${owner}`),
    namesOf(
      db,
      sql`select distinct alias as name from gateways g where
            id in (select gateway_id from ${countedByDay({ clientIds: [owner] }, { by: ['gateway'] })} c)
          order by 1`,
    ),
  ]
}
