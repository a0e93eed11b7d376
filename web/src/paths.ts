// All addresses of the console. Spec §2, route table.

export const paths = {
  home: '/',
  dashboard: '/dashboard',
  auth: '/auth',
  records: '/sms-records',
  ranges: '/ranges',
  numbers: '/numbers',
  payment: '/payment',
  users: '/users',
  paymentManagement: '/payment-management',
  books: '/books',
  adminSettings: '/admin-settings',
  auditLog: '/audit-log',
  numbersManagement: '/numbers-management',
  numberRequests: '/number-requests',
  numberInventory: '/number-inventory',
  interconnectionApi: '/interconnection-api',
  cdrFiles: '/cdr-files',
  smppControl: '/smpp-control',
  smppTraffic: '/smpp-traffic',
  httpProviders: '/http-providers',
  webhooks: '/webhooks',
  numberStock: '/number-stock',
  alerts: '/alerts',
} as const

/** The pages of single objects; `$id` is what the API calls `id`. */
export const objectPaths = {
  person: '/users/$id',
  number: '/numbers/$id',
  range: '/ranges/$id',
  connection: '/connections/$id',
  provider: '/providers/$id',
  endpoint: '/endpoints/$id',
  bill: '/bills/$id',
} as const
export type ObjectKind = keyof typeof objectPaths

/** The address of one object's page. */
export function objectPath(kind: ObjectKind, id: string | number): string {
  return objectPaths[kind].replace('$id', encodeURIComponent(String(id)))
}

/** The address of the records list with filters, for links from a figure to its records. */
export function recordsPath(filters: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(filters).toString()
  return search === '' ? paths.records : `${paths.records}?${search}`
}

/** The same for a figure of the traffic, in which no test message counts. */
export function trafficPath(filters: Readonly<Record<string, string>> = {}): string {
  return recordsPath({ ...filters, test: 'false' })
}
