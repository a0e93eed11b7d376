import { Refusal } from '@tollgate/contract/errors.ts'
import { userChangesRoutes } from '@tollgate/contract/numbers/bulk-changes.ts'
import { smppProfileRoutes } from '@tollgate/contract/users/smpp-profile.ts'
import { userKeysRoutes } from '@tollgate/contract/users/user-keys.ts'
import { usersRoutes, type SignedInUser, type User } from '@tollgate/contract/users/users.ts'
import type { Db } from '../platform/db.ts'
import { changeMatching, undoChange, type BulkKind } from '../http/lists/bulk-changes.ts'
import { bindRoutes, OnceReply, type Actor, type BoundRoutes, type Handlers } from '../http/handlers.ts'
import { editAccount, type EditParts } from './administration/edit-account.ts'
import { matchingUserStatus, setStatusOfChosen, userStatusKind } from './administration/statuses.ts'
import { createForOther, signUp, type RegisterParts } from './sign-up/register.ts'
import { isStaff } from './accounts/rules.ts'
import { exportUsers, hasHeldNumbers, listUsers, summariseUsers, viewUser } from './accounts/views.ts'
import { createKey, listKeys, listKeysOf, withdrawKey, withdrawKeyOf } from './keys/api-keys.ts'
import { reauthenticate } from './sign-in/prove.ts'
import { partyOf } from './factors/routes.ts'
import { findPerson, originOf, sendNewId } from './login/session-life.ts'
import { signIn, signOut, type SignInParts } from './sign-in/sign-in.ts'
import { changePassword } from './recovery/change-password.ts'
import { editProfile, showProfile } from './smpp/profile.ts'
import type { BindSettings } from './smpp/bind-details.ts'
import { findSystemId, renewCredentials, showCredentials } from './smpp/show-credentials.ts'

export interface RouteParts extends RegisterParts, EditParts, SignInParts, BindSettings {
  /** PUBLIC_URL, the address that passkeys are bound to. */
  readonly publicUrl: URL | undefined
}

export function bindUsersRoutes(parts: RouteParts): BoundRoutes {
  const { db, clock } = parts
  return bindRoutes(usersRoutes, {
    async currentUser(_, call) {
      await sendNewId(db, clock, call)
      return { ...(await shownToSelf(db, call.actor.userId)), ...restrictionOf(call.actor) }
    },
    async login({ body }, call) {
      refuseProgram(call.actor)
      const { userId, cookie } = await signIn(parts, body, originOf(call), call.actor?.sessionId)
      call.setSessionCookie(cookie)
      return showSignedIn(parts, userId, cookie)
    },
    getRegistration: async () => ({ mode: await parts.registration.get(db) }),
    ...registerHandler(parts),
    async logout(_, call) {
      refuseProgram(call.actor)
      if (call.actor !== undefined) await signOut(parts, call.actor, call.ip)
      call.setSessionCookie(undefined)
    },
    async changePassword({ body }, call) {
      const { actor, ip } = call
      await changePassword(parts, actor, ip, body)
      await sendNewId(db, clock, call)
    },
    async reauthenticate({ body }, call) {
      await reauthenticate(parts, body, partyOf(parts, call), call)
      await sendNewId(db, clock, call)
    },
    ...listHandlers(db),
    bulkSetUserStatus: ({ body }, { actor, ip }) => setStatusOfChosen(parts, body, { actor, ip }),
    getUser: ({ params }) => shown(db, params.id),
    async editUser({ params, body }, { actor, ip }) {
      await editAccount(parts, params.id, body, actor, ip)
      return shown(db, params.id)
    },
    async setUserRole({ params, body }, { actor, ip }) {
      await editAccount(parts, params.id, body, actor, ip)
      return shown(db, params.id)
    },
    async setSmppAccess({ params, body }, { actor, ip }) {
      await editAccount(parts, params.id, body, actor, ip)
      return shown(db, params.id)
    },
    async setUserStatus({ params, body }, { actor, ip }) {
      await editAccount(parts, params.id, body, actor, ip)
      return shown(db, params.id)
    },
    ...smppHandlers(parts),
    listKeys: (_, { actor }) => listKeys(db, actor.userId),
    createKey: ({ body }, { actor, ip, once }) =>
      once(parts.db, (tx) => createKey({ ...parts, db: tx }, body, actor, ip)),
    deleteKey: ({ params }, { actor, ip }) => withdrawKey(parts, params.id, actor, ip),
  })
}

/** Binds what staff see and withdraw of the API keys of others. */
export function bindUserKeysRoutes(parts: RouteParts): BoundRoutes {
  return bindRoutes(userKeysRoutes, {
    listUserKeys: ({ params }, { actor }) => listKeysOf(parts, params.id, actor),
    withdrawUserKey: ({ params }, { actor, ip }) => withdrawKeyOf(parts, params, { actor, ip }),
  })
}

