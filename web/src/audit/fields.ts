// What people call the fields of an audit entry, and how they read their values. Programs and files have both as kept.
import { formatDay, formatInstant } from '../format/dates.ts'
import { t } from '../language/t.ts'

const names: Readonly<Record<string, string>> = {
  alias: t('Alias'),
  allowedCidrs: t('Networks'),
  amount: t('Amount'),
  apiUrl: t('API URL'),
  approvedBy: t('Approved by'),
  assignedTo: t('Assigned To'),
  authType: t('Authentication'),
  bindType: t('Bind Type'),
  count: t('Count'),
  country: t('Country'),
  countryCode: t('Country Code'),
  customSmsRate: t('Custom rate'),
  day: t('Day'),
  email: t('Email'),
  enabled: t('Enabled'),
  events: t('Sends'),
  expiresAt: t('Expires'),
  file: t('File'),
  firstName: t('First name'),
  from: t('From'),
  hash: t('Transaction Hash'),
  host: t('Host'),
  interfaceVersion: t('Interface Version'),
  kind: t('Type'),
  lastName: t('Last name'),
  legalName: t('Legal name'),
  lines: t('Lines'),
  mailTo: t('Mail to'),
  maxConnections: t('Max. connections'),
  messageId: t('Message ID'),
  method: t('Method'),
  name: t('Name'),
  note: t('Note'),
  notes: t('Notes'),
  number: t('Number'),
  port: t('Port'),
  prefix: t('Prefix'),
  range: t('Range'),
  rate: t('Rate'),
  rateLimit: t('Rate Limit'),
  reason: t('Reason'),
  requestedBy: t('Asked for by'),
  role: t('Role'),
  run: t('Payment run'),
  startsAt: t('Starts'),
  state: t('State'),
  status: t('Status'),
  success: t('Success'),
  systemId: t('System ID'),
  taxNumber: t('Tax number'),
  tlsCa: t('Own CA'),
  tlsName: t('Expected name'),
  to: t('To'),
  transactionHash: t('Transaction Hash'),
  type: t('Type'),
  until: t('Until'),
  url: t('Endpoint URL'),
  usdtAddress: t('USDT Address'),
  user: t('User'),
  userId: t('User ID'),
  username: t('Username'),
  value: t('Value'),
}

const camelCase = (key: string): string =>
  key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** 'Max. connections' for maxConnections and max_connections. A field without a name stands as it is. */
export function fieldName(key: string): string {
  const name = camelCase(key)
  return Object.hasOwn(names, name) ? (names[name] ?? key) : key
}

/** A value as text, with times in the zone of the reader; "–" for nothing. */
export function fieldValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  if (typeof value !== 'string') return JSON.stringify(value)
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return formatDay(value)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
    ? formatInstant(value)
    : value
}
