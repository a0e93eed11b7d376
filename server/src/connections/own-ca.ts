// The CA of a connection's own: what is in its PEM, for the check of what people enter, for screens and for the audit log.
import { X509Certificate } from 'node:crypto'
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { pemCertificates } from '@tollgate/contract/connections/peer-trust.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, withStop } from '@tollgate/contract/sentences.ts'
import type { ConnectionFields } from './store.ts'

type Trust = Pick<ConnectionFields, 'useTls' | 'tlsCa' | 'tlsName'>

// A subject may be as long as its certificate.
const subjectCharactersMax = 200

/** Throws Refusal invalid, with the field named: for certificates that cannot be read, and for either field without TLS. */
export function checkTrust({ useTls, tlsCa, tlsName }: Trust): void {
  const faulty = tlsCa === null ? 'tlsName' : 'tlsCa'
  if (!useTls && (tlsCa !== null || tlsName !== null)) {
    const fault = sentence('This is for a connection over TLS: switch TLS on, or leave it empty')
    throw new Refusal('invalid', withStop(fault), { fields: { [faulty]: fault } })
  }
  for (const [index, pem] of pemCertificates(tlsCa ?? '').entries())
    if (read(pem) === undefined) {
      const fault = sentence('Certificate {count} of it cannot be read: paste it again, whole', {
        count: index + 1,
      })
      throw new Refusal('invalid', withStop(fault), { fields: { tlsCa: fault } })
    }
}

/** The certificates of a connection, as they are shown. */
export function trustedCertificates(tlsCa: string | null): Connection['tlsCertificates'] {
  return pemCertificates(tlsCa ?? '').flatMap((pem) => {
    const certificate = read(pem)
    if (certificate === undefined) return []
    const endsAt = new Date(certificate.validTo)
    return {
      subject: subjectOf(certificate),
      fingerprint: certificate.fingerprint256,
      validTo: endsAt.toISOString(),
      isExpired: endsAt.getTime() <= Date.now(),
    }
  })
}

/** The fields as the audit log has them: the CA by subject and fingerprint. */
export function auditedFields(fields: ConnectionFields): object {
  const tlsCa = trustedCertificates(fields.tlsCa)
    .map(({ subject, fingerprint }) => `${subject} (SHA-256 ${fingerprint})`)
    .join('; ')
  return { ...fields, tlsCa: tlsCa === '' ? null : tlsCa }
}

function read(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** On one line; Node.js puts each part on a line of its own. */
function subjectOf({ subject }: X509Certificate): string {
  return (subject || '–').replaceAll('\n', ', ').slice(0, subjectCharactersMax)
}
