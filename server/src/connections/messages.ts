// Texts for people: why a link is not connected.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import type { CertificateFault } from '@tollgate/smpp/net/certificate.ts'
import type { LinkFault } from '@tollgate/smpp/net/reconnect.ts'
import { commandStatus, statusText } from '@tollgate/smpp/values/command-status.ts'
import { trustedCertificates } from './own-ca.ts'
import type { ConnectionRow } from './store.ts'

interface LinkFailure {
  /** The command_status of a refused bind. */
  readonly code: number | null
  readonly text: string
}

// Spec §2: error code 14 reads 'Invalid Password'.
const bindRefusals: Readonly<Record<number, string>> = {
  [commandStatus.ESME_RBINDFAIL]: spoken('Bind Failed'),
  [commandStatus.ESME_RINVPASWD]: spoken('Invalid Password'),
  [commandStatus.ESME_RINVSYSID]: spoken('Invalid System ID'),
}

const details: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'Nothing listens on this port: the connection was refused.'],
  [/no connection in time|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, 'The gateway cannot be reached.'],
  [/^bind-timeout/, 'The gateway took the connection but did not answer the bind.'],
  [/^(protocol|read-timeout)/, 'The gateway answered with something that is not SMPP.'],
  [/^(enquire-link|inactivity)/, 'The gateway stopped answering.'],
  [/^unbind/, 'The gateway ended the session.'],
  [/^disconnect|ECONNRESET|EPIPE|closed the connection/, 'The gateway closed the connection.'],
  [/EPROTO|TLS|SSL/i, 'The TLS connection failed: the port speaks no TLS, or none that is safe.'],
]

/** What `connection` says of the certificates that it takes. */
type Trust = Pick<ConnectionRow, 'tlsCa'>

export function linkFailureOf({ detail, status, certificate }: LinkFault, trust: Trust): LinkFailure {
  if (status !== undefined) return { code: status, text: bindRefusals[status] ?? statusText(status) }
  if (certificate !== undefined) return { code: null, text: certificateFailure(certificate, trust) }
  const known = details.find(([pattern]) => pattern.test(detail))
  return { code: null, text: known?.[1] ?? 'The gateway cannot be reached.' }
}

function certificateFailure(fault: CertificateFault, { tlsCa }: Trust): string {
  switch (fault.kind) {
    case 'name':
      return keptText(
        'The gateway’s certificate is for {names}, but {expected} is expected: correct the host or the expected name.',
        { names: fault.names.join(', ') || '–', expected: fault.expected },
      )
    case 'expired':
      return trustedCertificates(tlsCa).some(({ isExpired }) => isExpired)
        ? 'The CA of this connection has expired: enter its new certificate.'
        : 'The gateway’s certificate has expired, or that of the CA which signed it.'
    case 'not-yet-valid':
      return 'The gateway’s certificate is not valid yet.'
    case 'authority':
      return tlsCa === null
        ? 'The gateway’s certificate comes from an authority that this server does not trust: enter its CA at the connection.'
        : 'The gateway’s certificate is not signed by the CA of this connection.'
  }
}

/** The same as it is shown: with the code, if there is one. */
export function connectionFault(code: number | null, text: string): Words {
  return code === null ? text : sentence('Error Code {code}: {text}', { code: String(code), text: { text } })
}