/** Binds the acts on all accounts that a filter matches, and their undoing. */
export function bindUserChangesRoutes(parts: RouteParts): BoundRoutes {
  const kinds = [userStatusKind(parts) as BulkKind<unknown>]
  return bindRoutes(userChangesRoutes, {
    setMatchingUserStatus: ({ body }, { actor, ip }) =>
      changeMatching(parts, matchingUserStatus(parts, body, actor), { actor, ip }),
    undoUsersChange: ({ params }, { actor, ip }) => undoChange(parts, kinds, params.id, { actor, ip }),
  })
}

/** Binds the routes of the profile that limits an account's SMPP sessions. */
export function bindSmppProfileRoutes(parts: RouteParts): BoundRoutes {
  return bindRoutes(smppProfileRoutes, {
    getSmppProfile: ({ params }, { actor }) => showProfile(parts.db, params.id, actor),
    editSmppProfile: ({ params, body }, { actor, ip }) => editProfile(parts, params.id, body, actor, ip),
  })
}

function registerHandler(parts: RouteParts): Handlers<Pick<typeof usersRoutes, 'register'>> {
  const { db } = parts
  return {
    async register({ body }, call) {
      refuseProgram(call.actor)
      const { actor, ip, once } = call
      const input = { ...body, username: body.username.normalize('NFC') }
      if (actor !== undefined && isStaff(actor.role))
        return createForOther(parts, input, { actor, ip }, (store) =>
          once(db, async (tx) => {
            const { userId, invitation } = await store(tx)
            return { ...(await shown(tx, userId)), ...(invitation && { invitation }) }
          }),
        )
      const { userId, cookie } = await signUp(parts, input, actor?.sessionId, originOf(call))
      if (cookie !== undefined) call.setSessionCookie(cookie)
      return new OnceReply(await shown(db, userId))
    },
  }
}

type ListRoutes = Pick<
  typeof usersRoutes,
  'listUsers' | 'summariseUsers' | 'exportUsers' | 'exportChosenUsers'
>

function listHandlers(db: Db): Handlers<ListRoutes> {
  return {
    listUsers: ({ query }) => listUsers(db, query),
    summariseUsers: ({ query }) => summariseUsers(db, query),
    exportUsers: async ({ query }) => exportUsers(db, query),
    exportChosenUsers: async ({ body }) => exportUsers(db, body),
  }
}

type SmppRoutes = Pick<typeof usersRoutes, 'getBindDetails' | 'getSmppCredentials' | 'renewSmppCredentials'>

function smppHandlers(parts: RouteParts): Handlers<SmppRoutes> {
  const { db, smppAddress, testNumber } = parts
  return {
    async getBindDetails({ params }, { actor }) {
      const systemId = await findSystemId(parts, params.id, actor)
      return { systemId, ...(await smppAddress(db)), testNumber: await testNumber(db) }
    },
    async getSmppCredentials({ params }, { actor, ip }) {
      return { ...(await showCredentials(parts, params.id, actor, ip)), ...(await smppAddress(db)) }
    },
    renewSmppCredentials: ({ params }, { actor, ip, once }) =>
      once(db, async (tx) => ({
        ...(await renewCredentials({ ...parts, db: tx }, params.id, actor, ip)),
        ...(await smppAddress(tx)),
      })),
  }
}

/** The person whom a new cookie signs in, with the restriction of the session. */
export async function showSignedIn(
  { db, clock }: Pick<SignInParts, 'db' | 'clock'>,
  userId: number,
  cookie: string,
): Promise<SignedInUser> {
  return { ...(await shownToSelf(db, userId)), ...restrictionOf(await findPerson(db, clock, cookie)) }
}

async function shown(db: Db, userId: number): Promise<User> {
  const user = await viewUser(db, userId)
  if (user === undefined) throw new Refusal('not_found', 'There is no such account.')
  return user
}

async function shownToSelf(db: Db, userId: number): Promise<SignedInUser> {
  const user = await shown(db, userId)
  const maySupply = user.role === 'user' && user.smppAccess
  return maySupply && !(await hasHeldNumbers(db, userId)) ? { ...user, isSupplier: true } : user
}

/** The restriction of a session for the console. */
function restrictionOf(actor: Actor | undefined): Pick<SignedInUser, 'restriction'> {
  return actor?.restriction === undefined ? {} : { restriction: actor.restriction }
}

/** An API key opens only what its scopes name; calls without a permission are for people. */
function refuseProgram(actor: Actor | undefined): void {
  if (actor?.scopes !== undefined) throw new Refusal('forbidden', 'This API key may not make this call.')
}
