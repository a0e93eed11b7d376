// Why a secret must be entered again: it was pointed to another destination (decision 41).
import type { DestinationPart } from '@tollgate/contract/destinations.ts'
import { t } from '../language/t.ts'

const parts: Readonly<Record<DestinationPart, string>> = {
  host: t('the host'),
  port: t('the port'),
  tls: t('the TLS setting'),
  tlsCa: t('the CA'),
  tlsName: t('the expected name'),
  systemId: t('the system ID'),
  apiHost: t('the host of the API URL'),
  authType: t('the authentication type'),
}

/** The hint of the field. `changed` says which part of the destination differs. */
export function secretAgainHint(secret: 'password' | 'API key', changed: DestinationPart): string {
  const part = parts[changed]
  return secret === 'password'
    ? t('Enter the password again: {part} has changed', { part })
    : t('Enter the API key again: {part} has changed', { part })
}
