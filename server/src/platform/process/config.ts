// Reads and checks the environment variables that docs/operating.md lists, once. Other code gets a Config and does not
// read the environment; tools/rules.ts lists the programs that may.
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readDatabaseUrl } from './database-url.ts'
import { isNetwork } from '../addresses/networks.ts'
import { withSecretFiles } from './secret-files.ts'
import { StartFailure } from './start-failure.ts'

const nodeRoles = ['web', 'smpp', 'worker'] as const
type NodeRole = (typeof nodeRoles)[number]

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const logFormats = ['auto', 'text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

export interface Config {
  readonly host: string
  /** 0 lets the system choose: for tests. */
  readonly httpPort: number
  readonly smppPort: number
  /** Where /metrics answers; undefined: with the console. */
  readonly metricsPort: number | undefined
  /** The Bearer token of /metrics; undefined: it is open. */
  readonly metricsToken: string | undefined
  /** CIDRs of the balancers before SMPP: their connections begin with a PROXY header. */
  readonly smppProxies: readonly string[]
  /** SMPP over TLS; undefined is off. */
  readonly smppTls: { readonly port: number; readonly certPath: string; readonly keyPath: string } | undefined
  /** undefined: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | undefined
  /** The owner of the schema, who migrates it; undefined: the role of `databaseUrl` does. */
  readonly migrationDatabaseUrl: string | undefined
  /** A standby of `databaseUrl` that answers reads; undefined: the primary answers them. */
  readonly databaseReadUrl: string | undefined
  /** Absolute. */
  readonly dataDir: string
  /** Where the embedded database archives its log and keeps its backups, absolute; undefined: nowhere. */
  readonly backupDir: string | undefined
  /** The folder below which CDR files may be delivered, absolute; undefined: in none. */
  readonly cdrDir: string | undefined
  readonly admin: { readonly username: string; readonly password: string } | undefined
  /** Key material from the environment; undefined: the key file in `dataDir`. */
  readonly secretKey: string | undefined
  /** Whether a lost key may be replaced; what it encrypted is then lost. */
  readonly acceptsNewSecretKey: boolean
  /** CIDRs that outgoing calls may reach besides public addresses. */
  readonly egressAllow: readonly string[]
  readonly roles: ReadonlySet<NodeRole>
  readonly billingCycleSeconds: number
  /** How long texts are kept; 0 is for ever. */
  readonly textDays: number
  /** How long settled records are kept; 0 is for ever. */
  readonly recordMonths: number
  /** ONLINE_WEEKS. */
  readonly onlineWeeks: number | undefined
  readonly tron:
    | { readonly apiUrl: string; readonly apiKey: string | undefined; readonly usdtContract: string }
    | undefined
  /** The operator's mail server; undefined: no mail is sent. */
  readonly smtp: SmtpConfig | undefined
  /** Whether spans are sent. OpenTelemetry reads the address and all else of its variables by itself. */
  readonly isTraced: boolean
  readonly logLevel: LogLevel
  /** auto: text on a terminal, JSON otherwise. */
  readonly logFormat: LogFormat
  /** The address people reach the console at, without a trailing slash; undefined: whatever host they use. */
  readonly publicUrl: URL | undefined
  /** CIDRs of the trusted proxies; undefined: loopback's when `publicUrl` is https. */
  readonly trustedProxies: readonly string[] | undefined
}

export interface SmtpConfig {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise by STARTTLS. */
  readonly isTls: boolean
  readonly auth: { readonly user: string; readonly password: string } | undefined
  readonly from: { readonly name: string; readonly address: string }
}

// USDT's contract on the TRON main net: https://tether.to/en/supported-protocols
const mainnetUsdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

type Environment = Readonly<Record<string, string | undefined>>

/** Reads and checks every variable. Throws StartFailure that names the first bad one and says what it should be. */
export function readConfig(given: Environment): Config {
  const environment = withSecretFiles(given)
  const read = (name: string) => {
    const value = environment[name]?.trim()
    return value === '' ? undefined : value
  }
  return {
    host: host(read('HOST') ?? '127.0.0.1'),
    ...ports(read),
    databaseUrl: databaseUrl('DATABASE_URL', read),
    migrationDatabaseUrl: migrationDatabaseUrl(read),
    databaseReadUrl: databaseReadUrl(read),
    dataDir: resolve(read('DATA_DIR') ?? 'data'),
    backupDir: backupDir(read),
    cdrDir: absolute(read('CDR_DIR')),
    admin: admin(read, environment['ADMIN_PASSWORD']),
    secretKey: secretKey(read('SECRET_KEY')),
    acceptsNewSecretKey:
      oneOf('ACCEPT_NEW_SECRET_KEY', read('ACCEPT_NEW_SECRET_KEY') ?? 'no', yesOrNo) === 'yes',
    egressAllow: cidrs('EGRESS_ALLOW', read('EGRESS_ALLOW') ?? ''),
    roles: roleSet(read('ROLES') ?? nodeRoles.join()),
    // No useful cycle is longer than a year; shorter than a second the close cannot keep up.
    billingCycleSeconds: integer(
      'BILLING_CYCLE_SECONDS',
      read('BILLING_CYCLE_SECONDS') ?? '604800',
      1,
      31_536_000,
    ),
    // Deliveries may wait a week for their client, and need the text then.
    textDays: keepFor('TEXT_DAYS', read('TEXT_DAYS') ?? '7', 7, 3_650),
    recordMonths: keepFor('RECORD_MONTHS', read('RECORD_MONTHS') ?? '13', 2, 120),
    onlineWeeks: onlineWeeks(read('ONLINE_WEEKS')),
    tron: tron(read),
    smtp: smtp(read),
    isTraced: isTraced(read),
    logLevel: oneOf('LOG_LEVEL', (read('LOG_LEVEL') ?? 'info').toLowerCase(), logLevels),
    logFormat: oneOf('LOG_FORMAT', (read('LOG_FORMAT') ?? 'auto').toLowerCase(), logFormats),
    publicUrl: publicUrl(read('PUBLIC_URL')),
    smppProxies: cidrs('SMPP_PROXIES', read('SMPP_PROXIES') ?? ''),
    trustedProxies: trustedProxies(read('TRUSTED_PROXIES')),
    metricsToken: metricsToken(read('METRICS_TOKEN')),
  }
}

const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path))

