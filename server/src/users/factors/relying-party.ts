// For which address passkeys are made. A browser binds each to a domain, so that no other site can ask for it.
import { isIP } from 'node:net'
import { Refusal } from '@tollgate/contract/errors.ts'

/** Source: WebAuthn Level 3, 5.1.2: the RP ID is a domain, never an IP address. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/**
 * The relying party of a call: PUBLIC_URL's, or without one the Host that the call came to, where that is this machine by
 * name. Any other Host is the caller's word alone. Undefined where a browser would have no passkeys: an IP address, or plain http
 * beyond this machine.
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

/** Throws Refusal wrong_state where the address cannot have passkeys. */
export function requireRelyingParty(party: RelyingParty | undefined): RelyingParty {
  if (party !== undefined) return party
  throw new Refusal(
    'wrong_state',
    'Passkeys need a host name with https, or localhost. Set PUBLIC_URL, or open the console as localhost.',
  )
}
