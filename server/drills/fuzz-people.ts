// The people in whose names wrong bodies are sent. What they send may suspend them, sign them out or take their rights;
// then they are made again what they were, straight in the database.
import pg from 'pg'
import { benchPassword, type Call } from '../bench/operator.ts'

interface FuzzPerson {
  readonly id: number
  readonly username: string
  cookie: string
  /** Under way, so that it is done once. */
  restoring: Promise<void> | undefined
}

export interface People {
  /** In turns: each may make 100 calls a second. */
  next(): FuzzPerson
  /** Makes the person again what it was at first, and signs it in. */
  restore(person: FuzzPerson): Promise<void>
  close(): Promise<void>
}

const roles = [...Array.from({ length: 8 }, () => 'admin'), 'support', 'user']
// A refusal by rights says nothing of the person.
const restoreEveryMs = 1_000

/** Makes them by the first admin's `call`. */
export async function openPeople(
  url: string,
  database: { readonly host: string; readonly database: string },
  call: Call,
): Promise<People> {
  const pool = new pg.Pool({ ...database, user: 'postgres', max: 4 })
  // A connection that rests ends with its database.
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
    // Wrong bodies to the sign-in count as guesses, and these people are to go on.
    await pool.query('delete from login_failures')
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
