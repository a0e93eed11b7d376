// Accounts, their sessions, links and second factors.
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { codeOf, stepAt } from '../../src/users/factors/totp.ts'
import { TestAuthenticator } from '../people/authenticator.ts'
import { fromBase32 } from '../people/base32.ts'
import { admin, client, each, next, person, secondAdmin, withId, type Fixtures } from './fixture.ts'
import type { ExamplesEnvironment } from './environment.ts'

const password = 'a long example password'

export const accountFixtures = (environment: ExamplesEnvironment): Fixtures => ({
  ...peoplePlants(environment),
  ...passwordPlants(environment),
  ...sessionPlants(environment),
  ...linkPlants(environment),
  ...appPlants(environment),
  ...passkeyPlants(environment),
})

function peoplePlants(environment: ExamplesEnvironment): Fixtures {
  const { done } = environment
  const withCredentials = async () => {
    await done(client, 'POST', '/api/users/1/smpp-credentials')
    return withId(1)
  }
  /** A filter that one account alone matches. */
  const alone = async () => {
    const { id } = await person(environment)
    const { username } = await done<{ username: string }>(admin, 'GET', `/api/users/${id}`)
    return { filter: { search: `${username}@example.org` }, count: 1 }
  }
  return {
    ...each(
      ['getSmppProfile', 'editSmppProfile', 'editUser', 'setUserRole', 'setSmppAccess', 'setUserStatus'],
      async () => withId((await person(environment)).id),
    ),
    ...each(['getBindDetails', 'getSmppCredentials', 'renewSmppCredentials'], withCredentials),
    bulkSetUserStatus: async () => ({ body: { ids: [(await person(environment)).id] } }),
    setMatchingUserStatus: async () => ({ body: await alone() }),
    undoUsersChange: async () => {
      const body = { ...(await alone()), status: 'inactive' }
      const made = await done<{ changeId: string }>(admin, 'POST', '/api/users/status/matching', body)
      return withId(made.changeId)
    },
    listUserKeys: async () => withId(1),
    withdrawUserKey: async () => {
      const { id } = await done<{ id: string }>(client, 'POST', '/api/keys', { scopes: ['records:read'] })
      return { params: { id: '1', keyId: id } }
    },
    deleteKey: async () => withId((await done(client, 'POST', '/api/keys', { scopes: ['records:read'] })).id),
  }
}

/** Of accounts whose password is the examples'. */
function passwordPlants({ done, ask }: ExamplesEnvironment): Fixtures {
  const registered = async () => {
    const username = `made${next()}`
    const email = `${username}@example.org`
    const body = { username, password, email, firstName: 'A', lastName: 'B', role: 'user' }
    await done(admin, 'POST', '/api/register', body)
    return username
  }
  const signedIn = async () => {
    const answer = await ask('', 'POST', '/api/login', { username: await registered(), password })
    return { who: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  }
  return {
    login: async () => ({ body: { username: await registered() } }),
    ...each(['changePassword', 'reauthenticate'], signedIn),
  }
}

function sessionPlants(environment: ExamplesEnvironment): Fixtures {
  const { db, clock, done } = environment
  const sessionOf = async (userId: number) => {
    const hash = createHash('sha256').update(randomBytes(8)).digest()
    await sql`insert into login_sessions (id_hash, user_id, ip, created_at, last_seen_at, authenticated_at)
      values (${hash}, ${userId}, '127.0.0.1', ${clock.now()}, ${clock.now()}, ${clock.now()})`.execute(db)
    const path = `/api/users/${userId}/sessions`
    return (await done<{ id: string }[]>(admin, 'GET', path))[0]?.id ?? ''
  }
  return {
    ...each(['listUserSessions', 'endUserSessions'], async () => withId((await person(environment)).id)),
    endSession: async () => {
      const { id } = await person(environment)
      return { who: `${id},user`, ...withId(await sessionOf(id)) }
    },
    endUserSession: async () => {
      const { id } = await person(environment)
      return { params: { id: String(id), sessionId: await sessionOf(id) } }
    },
  }
}

function linkPlants(environment: ExamplesEnvironment): Fixtures {
  const { done } = environment
  const linkOf = async (role: 'user' | 'admin') => {
    const { id } = await person(environment, role)
    const link = await done<{ id: number; path: string }>(admin, 'POST', `/api/users/${id}/reset-links`)
    return { id, link }
  }
  const token = async () => ({ body: { token: (await linkOf('user')).link.path.split('=')[1] } })
  return {
    ...each(['listResetLinks', 'createResetLink'], async () => withId((await person(environment)).id)),
    approveResetLink: async () => {
      const { id, link } = await linkOf('admin')
      return { who: secondAdmin, params: { id: String(id), linkId: String(link.id) } }
    },
    revokeResetLink: async () => {
      const { id, link } = await linkOf('user')
      return { params: { id: String(id), linkId: String(link.id) } }
    },
    ...each(['openResetLink', 'useResetLink'], token),
  }
}

function appPlants(environment: ExamplesEnvironment): Fixtures {
  const { clock, done } = environment
  const app = async (role: 'user' | 'admin' = 'user') => {
    const { id } = await person(environment, role)
    const who = `${id},${role}`
    const { secret } = await done<{ secret: string }>(who, 'POST', '/api/user/second-factor/totp')
    return { id, who, code: codeOf(fromBase32(secret), stepAt(clock.now())) }
  }
  const withApp = async (role: 'user' | 'admin' = 'user') => {
    const { id, who, code } = await app(role)
    await done(who, 'PUT', '/api/user/second-factor/totp', { code })
    return { id, who }
  }
  return {
    confirmTotp: async () => {
      const { who, code } = await app()
      return { who, body: { code } }
    },
    ...each(['removeTotp', 'renewRecoveryCodes'], async () => ({ who: (await withApp()).who })),
    removeSecondFactorOf: async () => withId((await withApp()).id),
    withdrawFactorReset: async () => {
      const { id } = await withApp('admin')
      await done(admin, 'DELETE', `/api/users/${id}/second-factor`)
      return withId(id)
    },
  }
}

function passkeyPlants(environment: ExamplesEnvironment): Fixtures {
  const { done } = environment
  const newPasskey = async () => {
    const who = `${(await person(environment)).id},user`
    const device = new TestAuthenticator()
    const path = '/api/user/second-factor/passkeys'
    const options = await done<Parameters<typeof device.create>[0]>(who, 'POST', `${path}/options`)
    return { who, device, path, body: { ...device.create(options), name: 'Phone' } }
  }
  const withPasskey = async () => {
    const { who, device, path, body } = await newPasskey()
    await done(who, 'POST', path, body)
    const { passkeys } = await done<{ passkeys: { id: string }[] }>(who, 'GET', '/api/user/second-factor')
    return { who, device, ...withId(passkeys[0]?.id ?? '') }
  }
  return {
    addPasskey: async () => {
      const { who, body } = await newPasskey()
      return { who, body }
    },
    ...each(['startPasskeyConfirmation', 'renamePasskey', 'removePasskey'], withPasskey),
    loginWithPasskey: async () => {
      const { device } = await withPasskey()
      const path = '/api/login/passkey/options'
      return { body: device.get(await done<Parameters<typeof device.get>[0]>('', 'POST', path)) }
    },
  }
}
