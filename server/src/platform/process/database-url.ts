// DATABASE_URL with one server or several, in libpq's form: postgres://user:password@one:5432,two:5433/database
import { isIP } from 'node:net'

/** Where a database server listens. */
export interface DatabaseServer {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
}

export interface DatabaseUrl {
  /** In the URL's order; empty when the server is a socket or is in the query. */
  readonly servers: readonly DatabaseServer[]
  /** The same URL with the first server alone, without parameters that only libpq knows. */
  readonly url: string
}

/** How a server is named to people: `one:5432`, `[::1]:5432`. */
export const serverName = ({ host, port }: DatabaseServer): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

const standardPort = 5432
// PostgreSQL's documentation, 34.1.1.2 "Connection URIs".
const form = /^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)([^/?]*)([^]*)$/
// The values that mean a server which takes writes. With libpq's other values we would write to a standby.
const sessionKinds: readonly string[] = ['any', 'read-write', 'primary']

/**
 * Reads DATABASE_URL. Undefined when it cannot be one: a malformed server or port, several servers in the query, or a
 * `target_session_attrs` that means a server which takes no writes.
 */
export function readDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, scheme = '', credentials = '', authority = '', rest = ''] = form.exec(text) ?? []
  if (scheme === '') return undefined
  const servers = authority === '' ? [] : authority.split(',').map(readServer)
  const known = servers.filter((server) => server !== undefined)
  const url = `${scheme}${credentials}${authority.split(',')[0] ?? ''}${rest}`
  if (known.length !== servers.length || !URL.canParse(url.replace('@/', '@localhost/'))) return undefined
  const parsed = new URL(url.replace('@/', '@localhost/'))
  const requested = parsed.searchParams.get('target_session_attrs') ?? 'any'
  const isListed = ['host', 'port'].some((name) => parsed.searchParams.get(name)?.includes(',') === true)
  if (isListed || !sessionKinds.includes(requested)) return undefined
  return { servers: known, url: known.length > 1 ? withoutParameter(url, 'target_session_attrs') : url }
}

function readServer(text: string): DatabaseServer | undefined {
  const [, bracketed, plain = '', port = String(standardPort)] =
    /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? decodeURIComponent(plain)
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) return undefined
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined
  return { host, port: Number(port) }
}

/** Cut out of the text, since a URL that is put together again would write its password in another way. */
function withoutParameter(url: string, name: string): string {
  return url.replace(new RegExp(`([?&])${name}=[^&]*(&?)`), (_, before: string, after: string) =>
    after === '' ? '' : before,
  )
}
