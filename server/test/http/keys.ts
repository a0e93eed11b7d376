// The whole API on a socket for programs: a client with numbers and records, and keys that are what they say.
import { afterAll } from 'vitest'
import { keyScopes, roles } from '@tollgate/contract/vocabulary.ts'
import { Answers, makeBusiness, makeIngest, messageTo } from '../../src/ingest/testing/traffic.ts'
import { composeOn, serve } from '../environment/slices.ts'
import { openTestDatabase } from '../environment/database.ts'

/**
 * Serves until the test file ends. A key such as `user,records:read` is client 1's with this role and these scopes; the key
 * `session` stands for an admin who signed in just now.
 */
export async function openTestKeys() {
  const database = await openTestDatabase({ user: 'tollgate_app' })
  const { db } = database
  const numbers = await makeBusiness(db, { clients: 2, numbers: 3 })
  const slices = await composeOn(database)
  const ingest = await makeIngest(db, { secrets: slices.secrets })
  const baseUrl = await serve(slices, async ({ key = '' }) => {
    const person = { userId: 1, username: 'client1' }
    if (key === 'session') return { ...person, role: 'admin', authenticatedAt: new Date() }
    const role = roles.find((each) => key.startsWith(`${each},`))
    return role && { ...person, role, keyId: 'k', scopes: keyScopes.filter((scope) => key.includes(scope)) }
  })
  afterAll(() => ingest.stop())
  return {
    db,
    baseUrl,
    routes: slices.routes,
    /** Calls with a key, or as the person `session`. */
    ask: (key: string, method: string, path: string, body?: unknown): Promise<Response> =>
      fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    /** Has so many messages to a number of this client stored; gives their ids. */
    receive: async (count: number, client: 1 | 2 = 1): Promise<string[]> => {
      const answers = new Answers()
      for (let at = 0; at < count; at += 1)
        ingest.accept(messageTo(numbers[client === 1 ? 1 : 0] ?? '', answers))
      await answers.until(count)
      return [...answers.committedIds.keys()]
    },
  }
}
