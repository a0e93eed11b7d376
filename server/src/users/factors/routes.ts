import { secondFactorRoutes } from '@tollgate/contract/second-factor.ts'
import type { SignedInUser } from '@tollgate/contract/users.ts'
import {
  bindRoutes,
  type BoundRoutes,
  type CallContext,
  type Handlers,
} from '../../platform/http/handlers.ts'
import { originOf, sendNewId } from '../login/login-sessions.ts'
import type { LoginParts } from '../login/sign-in.ts'
import type { OwnFactorParts } from './factor-changes.ts'
import { confirmApp, removeApp, renewRecoveryCodes, startApp, viewFactors } from './own-factors.ts'
import { addPasskey, removePasskey, renamePasskey, startPasskey } from './own-passkeys.ts'
import { newChallenge, requestOptions } from './passkeys.ts'
import { signInWithPasskey } from './prove.ts'
import { relyingPartyOf, requireRelyingParty, type RelyingParty } from './relying-party.ts'
import { listResets, resetFactors, withdrawReset } from './reset-factors.ts'

export interface FactorRouteParts extends OwnFactorParts, LoginParts {
  /** PUBLIC_URL, the address that passkeys are bound to. */
  readonly publicUrl: URL | undefined
  /** The person behind a new cookie, for the console. */
  readonly showSignedIn: (userId: number, cookie: string) => Promise<SignedInUser>
}

/** The relying party of a call; undefined where passkeys cannot be used. */
export function partyOf(
  { publicUrl }: Pick<FactorRouteParts, 'publicUrl'>,
  { header }: Pick<CallContext, 'header'>,
): RelyingParty | undefined {
  return relyingPartyOf(publicUrl, header('host'))
}

export function bindFactorRoutes(parts: FactorRouteParts): BoundRoutes {
  return bindRoutes(secondFactorRoutes, {
    ...passkeyLoginHandlers(parts),
    ...ownHandlers(parts),
    listFactorResets: () => listResets(parts),
    async removeSecondFactorOf({ params }, by) {
      return { outcome: await resetFactors(parts, params.id, by) }
    },
    async withdrawFactorReset({ params }, by) {
      await withdrawReset(parts, params.id, by)
      return {}
    },
  })
}

type LoginRoutes = Pick<
  typeof secondFactorRoutes,
  'startPasskeyLogin' | 'loginWithPasskey' | 'startPasskeyConfirmation'
>

function passkeyLoginHandlers(parts: FactorRouteParts): Handlers<LoginRoutes> {
  return {
    async startPasskeyLogin(_, call) {
      const party = requireRelyingParty(partyOf(parts, call))
      return requestOptions(party, await newChallenge(parts, 'sign_in', call.ip))
    },
    async loginWithPasskey({ body }, call) {
      const party = requireRelyingParty(partyOf(parts, call))
      const { userId, cookie } = await signInWithPasskey(
        parts,
        party,
        body,
        originOf(call),
        call.actor?.sessionId,
      )
      call.setSessionCookie(cookie)
      return parts.showSignedIn(userId, cookie)
    },
    async startPasskeyConfirmation(_, call) {
      const party = requireRelyingParty(partyOf(parts, call))
      const { userId } = call.actor
      return requestOptions(party, await newChallenge(parts, 'confirm', call.ip, { userId }))
    },
  }
}

type OwnRoutes = Omit<
  typeof secondFactorRoutes,
  keyof LoginRoutes | 'listFactorResets' | 'removeSecondFactorOf' | 'withdrawFactorReset'
>

function ownHandlers(parts: FactorRouteParts): Handlers<OwnRoutes> {
  return {
    async getSecondFactor(_, call) {
      return {
        ...(await viewFactors(parts, call.actor)),
        hasPasskeyAddress: partyOf(parts, call) !== undefined,
      }
    },
    startTotp: (_, by) => startApp(parts, by),
    async confirmTotp({ body }, call) {
      const recoveryCodes = await confirmApp(parts, body.code, call)
      await sendNewId(parts.db, parts.clock, call)
      return { recoveryCodes }
    },
    async removeTotp(_, by) {
      await removeApp(parts, by)
      return {}
    },
    startPasskey: (_, call) => startPasskey(parts, requireRelyingParty(partyOf(parts, call)), call),
    async addPasskey({ body }, call) {
      const made = await addPasskey(parts, requireRelyingParty(partyOf(parts, call)), body, call)
      await sendNewId(parts.db, parts.clock, call)
      return made
    },
    renamePasskey: ({ params, body }, by) => renamePasskey(parts, params.id, body.name, by),
    async removePasskey({ params }, by) {
      await removePasskey(parts, params.id, by)
      return {}
    },
    async renewRecoveryCodes(_, by) {
      return { recoveryCodes: await renewRecoveryCodes(parts, by) }
    },
  }
}
