import { secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import type { SignedInUser } from '@tollgate/contract/users/users.ts'
import { bindRoutes, type BoundRoutes, type Handlers } from '../../http/handlers.ts'
import { newChallenge, requestOptions } from '../factors/passkeys.ts'
import { requireRelyingParty } from '../factors/relying-party.ts'
import { factorHandlers, partyOf, type FactorRouteParts, type PasskeyProofRoutes } from '../factors/routes.ts'
import { originOf } from '../login/session-life.ts'
import { signInWithPasskey } from './prove.ts'
import type { SignInParts } from './sign-in.ts'

export interface FactorAndPasskeyParts extends FactorRouteParts, SignInParts {
  /** The person behind a new cookie, for the console. */
  readonly showSignedIn: (userId: number, cookie: string) => Promise<SignedInUser>
}

/** Binds the routes of second factors, and of signing in with one of them, a passkey. */
export function bindFactorRoutes(parts: FactorAndPasskeyParts): BoundRoutes {
  return bindRoutes(secondFactorRoutes, { ...factorHandlers(parts), ...passkeyProofHandlers(parts) })
}

function passkeyProofHandlers(parts: FactorAndPasskeyParts): Handlers<PasskeyProofRoutes> {
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
