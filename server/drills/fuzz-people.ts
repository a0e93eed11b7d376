// The accounts that send invalid bodies. A body may suspend them, sign them out or change their role; then the account is
// restored directly in the database.
import pg from 'pg'
import { benchPassword, type Call } from '../test/http/operator.ts'

interface FuzzPerson {
  readonly id: number
  readonly username: string
  cookie: string
  /** The restore in progress, so that it is done once. */
  restoring: Promise<void> | undefined
}

export interface People {
  /** The next account in turn: each may make 100 calls a second. */
  next(): FuzzPerson
  /** Restores the account as it was at first, and signs it in. */
  restore(person: FuzzPerson): Promise<void>
  close(): Promise<void>
}

const roles = [...Array.from({ length: 8 }, () => 'admin'), 'support', 'user']
// A refusal does not always mean that the account was changed.
const restoreEveryMs = 1_000

/** Makes the accounts by the first admin's `call`. */
export async function openPeople(
  url: string,
  database: { readonly host: string; readonly database: string },
  call: Call,
): Promise<People> {
  const pool = new pg.Pool({ ...database, user: 'postgres', max: 4 })
  // An idle connection fails when its database ends.
  pool.on('error', () => undefined)
  const people: FuzzPerson[] = []
  for (const [at, role] of roles.entries()) {
    const username = `fuzz${role}${at}`
    const { id } = (await call('POST', '/api/register', {
      username,
      password: benchPassword,
      email: `${username}@example.org`,
      firstName: 'F',
      lastName: 'F',
      role,
    })) as { id: number }
    people.push({ id, username, cookie: '', restoring: undefined })
  }
  await pool.query('create table drill_users as select * from users')
  const { rows: columns } = await pool.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = 'users'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
       and attname <> 'id'`,
  )
  const list = columns.map(({ name }) => name).join(', ')
  const restoreSql = `update users u set (${list}) = (select ${list} from drill_users d where d.id = u.id) where u.id = $1`
  const signIn = async (person: FuzzPerson) => {
    await pool.query(restoreSql, [person.id])
    // Invalid bodies to the sign-in count as failures, which must not block these accounts.
    await pool.query('delete from rate_uses')
    const answer = await fetch(`${url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ username: person.username, password: benchPassword }),
    })
    if (!answer.ok) throw new Error(`${person.username} cannot sign in: ${await answer.text()}`)
    person.cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }
  const isWell = async ({ id, cookie }: FuzzPerson) => {
    const { rows: found } = await pool.query<{ same: boolean }>(
      `select (u.role, u.status) = (d.role, d.status) as same from users u join drill_users d using (id) where id = $1`,
      [id],
    )
    return found[0]?.same === true && (await fetch(`${url}/api/user`, { headers: { cookie } })).ok
  }
  const restoredAtMs = new Map<FuzzPerson, number>()
  for (const person of people) await signIn(person)
  let turn = 0
  return {
    next() {
      turn += 1
      return people[turn % people.length] as FuzzPerson
    },
    restore(person) {
      const nowMs = performance.now()
      if (nowMs - (restoredAtMs.get(person) ?? 0) < restoreEveryMs)
        return person.restoring ?? Promise.resolve()
      restoredAtMs.set(person, nowMs)
      person.restoring = (async () => {
        if (!(await isWell(person))) await signIn(person)
      })().finally(() => (person.restoring = undefined))
      return person.restoring
    },
    close: () => pool.end(),
  }
}
