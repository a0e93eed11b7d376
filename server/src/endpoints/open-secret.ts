import type { Secrets } from '../platform/secrets.ts'
import type { EndpointRow } from './store.ts'

/** What an endpoint's secret is sealed for. */
export function secretPlace(endpointId: number): string {
  return `endpoints.sealed_secret ${endpointId}`
}

/** An endpoint's signing secret, `whsec_…`. Throws when this node lacks the key it was sealed with. */
export function openSecret(
  secrets: Pick<Secrets, 'open'>,
  { id, sealedSecret }: Pick<EndpointRow, 'id' | 'sealedSecret'>,
): string {
  return secrets.open(sealedSecret, secretPlace(id)).toString()
}
