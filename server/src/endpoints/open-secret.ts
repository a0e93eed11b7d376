import type { Secrets } from '../platform/security/secrets.ts'
import type { EndpointRow } from './store.ts'

/** The context that an endpoint's secret is encrypted for. */
export function secretContext(endpointId: number): string {
  return `endpoints.encrypted_secret ${endpointId}`
}

/** An endpoint's signing secrets, `whsec_…`, the current one first. Throws when this node lacks the key that encrypted them. */
export function openSecrets(
  secrets: Pick<Secrets, 'decrypt'>,
  {
    id,
    encryptedSecret,
    formerEncryptedSecret,
  }: Pick<EndpointRow, 'id' | 'encryptedSecret' | 'formerEncryptedSecret'>,
): string[] {
  return [encryptedSecret, ...(formerEncryptedSecret === null ? [] : [formerEncryptedSecret])].map(
    (encrypted) => secrets.decrypt(encrypted, secretContext(id)).toString(),
  )
}
