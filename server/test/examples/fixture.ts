// What must be there for the example of a call, as a table by the names of the calls.
import { idFrom } from '../environment/database.ts'
import type { ExamplesEnvironment } from './environment.ts'

/** What replaces the example's: who calls, the ids in its path and query, and fields of its body. */
export interface Fixture {
  readonly who?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

export type Fixtures = Readonly<Record<string, () => Promise<Fixture>>>

export const client = '1,user'
export const [support, secondSupport] = ['4,support', '5,support']
export const [admin, secondAdmin] = ['6,admin', '7,admin']
export const reason = 'Agreed with the client by telephone'

let made = 0
/** Tells apart what is made. */
export const next = () => (made += 1)

export const withId = (id: string | number): Fixture => ({ params: { id: String(id) } })

/** The same fixture for several calls. */
export const each = (names: readonly string[], fixture: () => Promise<Fixture>): Fixtures =>
  Object.fromEntries(names.map((name) => [name, fixture]))

/** A new account. */
export async function person(
  { db }: ExamplesEnvironment,
  role: 'user' | 'admin' = 'user',
): Promise<{ readonly id: number }> {
  const username = `person${next()}`
  const id = await idFrom(db)`insert into users (username, email, first_name, last_name, password_hash,
        role)
      values (${username}, ${`${username}@example.org`}, 'A', 'B', 'x', ${role}) returning id`
  return { id: Number(id) }
}
