// A working call of every route: OpenAPI shows them, and a test makes each of them. Where nothing stands here, the example
// has the required fields with the values of `exampleFields`. Ids are of objects that the caller has.
import { standardThresholds } from './integrity/versions.ts'
import type { connectionsRoutes } from './connections/connections.ts'
import type { ownEndpointsRoutes } from './endpoints/endpoints.ts'
import type { liveFeedRoutes } from './live-feed/live-feed.ts'
import type { recordsRoutes } from './records/records.ts'
import type { Route, RouteCall } from './route.ts'

type ExamplesOf<T extends Record<string, Route>> = { readonly [K in keyof T]?: RouteCall<T[K]> }

const record = { id: '01M85Y1SRY0000000000000400' }
const endpoint = { id: '3' }
const delivery = { ...endpoint, deliveryId: '4711' }
const week = { dateFrom: '2026-11-16', dateTo: '2026-11-22' }

const ofRecords: ExamplesOf<typeof recordsRoutes> = {
  listRecords: { query: { ...week, status: 'delivered', limit: 50 } },
  summariseRecords: { query: week },
  reportRecords: { query: { ...week, groupBy: 'day' } },
  exportRecords: { query: week },
  exportChosenRecords: { body: { ids: [record.id], columns: 'messageId,createdAt,amountUsd' } },
  exportRecordsAsParquet: { query: week },
  exportChosenRecordsAsParquet: { body: { ids: [record.id] } },
  getRecord: { params: record },
  readRecordText: { params: record },
}

const ofLiveFeed: ExamplesOf<typeof liveFeedRoutes> = {
  pollEvents: { query: { cursor: '740-0-1-0', limit: 100, waitSeconds: 1 } },
  streamEvents: { query: { lastEventId: '740-0-1-0' } },
}

const ofConnections: ExamplesOf<typeof connectionsRoutes> = {
  sendTestMessage: {
    params: { id: '1' },
    body: { from: 'Tollgate', to: '447700900123', text: 'Your table is ready.' },
  },
}

const ofEndpoints: ExamplesOf<typeof ownEndpointsRoutes> = {
  listOwnEndpoints: {},
  pauseOwnEndpoint: { params: endpoint },
  resumeOwnEndpoint: { params: endpoint },
  testOwnEndpoint: { params: endpoint },
  listOwnDeliveries: { params: endpoint, query: { status: 'failed', limit: 20 } },
  getOwnDelivery: { params: delivery },
  sendOwnDeliveryNow: { params: delivery },
  replayOwnDelivery: { params: delivery },
  replayOwnFailed: { params: endpoint },
}

const sessionId = '0123456789abcdef0123456789abcdef'
const address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const transactionHash = 'f'.repeat(64)
const reason = 'Agreed with the client by telephone'
const month = { from: '2026-11-01', to: '2026-11-30' }
const terms = {
  numbersMax: 10,
  smsPerDayMax: 5_000,
  valuePerCycleMax: '500.00',
  payableAfterDays: 30,
  reservePercent: 10,
  reserveDays: 90,
}
const legalEntity = {
  legalName: 'Example Telecom Ltd',
  addressLines: ['1 High Street', 'London'],
  country: 'GB',
}
const cdrSchedule = {
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
}
const alertRule = {
  name: 'Links that fail',
  kinds: ['connection'],
  minSeverity: 'warning',
  threshold: 1,
  forMinutes: 5,
  repeatMinutes: 60,
  inConsole: true,
  mailTo: ['noc@example.com'],
  endpointId: null,
  quietFrom: '',
  quietTo: '',
  timeZone: 'UTC',
  isOn: true,
}

