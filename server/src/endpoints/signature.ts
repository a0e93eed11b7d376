// Signing secrets and signatures. Standard Webhooks 1.0: `v1,` + base64 HMAC-SHA256 over `id.timestamp.body`.
import { createHmac, randomBytes } from 'node:crypto'

const secretPrefix = 'whsec_'
// Standard Webhooks asks for 24 to 64 bytes.
const secretBytes = 32

/** A new signing secret, as it is shown once. */
export function newSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

/** Shown in place of a secret in every reply but the one that made it. */
export const maskedSecret = `${secretPrefix}••••••••`

export interface SignedContent {
  readonly id: string
  /** Seconds since 1970, of this attempt. */
  readonly timestamp: number
  readonly body: string
}

/** The `webhook-signature` header. The key is the decoded base64 of the secret. */
export function sign(secret: string, { id, timestamp, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
