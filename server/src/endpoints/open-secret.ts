import type { Secrets } from '../platform/security/secrets.ts'
import type { EndpointRow } from './store.ts'

/** What an endpoint's secret is sealed for. */
export function secretPlace(endpointId: number): string {
  return `endpoints.sealed_secret ${endpointId}`
}

/** An endpoint's signing secrets, `whsec_…`, the present one first. Throws when this node lacks the key of their seal. */
export function openSecrets(
  secrets: Pick<Secrets, 'open'>,
  { id, sealedSecret, formerSealedSecret }: Pick<EndpointRow, 'id' | 'sealedSecret' | 'formerSealedSecret'>,
): string[] {
  return [sealedSecret, ...(formerSealedSecret === null ? [] : [formerSealedSecret])].map((sealed) =>
    secrets.open(sealed, secretPlace(id)).toString(),
  )
}