function backupDir(read: Read): string | undefined {
  const value = read('BACKUP_DIR')
  if (value !== undefined && read('DATABASE_URL') !== undefined)
    throw new StartFailure(
      'BACKUP_DIR is for the embedded database. A server of your own archives its log itself: leave BACKUP_DIR or DATABASE_URL out.',
    )
  return absolute(value)
}

const yesOrNo = ['yes', 'no'] as const

type Read = (name: string) => string | undefined

function bad(name: string, value: string, expected: string): StartFailure {
  // JSON quoting keeps a line break in the value from making two lines of the message.
  return new StartFailure(`${name}=${JSON.stringify(value).slice(1, -1)} is not valid: ${expected}.`)
}

function integer(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (!/^\d{1,10}$/.test(value) || number < min || number > max)
    throw bad(name, value, `give a whole number from ${min} to ${max}`)
  return number
}

/** 0 is for ever. */
function keepFor(name: string, value: string, min: number, max: number): number {
  if (value === '0') return 0
  const number = Number(value)
  if (!/^\d{1,10}$/.test(value) || number < min || number > max)
    throw bad(name, value, `give 0 for ever, or a whole number from ${min} to ${max}`)
  return number
}

/** Until then deliveries are replayed and reports of networks come. */
const onlineWeeks = (value: string | undefined) =>
  value === undefined ? undefined : integer('ONLINE_WEEKS', value, 5, 520)

function port(name: string, value: string): number {
  return integer(name, value, 0, 65_535)
}

/** The ports of the listeners; two cannot have the same. */
function ports(read: Read): Pick<Config, 'httpPort' | 'smppPort' | 'smppTls' | 'metricsPort'> {
  const httpPort = port('HTTP_PORT', read('HTTP_PORT') ?? '8080')
  const smppPort = port('SMPP_PORT', read('SMPP_PORT') ?? '2775')
  const tls = smppTls(read)
  const metricsText = read('METRICS_PORT')
  const metricsPort = metricsText === undefined ? undefined : port('METRICS_PORT', metricsText)
  const taken = new Map([[httpPort, 'HTTP_PORT']])
  for (const [name, listenPort] of [
    ['SMPP_PORT', smppPort],
    ['SMPP_TLS_PORT', tls?.port ?? 0],
    ['METRICS_PORT', metricsPort ?? 0],
  ] as const) {
    const other = taken.get(listenPort)
    if (listenPort !== 0 && other !== undefined)
      throw bad(name, String(listenPort), `choose another port than that of ${other}`)
    taken.set(listenPort, name)
  }
  return { httpPort, smppPort, smppTls: tls, metricsPort }
}

