// Passkeys: the calls to server and browser, and readable errors. Loaded on demand.
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { secondFactorRoutes, type Passkey } from '@tollgate/contract/users/second-factor.ts'
import { usersRoutes, type SignedInUser } from '@tollgate/contract/users/users.ts'
import { call } from '../../api/call.ts'
import { t } from '../../language/t.ts'

const library = () => import('@simplewebauthn/browser')

const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: t(
    'No passkey was used: it was cancelled, took too long, or this device has none for this site.',
  ),
  AbortError: t('No passkey was used: it was cancelled.'),
  InvalidStateError: t('This device has a passkey of your account already.'),
  SecurityError: t('Passkeys do not work at this address of the console.'),
  NotSupportedError: t('This device cannot make passkeys of the kind that is needed.'),
}

/** The browser's errors have a name for each kind, and messages for developers. */
async function withReadableError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = error instanceof Error ? reasons[error.name] : undefined
    throw reason === undefined ? error : new Error(reason, { cause: error })
  }
}

type PasskeyOptions = RouteAnswer<typeof secondFactorRoutes.startPasskeyLogin>

async function assertionFor(options: PasskeyOptions) {
  const { startAuthentication } = await library()
  const { id, response } = await withReadableError(() => startAuthentication({ optionsJSON: options }))
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response
  return { id, clientDataJSON, authenticatorData, signature, userHandle }
}

/** Signs in with a passkey that the person picks. */
export async function signInWithPasskey(): Promise<SignedInUser> {
  const body = await assertionFor(await call(secondFactorRoutes.startPasskeyLogin))
  return call(secondFactorRoutes.loginWithPasskey, { body })
}

/** Reauthenticates with a passkey of the signed-in person. */
export async function reauthenticateWithPasskey(): Promise<void> {
  const passkey = await assertionFor(await call(secondFactorRoutes.startPasskeyConfirmation))
  await call(usersRoutes.reauthenticate, { body: { passkey } })
}

/** Creates a passkey on a device that the person picks. */
export async function addPasskey(
  name: string,
): Promise<{ passkey: Passkey; recoveryCodes: readonly string[] }> {
  const options = await call(secondFactorRoutes.startPasskey)
  const { startRegistration } = await library()
  const { id, response } = await withReadableError(() => startRegistration({ optionsJSON: options }))
  const { clientDataJSON, attestationObject, transports = [] } = response
  const body = { name, id, clientDataJSON, attestationObject, transports }
  return call(secondFactorRoutes.addPasskey, { body })
}
