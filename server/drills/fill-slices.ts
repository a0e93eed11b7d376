// Gives each slice data by the product's own calls, as an admin and a client make them: what an upgrade must take along
// besides messages and money. Each call must succeed.
import { codeOf, stepAt } from '../src/users/factors/totp.ts'
import { fromBase32 } from '../test/people/base32.ts'
import { benchPassword, makeClient, type Call } from '../test/http/operator.ts'
import { signIn } from '../test/http/session.ts'
import { bindTransceiver } from '../test/traffic/wire.ts'

/** The gateway that is called, and its admin. */
export interface SlicesTarget {
  readonly url: string
  readonly smppPort: number
  readonly call: Call
}

interface WithId {
  readonly id: number | string
}

const number = '449098700001'
const entity = { legalName: 'Example Telecom Ltd', addressLines: ['1 High Street', 'London'], country: 'GB' }
const reason = 'Agreed by telephone'
const dayMs = 86_400_000

/** May be called once on a database. */
export async function fillSlices(target: SlicesTarget): Promise<void> {
  const { call, url } = target
  const clientId = await makeClient(call, 'sliceclient')
  const client = await signIn(url, 'sliceclient', benchPassword)
  await fillNumbers(call, clientId)
  await fillPeople(target, client, clientId)
  await fillMoney(call, client, clientId)
  await fillLinks(call, clientId)
  await fillWatching(call)
  await fillIntegrity(call)
  await fillRefusals(target)
}

/** In three days, the earliest that all rates may begin. */
const later = () => new Date(Date.now() + 3 * dayMs).toISOString()
const today = () => new Date().toISOString().slice(0, 10)

async function fillNumbers(call: Call, clientId: number): Promise<void> {
  await call('POST', '/api/ranges', {
    rangeNumber: '0977',
    startNumber: '449098700000',
    endNumber: '449098700999',
    rate: '1.50',
  })
  await call('POST', '/api/premium-numbers/import', {
    data: `Number,Description,Rate,Status,Country,Country Code\n${number},Vote,,active,United Kingdom,44`,
  })
  const stock = await call<WithId>('POST', '/api/number-inventory', {
    number: '449098700002',
    countryCode: '44',
    pricePerSms: '0.05',
  })
  await call('PUT', `/api/number-inventory/${stock.id}/assign`, { userId: clientId })
  await call('POST', '/api/premium-numbers/status/matching', {
    filter: { search: number },
    count: 1,
    status: 'suspended',
  })
  await call('PUT', '/api/admin/settings/global_sms_rate', { settingValue: '0.07', startsAt: later() })
}

async function fillPeople({ url, call }: SlicesTarget, client: Call, clientId: number): Promise<void> {
  await call('POST', '/api/keys', { scopes: ['records:read'] })
  await call('PATCH', '/api/user/preferences', { timeZone: 'Europe/London', theme: 'dark' })
  await call('PUT', '/api/user/preferences/screens/records', { value: '["number","amount"]' })
  await call('POST', '/api/notes', {
    objectType: 'user',
    objectId: String(clientId),
    text: 'Prefers e-mail.',
  })
  await call('POST', `/api/users/${clientId}/reset-links`)
  await call('PUT', `/api/users/${clientId}/terms`, {
    numbersMax: 10,
    smsPerDayMax: 5_000,
    valuePerCycleMax: '500.00',
    payableAfterDays: 30,
    reservePercent: 10,
    reserveDays: 90,
  })
  await client('POST', '/api/number-requests', {
    businessPurpose: 'Voting by SMS',
    expectedVolume: '50-200',
    countryCode: '44',
  })
  const { secret } = await client<{ secret: string }>('POST', '/api/user/second-factor/totp')
  await client('PUT', '/api/user/second-factor/totp', {
    code: codeOf(fromBase32(secret), stepAt(new Date())),
  })
  // Somebody guesses.
  await signIn(url, 'sliceclient', 'a wrong password').catch(() => undefined)
}

