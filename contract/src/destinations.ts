// Where a stored secret is sent to. A secret was entered for one destination: whoever names another one enters it again,
// or a stored password could be read by pointing its link at a host of one's own (decision 68).

/** A link to an outside gateway as far as its password goes by it. */
export interface LinkDestination {
  readonly host: string
  readonly port: number
  readonly useTls: boolean
  readonly systemId: string
}

/** A provider as far as its key or password goes by it. */
export interface SourceDestination {
  readonly apiUrl: string
  readonly authType: string
}

/**
 * One text for the spellings of a host that surely mean the same: case, the dot of a full name, the brackets round an
 * address. Other spellings of one address count as other hosts.
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

/** Scheme, host and port in one spelling; the whole text for what is no http address, which then differs from any. */
function originOf(address: string): string {
  const [, scheme = '', host = '', port] = addressPattern.exec(address.trim()) ?? []
  if (scheme === '') return address
  const name = scheme.toLowerCase()
  return `${name}://${plainHost(host)}:${Number(port ?? defaultPorts[name])}`
}

/** What of a link's destination `after` changes, for {@link secretAgain}; undefined when its password may stay. */
export function changedLink(before: LinkDestination, after: LinkDestination): string | undefined {
  if (plainHost(before.host) !== plainHost(after.host)) return 'host'
  if (before.port !== after.port) return 'port'
  if (before.useTls !== after.useTls) return 'TLS setting'
  return before.systemId === after.systemId ? undefined : 'system ID'
}

/** What of a provider's destination `after` changes, for {@link secretAgain}; undefined when its secret may stay. */
export function changedSource(before: SourceDestination, after: SourceDestination): string | undefined {
  if (originOf(before.apiUrl) !== originOf(after.apiUrl)) return 'host of the API URL'
  return before.authType === after.authType ? undefined : 'authentication type'
}

/** What a person is told who leaves the secret out. `changed` is what {@link changedLink} or {@link changedSource} gives. */
export function secretAgain(secret: 'password' | 'API key', changed: string): string {
  return `Enter the ${secret} again: the ${changed} has changed`
}
