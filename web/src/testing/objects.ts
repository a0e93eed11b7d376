// One of each object that has a page of its own; people, links and bills are in the files beside this one.
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import type { AccountNumber, NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { defaultMapping, type Provider } from '@tollgate/contract/providers/providers.ts'
import type { NumberRange } from '@tollgate/contract/numbers/ranges.ts'

export const someRange: NumberRange = {
  id: '3',
  rangeNumber: '0900',
  startNumber: '449098790000',
  endNumber: '449098799999',
  description: 'Votes',
  rate: '1.5',
  scheduled: null,
  status: 'active',
  createdAt: '2026-11-19T14:31:58.102Z',
  version: 2,
}

export const someAccountNumber: AccountNumber = {
  id: '7',
  accountNumber: 'ACC-20417',
  clientName: 'client2',
  phoneNumber: '449098790142',
  type: 'toll-free',
  rate: '1.50',
  usdPerSms: '0.05',
  scheduled: null,
  earned: '1.50',
  status: 'active',
  description: 'Vote line',
  createdAt: '2026-11-19T14:31:58.102Z',
}

/** The same number in the stock, free. */
export const someItem: InventoryItem = {
  id: someAccountNumber.id,
  number: someAccountNumber.phoneNumber,
  countryCode: '+44',
  country: 'United Kingdom',
  operator: '',
  pricePerSms: '',
  usdPerSms: '0.05',
  scheduled: null,
  earned: '1.50',
  status: 'available',
  assignedTo: null,
  assignedUsername: '',
  assignedFrom: null,
  createdAt: someAccountNumber.createdAt,
  version: 1,
}

export const someNumber: NumberDetail = {
  ...someAccountNumber,
  country: 'United Kingdom',
  countryCode: '+44',
  operator: 'Acme Telecom',
  pricePerSms: '',
  range: { id: someRange.id, rangeNumber: someRange.rangeNumber },
  holder: { id: 12, username: 'client2', since: '2026-11-19T14:31:58.102Z' },
  holdings: [{ userId: 12, username: 'client2', from: '2026-11-19T14:31:58.102Z', to: null }],
  usdPerSmsNow: '0.05',
  version: 1,
}

export const someProvider: Provider = {
  id: '7',
  name: 'Acme CDR',
  apiUrl: 'https://api.example.com/records',
  authType: 'api_key',
  username: '',
  apiKey: '••••••••',
  hasApiKey: true,
  hasPassword: false,
  enabled: true,
  pollInterval: 300_000,
  lookback: 3_600_000,
  gapAlarm: 86_400_000,
  startAt: null,
  timeZone: 'UTC',
  mapping: { ...defaultMapping },
  version: 3,
  createdAt: '2026-11-19T14:00:00.000Z',
  updatedAt: '2026-11-19T14:00:00.000Z',
}

export const someEndpoint: Endpoint = {
  id: '3',
  name: 'CRM',
  endpoint: 'https://crm.example.com/hook',
  method: 'POST',
  apiKey: 'whsec_••••••••',
  rateLimit: 1_000,
  status: 'active',
  events: ['message', 'receipt'],
  verifiedAt: null,
  statusReason: '',
  userId: null,
  client: '',
  lastUsed: '2026-11-19T14:00:00.000Z',
  failingSince: null,
  stateSince: '2026-11-19T14:00:00.000Z',
  totalRequests: 200,
  successRate: 90,
  waiting: 0,
  version: 1,
  createdAt: '2026-11-19T14:00:00.000Z',
  updatedAt: '2026-11-19T14:00:00.000Z',
}