async function fillMoney(call: Call, client: Call, clientId: number): Promise<void> {
  await call('PUT', '/api/billing/own-company', entity)
  await client('PUT', '/api/billing/legal-entity', entity)
  await call('POST', '/api/books/purchase-prices', {
    range: '0977',
    supplier: 'sliceclient',
    price: '0.02',
    startsOn: today(),
  })
  await call('PUT', '/api/books/setup', { accounts: [{ account: 'payable', code: '1600' }] })
  await call('POST', '/api/billing/adjustments', { userId: clientId, amount: '25.00', reason })
  await call('POST', '/api/payments', {
    userId: clientId,
    amount: '25.00',
    status: 'confirmed',
    notes: 'Paid in cash',
  })
}

async function fillLinks(call: Call, clientId: number): Promise<void> {
  await call('POST', '/api/endpoints', {
    name: 'CRM',
    endpoint: 'https://crm.example.com/hooks',
    userId: clientId,
    events: ['message'],
  })
  await call('POST', '/api/cdr-schedules', {
    name: 'all-records',
    every: 'day',
    format: 'csv',
    columns: 'messageId,createdAt,phoneNumber,amountUsd',
    client: null,
    gateway: null,
    destination: {
      type: 's3',
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      bucket: 'example-records',
      path: 'daily',
      accessKeyId: 'EXAMPLEKEYID',
    },
    secret: 'an example secret',
  })
  await call('POST', '/api/providers', {
    name: 'East',
    apiUrl: 'https://east.example.com/records',
    apiKey: 'example-key',
    pollInterval: 5_000,
    enabled: false,
  })
  const { id } = await call<WithId>('POST', '/api/smpp-connections', {
    name: 'west',
    host: 'smsc.example.com',
    port: 2775,
    systemId: 'tollgate',
    password: 'secret08',
  })
  await call('PUT', `/api/smpp/flights/connection-${id}`, { isOn: true })
}

async function fillWatching(call: Call): Promise<void> {
  await call('POST', '/api/alert-rules', {
    name: 'All that is wrong',
    kinds: [],
    minSeverity: 'notice',
    threshold: 1,
    forMinutes: 0,
    repeatMinutes: 60,
    inConsole: true,
    mailTo: [],
    endpointId: null,
    quietFrom: '',
    quietTo: '',
    timeZone: 'UTC',
    isOn: true,
  })
  await call('PUT', '/api/analytics/mails', { name: 'Week by range', every: 'week', look: { by: 'range' } })
  const { alerts } = await call<{ alerts: { key: string }[] }>('GET', '/api/alerts')
  if (alerts[0] !== undefined) await call('PUT', '/api/alerts/acknowledgement', { key: alerts[0].key })
  await call('POST', '/api/subscribers/erasures', { number: '447700900999', reason: 'Asked by letter' })
  await call('PUT', '/api/admin/settings/overdue_after_days', { settingValue: '21' })
  // A looser one waits for a second admin.
  await call('PUT', '/api/admin/settings/second_person_above', { settingValue: '900000' })
}

async function fillIntegrity(call: Call): Promise<void> {
  await call('POST', '/api/integrity/listed-senders', {
    sender: '447700900998',
    reason: 'Reported by a carrier',
    untilDay: '2099-12-31',
  })
  await call('POST', '/api/integrity/disputes?carrier=Example%20Telecom', {
    data: `number,from,to,sender,count,amount\n${number},${today()},${today()},447700900318,40,2.00`,
  })
  await call('POST', '/api/integrity/back-tests', { versionId: 1, days: 28 })
}

async function fillRefusals({ smppPort }: SlicesTarget): Promise<void> {
  const bind = bindTransceiver({ port: smppPort, systemId: 'nobody', password: 'wrong' })
  const socket = await bind.catch(() => undefined)
  socket?.destroy()
}
