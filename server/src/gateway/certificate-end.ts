import { X509Certificate } from 'node:crypto'
import { pemCertificates } from '@tollgate/contract/connections/peer-trust.ts'

/**
 * When peers can no longer trust the certificate: the first end in its chain. A root that the file has too is not counted,
 * because peers trust their own copy of it. Throws for a text without a certificate.
 */
export function certificateEnd(pem: string): Date {
  const chain = pemCertificates(pem).map((text) => new X509Certificate(text))
  const counted = chain.filter(({ issuer, subject }, index) => index === 0 || issuer !== subject)
  if (counted.length === 0) throw new Error('there is no certificate in it')
  return new Date(Math.min(...counted.map(({ validTo }) => Date.parse(validTo))))
}
