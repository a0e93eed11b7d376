import { t } from '../../language/t.ts'
const isAddress = /^(\[.*\]|\d{1,3}(\.\d{1,3}){3})$/

/**
 * Why this browser cannot use passkeys at this address; undefined if it can. WebAuthn Level 3, 5.1: only over HTTPS or
 * on this machine, and only for a host name.
 */
export function passkeyProblem(): string | undefined {
  const { hostname, port, protocol } = window.location
  if (isAddress.test(hostname)) {
    const isOwn = hostname === '127.0.0.1' || hostname === '[::1]'
    const place = isOwn ? `${protocol}//localhost${port === '' ? '' : `:${port}`}` : t('its host name')
    return t(
      'Passkeys belong to a host name, and {hostname} is an IP address. Open the console as {place}.',
      { hostname, place },
    )
  }
  if (!window.isSecureContext) return t('Passkeys need https. Ask your operator to set it up.')
  return 'PublicKeyCredential' in window ? undefined : t('This browser has no passkeys.')
}