function oneOf<const T extends readonly string[]>(name: string, value: string, choices: T): T[number] {
  const choice = choices.find((candidate) => candidate === value)
  if (choice === undefined) throw bad(name, value, `choose one of ${choices.join(', ')}`)
  return choice
}

function host(value: string): string {
  if (isIP(value) === 0 && !/^[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?$/i.test(value))
    throw bad('HOST', value, 'give an address or a host name, such as 127.0.0.1 or 0.0.0.0')
  return value
}

function smppTls(read: Read): Config['smppTls'] {
  const text = read('SMPP_TLS_PORT')
  if (text === undefined) return undefined
  const number = port('SMPP_TLS_PORT', text)
  return { port: number, certPath: filePath(read, 'TLS_CERT'), keyPath: filePath(read, 'TLS_KEY') }
}

function filePath(read: Read, name: string): string {
  const value = read(name)
  if (value === undefined)
    throw new StartFailure(
      `${name} is missing: SMPP_TLS_PORT needs TLS_CERT and TLS_KEY, the paths of two PEM files.`,
    )
  if (!existsSync(value)) throw bad(name, value, 'there is no such file')
  return resolve(value)
}

function databaseUrl(name: string, read: Read): string | undefined {
  const value = read(name)
  if (value === undefined) return undefined
  // The value holds a password, so it is never repeated.
  if (readDatabaseUrl(value) === undefined)
    throw new StartFailure(
      `${name} is not valid: give postgres://user:password@host:5432/database, or several servers as host1:5432,host2:5432 with ?target_session_attrs=read-write.`,
    )
  return value
}

function migrationDatabaseUrl(read: Read): string | undefined {
  const value = databaseUrl('MIGRATION_DATABASE_URL', read)
  if (value !== undefined && read('DATABASE_URL') === undefined)
    throw new StartFailure(
      'DATABASE_URL is missing: MIGRATION_DATABASE_URL is the owner of the same database, and needs it.',
    )
  return value
}

function databaseReadUrl(read: Read): string | undefined {
  const value = databaseUrl('DATABASE_READ_URL', read)
  if (value === undefined) return undefined
  if (read('DATABASE_URL') === undefined)
    throw new StartFailure('DATABASE_URL is missing: DATABASE_READ_URL is a standby of it, and needs it.')
  // How far it is must be known of the very server that answers.
  if ((readDatabaseUrl(value)?.servers.length ?? 0) > 1)
    throw new StartFailure('DATABASE_READ_URL is not valid: give one standby of DATABASE_URL.')
  return value
}

function admin(read: Read, password: string | undefined): Config['admin'] {
  const username = read('ADMIN_USERNAME')
  // As it stands: spaces may belong to a password.
  if (password === undefined || password === '') {
    if (username === undefined) return undefined
    throw new StartFailure('ADMIN_PASSWORD is missing: ADMIN_USERNAME needs it.')
  }
  if (username !== undefined && !/^[\p{L}\p{N}._@-]{3,64}$/u.test(username))
    throw bad('ADMIN_USERNAME', username, 'give 3 to 64 letters, digits, dots, dashes or underscores')
  return { username: username ?? 'admin', password }
}

function secretKey(value: string | undefined): string | undefined {
  // Fewer characters can be guessed; the value is never repeated.
  if (value !== undefined && value.length < 16)
    throw new StartFailure(
      'SECRET_KEY is not valid: give at least 16 characters, for example from openssl rand -hex 32.',
    )
  return value
}

function cidrs(name: string, value: string): string[] {
  const list = value.split(/[\s,]+/).filter((item) => item !== '')
  for (const item of list)
    if (!isNetwork(item)) throw bad(name, item, 'give CIDRs such as 10.0.0.0/8,127.0.0.1/32')
  return list
}

function trustedProxies(value: string | undefined): string[] | undefined {
  return value === undefined ? undefined : cidrs('TRUSTED_PROXIES', value)
}

function metricsToken(value: string | undefined): string | undefined {
  // The token is sent in a header, which takes visible ASCII only, and a shorter one can be guessed. The message does
  // not repeat the value.
  if (value !== undefined && !/^[\x21-\x7e]{16,200}$/.test(value))
    throw new StartFailure(
      'METRICS_TOKEN is not valid: give 16 to 200 visible ASCII characters, for example from openssl rand -hex 32.',
    )
  return value
}

function roleSet(value: string): ReadonlySet<NodeRole> {
  const list = value.split(/[\s,]+/).filter((item) => item !== '')
  if (list.length === 0) throw bad('ROLES', value, `choose from ${nodeRoles.join(', ')}`)
  return new Set(list.map((item) => oneOf('ROLES', item, nodeRoles)))
}

function tron(read: Read): Config['tron'] {
  const apiUrl = read('TRON_API_URL')
  const usdtContract = read('TRON_USDT_CONTRACT') ?? mainnetUsdt
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(usdtContract))
    throw bad('TRON_USDT_CONTRACT', usdtContract, 'give a TRON address: T and 33 Base58 characters')
  if (apiUrl === undefined) return undefined
  return {
    apiUrl: webAddress('TRON_API_URL', apiUrl).href.replace(/\/+$/, ''),
    apiKey: tronKey(read('TRON_API_KEY')),
    usdtContract,
  }
}

