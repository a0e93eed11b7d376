// The address that passkeys are made for. A browser binds each passkey to a domain, so that no other site can use it.
import { isIP } from 'node:net'
import { Refusal } from '@tollgate/contract/errors.ts'

/** Source: WebAuthn Level 3, 5.1.2: the RP ID is a domain, never an IP address. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/**
 * The relying party of a call: PUBLIC_URL, or without one the Host header if it is localhost; any other Host cannot be
 * trusted. Undefined where browsers allow no passkeys: an IP address, or plain http on other hosts.
 */
export function relyingPartyOf(
  publicUrl: URL | undefined,
  host: string | undefined,
): RelyingParty | undefined {
  const url = publicUrl ?? (URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined)
  if (url === undefined || isIP(url.hostname.replaceAll(/^\[|\]$/g, '')) !== 0) return undefined
  const isOwnMachine = url.hostname === 'localhost' || url.hostname.endsWith('.localhost')
  const isFit = isOwnMachine || (publicUrl !== undefined && url.protocol === 'https:')
  return isFit ? { id: url.hostname, origin: url.origin } : undefined
}

/** Throws Refusal wrong_state where passkeys cannot be used. */
export function requireRelyingParty(party: RelyingParty | undefined): RelyingParty {
  if (party !== undefined) return party
  throw new Refusal(
    'wrong_state',
    'Passkeys need a host name with https, or localhost. Set PUBLIC_URL, or open the console as localhost.',
  )
}
