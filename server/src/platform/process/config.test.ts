import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { StartFailure } from './start-failure.ts'

test('an empty environment gives the documented defaults', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    host: '127.0.0.1',
    httpPort: 8080,
    smppPort: 2775,
    smppTls: undefined,
    smppProxies: [],
    databaseUrl: undefined,
    billingCycleSeconds: 604_800,
    textDays: 7,
    recordMonths: 13,
    tron: undefined,
    smtp: undefined,
    logLevel: 'info',
    publicUrl: undefined,
    trustedProxies: undefined,
    metricsPort: undefined,
    metricsToken: undefined,
  })
  expect(config.dataDir).toMatch(/\/data$/)
  expect([...config.roles]).toEqual(['web', 'smpp', 'worker'])
})

test('zero keeps texts and records for ever', () => {
  expect(readConfig({ TEXT_DAYS: '0', RECORD_MONTHS: '0' })).toMatchObject({ textDays: 0, recordMonths: 0 })
})

test('a mail server is read with its port, its decoded sign-in and the sender', () => {
  const MAIL_FROM = 'Tollgate Billing <billing@example.com>'
  expect(readConfig({ SMTP_URL: 'smtps://bill%40x:p%2Fw@smtp.example.com', MAIL_FROM }).smtp).toEqual({
    host: 'smtp.example.com',
    port: 465,
    isTls: true,
    auth: { user: 'bill@x', password: 'p/w' },
    from: { name: 'Tollgate Billing', address: 'billing@example.com' },
  })
  expect(readConfig({ SMTP_URL: 'smtp://[::1]:25', MAIL_FROM: 'billing@example.com' }).smtp).toEqual({
    host: '::1',
    port: 25,
    isTls: false,
    auth: undefined,
    from: { name: '', address: 'billing@example.com' },
  })
})

test('a mail server without a sender stops the start, and its password is never repeated', () => {
  expect(() => readConfig({ SMTP_URL: 'smtp://127.0.0.1:25' })).toThrow(/^MAIL_FROM is missing: .*\.$/)
  for (const SMTP_URL of ['smtp://user:hunter2@', 'smtp://user:hunter2@host/path', 'user:hunter2@host'])
    expect(() => readConfig({ SMTP_URL, MAIL_FROM: 'a@example.com' })).toThrow(/^(?!.*hunter2)SMTP_URL/)
})

test('traces are sent with an address for them, unless OpenTelemetry is disabled', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318'
  expect(readConfig({}).isTraced).toBe(false)
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).isTraced).toBe(true)
  expect(readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }).isTraced).toBe(
    true,
  )
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }).isTraced).toBe(false)
})

test('a variable set to nothing counts as not set', () => {
  expect(readConfig({ HTTP_PORT: '', DATABASE_URL: ' ' })).toMatchObject({
    httpPort: 8080,
    databaseUrl: undefined,
  })
})