/** Beside those of {@link examples}: calls of people, by the name of the route. */
const ofPeople: Readonly<Record<string, RouteCall<Route>>> = {
  endSession: { params: { id: sessionId } },
  login: { body: { username: 'maya', password: 'a long example password' } },
  register: {
    body: {
      username: 'maya',
      password: 'a long example password',
      email: 'maya@example.com',
      firstName: 'Maya',
      lastName: 'Cohen',
    },
  },
  changePassword: {
    body: { currentPassword: 'a long example password', newPassword: 'another long example password' },
  },
  reauthenticate: { body: { password: 'a long example password' } },
  requestPasswordReset: { body: { account: 'maya@example.com' } },
  getOwnAccount: { query: month },
  getAccount: { query: month },
  getAccruals: { query: { at: '2026-11-30T23:59:59Z' } },
  exportAccruals: { query: { at: '2026-11-30T23:59:59Z' } },
  exportMovements: { query: month },
  exportOwnMovements: { query: month },
  draftRun: { query: { references: '12-7' } },
  getBillingTerms: { query: { about: 'billing_period 3-17' } },
  getActivity: { query: { day: '2026-11-16' } },
  editUser: { body: { firstName: 'Maya', lastName: 'Levi' } },
  setUserRole: { body: { role: 'support' } },
  editSmppProfile: { body: { throughput: 50, window: 20, allowedCidrs: ['203.0.113.0/24'] } },
  editPreferences: { body: { timeZone: 'Europe/London', theme: 'dark' } },
  keepScreen: { params: { name: 'records.columns' }, body: { value: '["number","amount"]' } },
  confirmTotp: { body: { code: '123456' } },
  createRange: {
    body: { rangeNumber: '44909879', startNumber: '449098790000', endNumber: '449098799999', rate: '1.50' },
  },
  replaceRange: { body: { description: 'Voting lines', rate: '1.60' } },
  createPremiumNumber: { body: { number: '449098790142', description: 'Vote', country: 'United Kingdom' } },
  replacePremiumNumber: { body: { description: 'Vote of the week' } },
  importPremiumNumbers: {
    query: { dryRun: 'false' },
    body: {
      data: 'Number,Description,Rate,Status,Country,Country Code\n449098790150,Vote,,active,United Kingdom,44',
    },
  },
  readImportColumns: {
    body: { data: 'Phone,Customer,Price\n449098790150,client7,1.50' },
  },
  setMatchingNumberStatus: {
    body: { filter: { country: 'United Kingdom' }, count: 250, status: 'suspended' },
  },
  assignMatchingNumbers: { body: { filter: { status: 'available', country: 'GB' }, count: 250, userId: 7 } },
  unassignMatchingNumbers: { body: { filter: { search: 'client7' }, count: 40 } },
  setMatchingRangeStatus: { body: { filter: { search: '0900' }, count: 12, status: 'inactive' } },
  setMatchingUserStatus: { body: { filter: { role: 'user' }, count: 30, status: 'inactive' } },
  processMatchingRequests: { body: { filter: { status: 'pending' }, count: 9, action: 'approve' } },
  createInventoryItem: { body: { number: '449098790143', countryCode: '44', pricePerSms: '0.05' } },
  editInventoryItem: { body: { pricePerSms: '0.06' } },
  createRequest: { body: { businessPurpose: 'Voting by SMS', expectedVolume: '50-200', countryCode: '44' } },
  editRequest: { body: { businessPurpose: 'Voting and quiz by SMS', expectedVolume: '200-500' } },
  processRequest: { body: { action: 'approve' } },
  bulkProcessRequests: { body: { ids: ['7'], action: 'approve' } },
  putSetting: { params: { key: 'global_sms_rate' }, body: { settingValue: '0.05' } },
  decideSettingChange: { params: { key: 'treasury_addresses' }, body: { action: 'approve' } },
  putTerms: { body: terms },
  decideTermsChange: { body: { action: 'approve' } },
  putUserRate: { body: { customSmsRate: '0.04' } },
  putProfile: { body: { fullName: 'Maya Cohen', usdtAddress: address } },
  checkAddress: { query: { address } },
  payPeriod: { body: { transactionHash } },
  decidePeriodPayment: { body: { action: 'accept', difference: 'owe', reason } },
  createPayment: { body: { userId: 7, amount: '25.00', status: 'confirmed', notes: 'Paid in cash' } },
  decidePayment: { body: { action: 'accept', difference: 'waive', reason } },
  replacePaymentHash: { body: { transactionHash: 'e'.repeat(64), reason } },
  processPayout: { body: { transactionHash: 'd'.repeat(64) } },
  decidePayoutPayment: { body: { action: 'accept', difference: 'waive', reason } },
  whatIf: { query: { rate: '0.06' } },
  allowClose: { body: { cycleCount: 1, reason: 'The clock of the server was wrong and is right again' } },
  matchTransfer: { body: { references: ['12-7'], reason } },
  createRun: { body: { references: ['12-7'], note: 'Bills of the week' } },
  importRunHashes: {
    query: { dryRun: 'false' },
    body: { data: `reference,transaction_hash\n12-7,${transactionHash}` },
  },
  createCreditNote: { body: { amount: '0.01', reason, clientReason: 'The carrier pays only a part.' } },
  putBookSetup: {
    body: {
      accounts: [{ account: 'payable', code: '1600' }],
    },
  },
  previewBackdating: { query: { numberId: '7', from: '2026-11-02T00:00:00Z' } },
  checkJournal: { query: month },
  exportJournal: { query: month },
  getMargin: { query: month },
  exportMargin: { query: month },
  getRangeEarnings: { query: week },
  analyse: { query: { ...week, by: 'day' } },
  exportAnalytics: { query: { ...week, by: 'day' } },
  loginWithPasskey: {
    body: {
      id: 'AbCdEf0123456789',
      clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
      authenticatorData: 'SZYN5YgOjGh0NBcP',
      signature: 'MEUCIQDexample',
      userHandle: 'dXNlcg',
    },
  },
  addPasskey: {
    body: {
      id: 'AbCdEf0123456789',
      clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
      attestationObject: 'o2NmbXRkbm9uZQ',
      name: 'Phone',
    },
  },
  createPurchasePrice: {
    body: { range: 'R1', supplier: 'supplier1', price: '0.02', startsOn: '2026-11-16' },
  },
  putLegalEntity: { body: legalEntity },
  putOwnCompany: { body: legalEntity },
  putClientEntity: { body: legalEntity },
  addListedSender: {
    body: { sender: '447700900318', reason: 'Reported by a carrier', untilDay: '2030-12-31' },
  },
  importDispute: {
    query: { carrier: 'Example Telecom', dryRun: 'false' },
    body: {
      data: 'number,from,to,sender,count,amount\n449098790142,2026-11-16,2026-11-17,447700900318,40,2.00',
    },
  },
  addBackTest: { body: { versionId: 1, days: 28 } },
  compareCounts: { query: {}, body: { data: 'day,number,count\n2026-11-16,449098790142,1200' } },
  openDisputeCases: { body: {} },
  correctDispute: { body: { userId: 7, reason: 'Disputed by the carrier' } },
  importListedSenders: {
    query: { dryRun: 'false' },
    body: { data: 'sender,reason,until\n44770090*,Cards of one batch,2030-12-31' },
  },
  removeListedSender: { body: { reason: 'Named by mistake' } },
  decideHolds: { body: { ids: ['7'], action: 'release', reason } },
  keepAnalyticsMail: { body: { name: 'Week by range', every: 'week', look: { by: 'range' } } },
  getSupplierAlias: { query: { source: 'smpp', name: 'supplier1' } },
  setSupplierAlias: { body: { source: 'smpp', name: 'supplier1', alias: 'North' } },
  createEndpoint: { body: { name: 'CRM', endpoint: 'https://crm.example.com/hooks', events: ['message'] } },
  editEndpoint: { body: { rateLimit: 50 } },
  createOwnEndpoint: {
    body: { name: 'CRM', endpoint: 'https://crm.example.com/hooks', events: ['message'] },
  },
  editOwnEndpoint: { body: { rateLimit: 50 } },
  createProvider: {
    body: {
      name: 'East',
      apiUrl: 'https://east.example.com/records',
      apiKey: 'example-key',
      pollInterval: 5_000,
    },
  },
  configureCustomProvider: { body: { apiUrl: 'https://east.example.com/records', apiKey: 'example-key' } },
  previewProvider: { body: { apiUrl: 'https://east.example.com/records', apiKey: 'example-key' } },
  editProvider: { body: { pollInterval: 10_000 } },
  replayDeadLetters: { body: { reason: 'unknown_number' } },
  createConnection: {
    body: { name: 'West', host: 'smsc.example.com', port: 2775, systemId: 'tollgate', password: 'secret08' },
  },
  editConnection: { body: { throughput: 100 } },
  getFlight: { params: { link: 'connection-7' } },
  switchFlight: { params: { link: 'connection-7' }, body: { isOn: true } },
  findOwnMessages: { params: { id: record.id } },
  findSupplierMessages: { params: { id: '7', messageId: record.id } },
  putLinkConfig: { body: { enquireLinkSeconds: 30 } },
  acknowledgeAlert: { body: { key: 'connection 7' } },
  withdrawAcknowledgement: { query: { key: 'connection 7' } },
  createAlertRule: { body: alertRule },
  updateAlertRule: { body: alertRule },
  createCdrSchedule: { body: cdrSchedule },
  editCdrSchedule: { body: { ...cdrSchedule, name: 'hourly-records', every: 'hour' } },
  readNotifications: { body: { upTo: '12' } },
  findSubscriber: { body: { number: '447700900318' } },
  exportSubscriber: { body: { number: '447700900318' } },
  requestErasure: { body: { number: '447700900318', reason: 'Asked by letter' } },
  decideErasure: { body: { action: 'approve' } },
  search: { query: { q: '4490' } },
  listNotes: { query: { objectType: 'user', objectId: '7' } },
  addVersion: { body: { thresholds: standardThresholds, note: 'A class of neighbours was held twice.' } },
  createNote: { body: { objectType: 'user', objectId: '7', text: 'Prefers e-mail.' } },
  disconnectBind: { params: { id: 'node1-7' } },
}

