// Whom a client trusts over TLS, and why the certificate of a peer was not accepted. No setting accepts every certificate.
import { isIP } from 'node:net'
import tls, { type ConnectionOptions, type PeerCertificate, type TLSSocket } from 'node:tls'

/** Which certificate of a peer is accepted. */
export interface PeerTrust {
  /** Where the peer is connected to: a name or an address without brackets. */
  readonly host: string
  /** PEM of one or more certificates: only what they signed, or they themselves, is trusted. Null: what Node.js trusts. */
  readonly ca: string | null
  /** The name or address that the certificate must be for; null: the host. */
  readonly name: string | null
}

/** Options of a TLS client that accepts only such a certificate. The name is also asked for (SNI), unless it is an address. */
export function tlsOptions({ host, ca, name }: PeerTrust): ConnectionOptions {
  const expected = name ?? host
  // RFC 6066 §3: an address is no server name, and a name has no dot at its end.
  const asked = [expected, host].find((each) => isIP(each) === 0)?.replace(/\.$/, '')
  return {
    ...(asked !== undefined && { servername: asked }),
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(expected, certificate),
    // Without it only a root is trusted: the authority that a peer gives out is often one below its root.
    ...(ca !== null && { ca, allowPartialTrustChain: true }),
  }
}

/** Why the certificate of a peer was not accepted. */
export type CertificateFault =
  /** It is for others: `names` has at most {@link shownNamesMax} of them. */
  | { readonly kind: 'name'; readonly expected: string; readonly names: readonly string[] }
  /** It or an authority above it has ended. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'not-yet-valid' }
  /** Nobody who is trusted signed it. */
  | { readonly kind: 'authority' }

// A certificate may have thousands; these are shown to people.
const shownNamesMax = 5

/** What was wrong with the certificate when a socket failed with this error; undefined when it failed for something else. */
export function certificateFaultOf(socket: TLSSocket, error: Error): CertificateFault | undefined {
  // Node.js sets it to the code of the check that failed; null and undefined stand for none.
  if (!(socket.authorizationError as unknown)) return undefined
  const { code, host, cert } = error as Error & {
    readonly code?: string
    readonly host?: string
    readonly cert?: PeerCertificate
  }
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return { kind: 'name', expected: host ?? '', names: namesOf(cert) }
    case 'CERT_HAS_EXPIRED':
      return { kind: 'expired' }
    case 'CERT_NOT_YET_VALID':
      return { kind: 'not-yet-valid' }
    default:
      return { kind: 'authority' }
  }
}

/** The names and addresses that a certificate is for; without any its common name, which old ones have instead. */
function namesOf(certificate: PeerCertificate | undefined): string[] {
  const alternatives = [
    ...(certificate?.subjectaltname ?? '').matchAll(/(?:^|, )(?:DNS|IP Address):([^,"]+)/g),
  ].map(([, name]) => name ?? '')
  const names = alternatives.length > 0 ? alternatives : [certificate?.subject?.CN ?? ''].flat()
  return names.filter((name) => name !== '').slice(0, shownNamesMax)
}