test.each([
  ['HTTP_PORT', '80a'],
  ['HTTP_PORT', '-1'],
  ['HTTP_PORT', '65536'],
  ['SMPP_PORT', '1e3'],
  ['SMPP_PORT', '8080'],
  ['SMPP_TLS_PORT', 'x'],
  ['HOST', 'not a host'],
  ['DATABASE_URL', 'mysql://x'],
  ['EGRESS_ALLOW', '10.0.0.0/33'],
  ['EGRESS_ALLOW', 'example.com'],
  ['SMPP_PROXIES', 'haproxy'],
  ['SMPP_PROXIES', '10.0.0.0/8,127.0.0/8'],
  ['TRUSTED_PROXIES', 'proxy.example.com'],
  ['TRUSTED_PROXIES', '10.0.0.0/8,::1/129'],
  ['METRICS_PORT', '8080'],
  ['METRICS_PORT', 'x'],
  ['METRICS_TOKEN', 'short'],
  ['METRICS_TOKEN', 'has spaces in its middle'],
  ['ROLES', 'web,cook'],
  ['ROLES', ','],
  ['BILLING_CYCLE_SECONDS', '0'],
  ['BILLING_CYCLE_SECONDS', '7d'],
  ['TEXT_DAYS', '6'],
  ['TEXT_DAYS', '7d'],
  ['RECORD_MONTHS', '1'],
  ['RECORD_MONTHS', '121'],
  ['TRON_API_URL', 'ftp://node'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4317'],
  ['TRON_USDT_CONTRACT', '0xabc'],
  ['SMTP_URL', 'smtp.example.com'],
  ['SMTP_URL', 'https://smtp.example.com'],
  ['SMTP_URL', 'smtp://user@smtp.example.com'],
  ['SMTP_URL', 'smtp://%zz:x@smtp.example.com'],
  ['SMTP_URL', 'smtp://smtp.example.com/?ignoreTLS=true'],
  ['MAIL_FROM', 'nobody'],
  ['MAIL_FROM', 'A <a@example.com>, b@example.com'],
  ['MAIL_FROM', 'a@example.com\r\nBcc: b@example.com'],
  ['LOG_LEVEL', 'loud'],
  ['PUBLIC_URL', 'gateway.example.com'],
  ['PUBLIC_URL', 'https://gateway.example.com/console'],
  ['SECRET_KEY', 'short'],
  ['ACCEPT_NEW_SECRET_KEY', 'true'],
  ['ADMIN_USERNAME', 'a b'],
])('%s=%s stops the start with one line that names it', (name, value) => {
  const attempt = () => readConfig({ ADMIN_PASSWORD: 'long enough password', [name]: value })
  expect(attempt).toThrow(StartFailure)
  expect(attempt).toThrow(new RegExp(`^${name}[ =].*\\.$`))
})

test('a read replica is one standby, of a server of one’s own', () => {
  const servers = { DATABASE_URL: 'postgres://one/db', DATABASE_READ_URL: 'postgres://two/db' }
  expect(readConfig(servers).databaseReadUrl).toBe('postgres://two/db')
  expect(readConfig({}).databaseReadUrl).toBeUndefined()
  const { DATABASE_READ_URL } = servers
  expect(() => readConfig({ DATABASE_READ_URL })).toThrow(/^DATABASE_URL is missing: .*\.$/)
  for (const bad of ['postgres://u:hunter2@two,three/db', 'mysql://u:hunter2@two/db'])
    expect(() => readConfig({ ...servers, DATABASE_READ_URL: bad })).toThrow(
      /^DATABASE_READ_URL is not valid: (?!.*hunter2)/,
    )
})

test('a secret value is never repeated in the refusal', () => {
  expect(() => readConfig({ DATABASE_URL: 'nonsense:hunter2' })).not.toThrow(/hunter2/)
  expect(() => readConfig({ DATABASE_URL: 'nonsense:hunter2' })).toThrow(StartFailure)
  expect(() => readConfig({ SECRET_KEY: 'hunter2' })).not.toThrow(/hunter2/)
  expect(() => readConfig({ METRICS_TOKEN: 'hunter2' })).not.toThrow(/hunter2/)
  for (const name of ['TRON_API_URL', 'PUBLIC_URL'])
    expect(() => readConfig({ [name]: 'https://x:hunter2@node' })).toThrow(
      new RegExp(`^(?!.*hunter2)${name} .*\\.$`),
    )
  expect(() => readConfig({ TRON_API_URL: 'https://node', TRON_API_KEY: 'hunter2\nx: y' })).toThrow(
    /^(?!.*hunter2)TRON_API_KEY .*\.$/,
  )
})

test('TLS needs the certificate and the key', () => {
  expect(() => readConfig({ SMPP_TLS_PORT: '3550' })).toThrow(/^TLS_CERT is missing/)
  expect(() => readConfig({ SMPP_TLS_PORT: '3550', TLS_CERT: '/nowhere/cert.pem' })).toThrow(/no such file/)
})

test('an admin name without a password is refused; a password alone is for admin', () => {
  expect(() => readConfig({ ADMIN_USERNAME: 'root' })).toThrow(/^ADMIN_PASSWORD/)
  expect(readConfig({ ADMIN_PASSWORD: 'long enough password' }).admin?.username).toBe('admin')
})