function tronKey(value: string | undefined): string | undefined {
  // The key is sent in a header, which takes visible ASCII only. The message does not repeat the value.
  if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
    throw new StartFailure('TRON_API_KEY is not valid: give the key alone, letters and digits.')
  return value
}

function isTraced(read: Read): boolean {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const given = names.filter((name) => read(name) !== undefined)
  for (const name of given) webAddress(name, read(name) ?? '')
  return given.length > 0 && read('OTEL_SDK_DISABLED')?.toLowerCase() !== 'true'
}

function smtp(read: Read): SmtpConfig | undefined {
  const text = read('MAIL_FROM')
  const from = text === undefined ? undefined : sender(text)
  const url = read('SMTP_URL')
  if (url === undefined) return undefined
  const server = mailServer(url)
  if (from === undefined)
    throw new StartFailure(
      'MAIL_FROM is missing: SMTP_URL needs it, for example Billing <billing@example.com>.',
    )
  return { ...server, from }
}

function mailServer(value: string): Omit<SmtpConfig, 'from'> {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const [user, password] = [decoded(url?.username), decoded(url?.password)]
  if (
    url === undefined ||
    !/^smtps?:$/.test(url.protocol) ||
    !/^\/?$/.test(url.pathname + url.search + url.hash) ||
    url.hostname === '' ||
    user === undefined ||
    password === undefined ||
    (user === '') !== (password === '')
  )
    // The value holds a password, so it is never repeated.
    throw new StartFailure(
      'SMTP_URL is not valid: give smtps://user:password@host:465 or smtp://user:password@host:587, with %40 for an @ in user or password.',
    )
  const isTls = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    auth: user === '' ? undefined : { user, password },
  }
}

/** Undefined when the percent-encoding is not valid. */
function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function sender(value: string): SmtpConfig['from'] {
  const [, name = '', address = ''] = /^(?:([^<>"@,;\r\n]*)<(.+)>|.+)$/.exec(value) ?? []
  const from = { name: name.trim(), address: address === '' ? value : address.trim() }
  if (!/^[^\s<>"@,;:]+@[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(from.address))
    throw bad('MAIL_FROM', value, 'give billing@example.com or Billing <billing@example.com>')
  return from
}

function publicUrl(value: string | undefined): URL | undefined {
  if (value === undefined) return undefined
  const url = webAddress('PUBLIC_URL', value)
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw bad('PUBLIC_URL', value, 'give an address without a path, such as https://gateway.example.com')
  return url
}

function webAddress(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined
  // The value holds a password, so it is not repeated.
  if (url !== undefined && url.username + url.password !== '')
    throw new StartFailure(`${name} is not valid: give an address without a user and a password.`)
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw bad(name, value, 'give an address that begins with http:// or https://')
  return url
}
