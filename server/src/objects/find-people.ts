import { sql } from 'kysely'
import type { Found } from '@tollgate/contract/objects/objects.ts'
import { isPermitted, type AccountStatus, type Role } from '@tollgate/contract/vocabulary.ts'
import { rows } from '../platform/db.ts'
import { prefixPattern, textContains } from '../http/lists/search-pattern.ts'
import { foundOf, type SearchQuery } from './finder.ts'

interface PersonRow {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly role: Role
  readonly status: AccountStatus
  readonly system_id: string | null
}

const personText = sql`person_search_text(u.username, u.email, u.first_name, u.last_name)`

/** People by username, name, email or system_id, also a former one; for staff. The exact username comes first. */
export async function findPeople({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  if (!isPermitted(actor.role, 'userManagement')) return []
  const found = await rows<PersonRow>(
    db,
    sql`with known as (
          (select u.id from users u where ${textContains(personText, sql`u.id`, text)}
           order by lower(u.username) = lower(${text}) desc, u.id limit ${max})
          union
          (select c.user_id from smpp_credentials c where lower(c.system_id) like ${prefixPattern(text)} limit ${max})
          union
          select f.user_id from smpp_credentials f where ${text} = any(f.former_system_ids)
        )
        select u.id, u.username, trim(u.first_name || ' ' || u.last_name) as name, u.role, u.status, c.system_id
        from known k join users u on u.id = k.id left join smpp_credentials c on c.user_id = u.id
        order by lower(u.username) = lower(${text}) desc, lower(coalesce(c.system_id, '')) = lower(${text}) desc,
          u.username limit ${max}`,
  )
  return found.map(({ id, username, name, role, status, system_id }) =>
    foundOf({
      kind: 'person',
      id: String(id),
      title: username,
      detail: [
        name,
        role,
        ...(status === 'active' ? [] : [status]),
        system_id ? `system ID ${system_id}` : '',
      ]
        .filter((part) => part !== '')
        .join(' · '),
    }),
  )
}
