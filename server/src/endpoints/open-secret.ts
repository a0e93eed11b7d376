import type { Secrets } from '../platform/security/secrets.ts'
import type { EndpointRow } from './store.ts'

/** The context that an endpoint's secret is encrypted for. */
export function secretContext(endpointId: number): string {
  return `endpoints.sealed_secret ${endpointId}`
}

/** An endpoint's signing secrets, `whsec_…`, the current one first. Throws when this node lacks the key that encrypted them. */
export function openSecrets(
  secrets: Pick<Secrets, 'decrypt'>,
  { id, sealedSecret, formerSealedSecret }: Pick<EndpointRow, 'id' | 'sealedSecret' | 'formerSealedSecret'>,
): string[] {
  return [sealedSecret, ...(formerSealedSecret === null ? [] : [formerSealedSecret])].map((sealed) =>
    secrets.decrypt(sealed, secretContext(id)).toString(),
  )
}
