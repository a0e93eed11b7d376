// Texts for people: why a link is not connected.
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { commandStatus, statusText } from '@tollgate/smpp/values/command-status.ts'

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
  // Messages of OpenSSL and node:tls. All of them name a certificate, so the order of the patterns matters.
  [/altnames/i, 'The gateway’s certificate is for another host: enter the host that it names.'],
  [/certificate has expired|not yet valid/i, 'The gateway’s certificate has expired, or is not valid yet.'],
  [
    /self.signed|issuer|verify|certificate/i,
    'The gateway’s certificate comes from an authority that this server does not trust.',
  ],
  [/EPROTO|TLS|SSL/i, 'The TLS connection failed: the port speaks no TLS, or none that is safe.'],
]

/** `detail` comes from the SMPP library; `status` is set when the bind was refused. */
export function linkFailureOf(detail: string, status: number | undefined): LinkFailure {
  if (status !== undefined) return { code: status, text: bindRefusals[status] ?? statusText(status) }
  const known = details.find(([pattern]) => pattern.test(detail))
  return { code: null, text: known?.[1] ?? 'The gateway cannot be reached.' }
}

/** The same as it is shown: with the code, if there is one. */
export function connectionFault(code: number | null, text: string): Words {
  return code === null ? text : sentence('Error Code {code}: {text}', { code: String(code), text: { text } })
}