/** By the name of the route. */
export const examples: Readonly<Record<string, RouteCall<Route>>> = {
  ...ofPeople,
  ...(ofRecords as Readonly<Record<string, RouteCall<Route>>>),
  ...(ofLiveFeed as Readonly<Record<string, RouteCall<Route>>>),
  ...(ofConnections as Readonly<Record<string, RouteCall<Route>>>),
  ...(ofEndpoints as Readonly<Record<string, RouteCall<Route>>>),
}

/** What a required field of this name is in an example, unless the example says otherwise. */
export const exampleFields: Readonly<Record<string, unknown>> = {
  id: '7',
  ids: ['7'],
  userId: 7,
  linkId: 3,
  letterId: '12',
  deliveryId: '4711',
  fileId: '31',
  sessionId,
  keyId: '0123456789abcdef01',
  name: 'Example',
  reason,
  action: 'accept',
  status: 'active',
  role: 'user',
  token: 'x'.repeat(43),
  code: '123456',
  brokenId: '4711',
  references: ['12-7'],
  numberId: '7',
  rows: [{ id: '7', status: 'active' }],
  isOn: true,
  username: 'maya',
  password: 'a long example password',
  newPassword: 'another long example password',
  email: 'maya@example.com',
  firstName: 'Maya',
  lastName: 'Cohen',
  limit: 20,
  search: '4490',
  hours: 24,
  number: '449098790142',
  amount: '25.00',
  text: 'Your table is ready.',
  from: '447700900318',
  to: '449098790142',
}
