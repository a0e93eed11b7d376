// Ranges, and the links that bring traffic or take events.
import { sql } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import type { Found } from '@tollgate/contract/objects/objects.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { rows } from '../platform/db.ts'
import { containsPattern, textContains } from '../http/lists/search-pattern.ts'
import { foundOf, type SearchQuery } from './finder.ts'

const rangeText = sql`range_search_text(range_number, description, start_number, end_number)`

/** Ranges by name, description or the digits of their ends. */
export async function findRanges({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  if (!isPermitted(actor.role, 'ranges')) return []
  const found = await rows<{ id: number; name: string; from: string; to: string }>(
    db,
    sql`select id, range_number as name, start_number as from, end_number as to from ranges
        where deleted_at is null and ${textContains(rangeText, sql`id`, searchedDigits(text) ?? text)}
        order by lower(range_number) = lower(${text}) desc, id limit ${max}`,
  )
  return found.map(({ id, name, from, to }) =>
    foundOf({ kind: 'range', id: String(id), title: name, detail: `+${from} to +${to}` }),
  )
}

/** Connections by name, host or system_id. An operator has some dozens, so they are read through. */
export async function findConnections({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  if (!isPermitted(actor.role, 'interconnectionApi')) return []
  const pattern = containsPattern(text)
  const found = await rows<{ id: number; name: string; host: string; port: number; systemId: string }>(
    db,
    sql`select id, name, host, port, system_id as "systemId" from smpp_connections
        where name ilike ${pattern} or host ilike ${pattern} or system_id ilike ${pattern}
        order by lower(name) = lower(${text}) desc, name limit ${max}`,
  )
  return found.map(({ id, name, host, port, systemId }) =>
    foundOf({
      kind: 'connection',
      id: String(id),
      title: name,
      detail: `${host}:${port} · system ID ${systemId}`,
    }),
  )
}

/** Providers by name or address. */
export async function findProviders({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  if (!isPermitted(actor.role, 'httpProviders')) return []
  const pattern = containsPattern(text)
  const found = await rows<{ id: string; name: string; url: string }>(
    db,
    sql`select coalesce(slug, id::text) as id, name, api_url as url from providers
        where deleted_at is null and (name ilike ${pattern} or api_url ilike ${pattern})
        order by lower(name) = lower(${text}) desc, name limit ${max}`,
  )
  return found.map(({ id, name, url }) =>
    // Only the host: an address may contain a key.
    foundOf({ kind: 'provider', id, title: name, detail: URL.parse(url)?.host ?? '' }),
  )
}

/** Endpoints by name or address; a client's own. Nobody has so many that they could not be read through. */
export async function findEndpoints({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  const isStaff = isPermitted(actor.role, 'interconnectionApi')
  if (!isStaff && !isPermitted(actor.role, 'ownEndpoints')) return []
  const pattern = containsPattern(text)
  const found = await rows<{ id: number; name: string; url: string; client: string }>(
    db,
    sql`select e.id, e.name, e.url, ${isStaff ? sql`coalesce(u.username, '')` : sql`''`} as client
        from endpoints e left join users u on u.id = e.user_id
        where (e.name ilike ${pattern} or e.url ilike ${pattern})
          and ${isStaff ? sql`true` : sql`e.user_id = ${actor.userId}`}
        order by lower(e.name) = lower(${text}) desc, e.name, e.id limit ${max}`,
  )
  return found.map(({ id, name, url, client }) =>
    foundOf({
      kind: 'endpoint',
      id: String(id),
      title: name,
      // Only the host: an address may contain a key.
      detail: [URL.parse(url)?.host ?? '', client].filter((part) => part !== '').join(' · '),
    }),
  )
}
