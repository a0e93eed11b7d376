// Whom a connection over TLS trusts instead of the authorities that Node.js knows: a CA of its own, and the name that the
// gateway's certificate must be for.
import { z } from 'zod'
import { lineSchema } from '../fields.ts'
import { schemaMessage } from '../schema-messages.ts'
import { sentence } from '../sentences.ts'

// Ten of RSA 4096 are 20 KB.
const caCharactersMax = 32_768
const certificatesMax = 10

const blockPattern = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g

/** The certificates of a PEM text in one spelling: lines of 64 characters, and nothing around them. */
export function pemCertificates(text: string): string[] {
  return [...text.matchAll(blockPattern)].map(([, body = '']) => {
    const lines = body.replaceAll(/\s+/g, '').match(/.{1,64}/g) ?? []
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  })
}

/** Whether they are certificates is for the server to say, which can read them. */
const pemSchema = z
  .string()
  .max(caCharactersMax)
  .superRefine((text, context) => {
    const fault = faultOfPem(text)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .transform((text) => pemCertificates(text).join('') || null)

function faultOfPem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  if (/PRIVATE KEY/i.test(text))
    return 'This contains a private key, and nothing of it was stored. Paste the certificate of the CA alone'
  const count = pemCertificates(text).length
  if (count === 0) return 'Paste a certificate as PEM: it begins with -----BEGIN CERTIFICATE-----'
  if (count < text.split('-----BEGIN ').length - 1)
    return 'Something in it is no whole certificate: paste each from its BEGIN to its END line, and nothing else'
  return count > certificatesMax
    ? schemaMessage(sentence('At most {count} certificates', { count: certificatesMax }))
    : undefined
}

/** A host name, or an address with or without brackets; '' too. */
export const hostPattern = /^(\[[0-9a-f:.]+\]|[0-9a-f:.]+|[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?)?$/i

const nameSchema = lineSchema(253).refine((name) => hostPattern.test(name), 'Enter a host name or an address')

/** An empty field of a form is null: what Node.js trusts, and the host of the connection. */
export const peerTrustFields = {
  tlsCa: pemSchema.nullable(),
  tlsName: nameSchema.transform((name) => (name === '' ? null : name)).nullable(),
}

/** A certificate that a connection trusts. */
export const trustedCertificateSchema = z.object({
  /** Such as 'O=Example Telecom, CN=Example Telecom SMS CA'. */
  subject: z.string(),
  /** SHA-256 of the certificate, in pairs of hexadecimal digits. */
  fingerprint: z.string(),
  validTo: z.string(),
  /** Whether it has ended: then nothing that it signed is accepted. */
  isExpired: z.boolean(),
})
