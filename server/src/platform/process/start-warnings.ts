// What is unsafe about how the gateway is started. Each line says what may happen and what to do.
import { isLoopback } from '../addresses/network-of.ts'
import type { Config } from './config.ts'

/** The warnings for a start with these settings, by this account (undefined where the system has no accounts). */
export function startWarnings(
  { host, publicUrl, smppTls, roles }: Pick<Config, 'host' | 'publicUrl' | 'smppTls' | 'roles'>,
  uid: number | undefined = process.getuid?.(),
): string[] {
  const isOpen = !isLoopback(host)
  return [
    ...(uid === 0 ? ['Tollgate runs as root, which it never needs: start it as an account of its own'] : []),
    ...(isOpen && roles.has('web') && publicUrl?.protocol !== 'https:'
      ? [
          `the console listens on ${host} without HTTPS, so browsers on other machines do not keep a session: put a proxy with HTTPS in front, and give its address as PUBLIC_URL`,
        ]
      : []),
    ...(isOpen && roles.has('smpp') && smppTls === undefined
      ? [
          `SMPP listens on ${host} without TLS, so passwords and texts travel in the clear: set SMPP_TLS_PORT, TLS_CERT and TLS_KEY, or let peers come over a VPN alone`,
        ]
      : []),
  ]
}
