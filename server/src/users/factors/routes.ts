import type { secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import type { CallContext, Handlers } from '../../http/handlers.ts'
import { sendNewId } from '../login/session-life.ts'
import type { OwnFactorParts } from './factor-changes.ts'
import { confirmApp, removeApp, renewRecoveryCodes, startApp, viewFactors } from './own-factors.ts'
import { addPasskey, removePasskey, renamePasskey, startPasskey } from './own-passkeys.ts'
import { relyingPartyOf, requireRelyingParty, type RelyingParty } from './relying-party.ts'
import { listResets, resetFactors, withdrawReset } from './reset-factors.ts'

export interface FactorRouteParts extends OwnFactorParts {
  /** PUBLIC_URL, the address that passkeys are bound to. */
  readonly publicUrl: URL | undefined
}

/** The relying party of a call; undefined where passkeys cannot be used. */
export function partyOf(
  { publicUrl }: Pick<FactorRouteParts, 'publicUrl'>,
  { header }: Pick<CallContext, 'header'>,
): RelyingParty | undefined {
  return relyingPartyOf(publicUrl, header('host'))
}

/** The routes that prove a passkey: `sign-in` handles them. */
export type PasskeyProofRoutes = Pick<
  typeof secondFactorRoutes,
  'startPasskeyLogin' | 'loginWithPasskey' | 'startPasskeyConfirmation'
>

/** Handlers of the calls that show and change factors. */
export function factorHandlers(
  parts: FactorRouteParts,
): Handlers<Omit<typeof secondFactorRoutes, keyof PasskeyProofRoutes>> {
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
    removeTotp: (_, by) => removeApp(parts, by),
    startPasskey: (_, call) => startPasskey(parts, requireRelyingParty(partyOf(parts, call)), call),
    async addPasskey({ body }, call) {
      const made = await addPasskey(parts, requireRelyingParty(partyOf(parts, call)), body, call)
      await sendNewId(parts.db, parts.clock, call)
      return made
    },
    renamePasskey: ({ params, body }, by) => renamePasskey(parts, params.id, body.name, by),
    removePasskey: ({ params }, by) => removePasskey(parts, params.id, by),
    async renewRecoveryCodes(_, by) {
      return { recoveryCodes: await renewRecoveryCodes(parts, by) }
    },
    listFactorResets: () => listResets(parts),
    async removeSecondFactorOf({ params }, by) {
      return { outcome: await resetFactors(parts, params.id, by) }
    },
    withdrawFactorReset: ({ params }, by) => withdrawReset(parts, params.id, by),
  }
}
