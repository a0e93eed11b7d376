// Where a stored secret is sent to. A secret belongs to one destination. A change of the destination requires the secret
// again; otherwise somebody could read a stored password by pointing the link at their own host (decision 41).
import { sentence, type Sentence } from './sentences.ts'

/** The fields of a connection that decide where its password is sent. */
interface ConnectionDestination {
  readonly host: string
  readonly port: number
  readonly useTls: boolean
  /** Whoever may say which certificate is accepted decides who can stand in for the host. */
  readonly tlsCa: string | null
  readonly tlsName: string | null
  readonly systemId: string
}

/** The fields of a provider that decide where its key or password is sent. */
interface ProviderDestination {
  readonly apiUrl: string
  readonly authType: string
}

/**
 * Normalises the spellings of a host that certainly mean the same: case, the dot at the end of a full name, the brackets
 * around an address. Other spellings of one address count as different hosts.
 */
function plainHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

const addressPattern = /^(https?):\/\/([^/?#@\\\s]+?)(?::(\d+))?(?:[/?#].*)?$/is
const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' }

/** Scheme, host and port in one spelling; the whole text when it is no HTTP address, so that it equals no other. */
function originOf(address: string): string {
  const [, scheme = '', host = '', port] = addressPattern.exec(address.trim()) ?? []
  if (scheme === '') return address
  const name = scheme.toLowerCase()
  return `${name}://${plainHost(host)}:${Number(port ?? defaultPorts[name])}`
}

const partWords = {
  host: { text: 'the host' },
  port: { text: 'the port' },
  tls: { text: 'the TLS setting' },
  tlsCa: { text: 'the CA' },
  tlsName: { text: 'the expected name' },
  systemId: { text: 'the system ID' },
  apiHost: { text: 'the host of the API URL' },
  authType: { text: 'the authentication type' },
} as const
/** A part of a destination that a secret is sent to. */
export type DestinationPart = keyof typeof partWords

/** The part of a connection's destination that differs, for {@link enterSecretAgain}; undefined when its password may stay. */
export function changedConnection(
  before: ConnectionDestination,
  after: ConnectionDestination,
): DestinationPart | undefined {
  if (plainHost(before.host) !== plainHost(after.host)) return 'host'
  if (before.port !== after.port) return 'port'
  if (before.useTls !== after.useTls) return 'tls'
  if (before.tlsCa !== after.tlsCa) return 'tlsCa'
  if (before.tlsName !== after.tlsName) return 'tlsName'
  return before.systemId === after.systemId ? undefined : 'systemId'
}

/** The part of a provider's destination that differs, for {@link enterSecretAgain}; undefined when its secret may stay. */
export function changedProvider(
  before: ProviderDestination,
  after: ProviderDestination,
): DestinationPart | undefined {
  if (originOf(before.apiUrl) !== originOf(after.apiUrl)) return 'apiHost'
  return before.authType === after.authType ? undefined : 'authType'
}

/**
 * What to tell a person who left the secret out, as a sentence and as the hint of a field. `changed` is the result of
 * {@link changedConnection} or {@link changedProvider}.
 */
export function enterSecretAgain(
  secret: 'password' | 'API key',
  changed: DestinationPart,
): { readonly message: Sentence; readonly hint: Sentence } {
  const values = { part: partWords[changed] }
  return secret === 'password'
    ? {
        message: sentence('Enter the password again: {part} has changed.', values),
        hint: sentence('Enter the password again: {part} has changed', values),
      }
    : {
        message: sentence('Enter the API key again: {part} has changed.', values),
        hint: sentence('Enter the API key again: {part} has changed', values),
      }
}
