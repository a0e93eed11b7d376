import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type {
  OwnBinds,
  OwnMessage,
  OwnRefusedBind,
  OwnTraffic,
} from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { SmppTraffic } from './SmppTraffic.tsx'
import { SmppTrafficPage } from './SmppTrafficPage.tsx'

const supplier = { ...admin, role: 'user' as const, username: 'north', smppAccess: true }
const lastAt = '2026-11-19T14:00:00.000Z'
const none = Array.from({ length: 24 }, () => 0)
const unknown = { reason: 'unknown' as const, status: 0x0b, statusText: 'Invalid destination address (0x0B)' }
const vendor = { reason: 'malformed' as const, status: 0x0400, statusText: 'SMSC vendor error' }

const traffic: OwnTraffic = {
  from: '2026-11-18T15:00:00.000Z',
  accepted: [...none.slice(1), 997],
  refused: [
    { ...unknown, count: 2, lastAt, hours: [...none.slice(1), 2] },
    { ...vendor, count: 1, lastAt, hours: [1, ...none.slice(1)] },
  ],
  refusedNumbers: [
    { ...unknown, number: '447700999123', count: 1, lastAt },
    { ...unknown, number: 'other', count: 1, lastAt },
  ],
}
const binds: OwnBinds = {
  systemId: 'north',
  hasAccess: true,
  messagesPerSecond: 12.34,
  throughput: 100,
  window: 50,
  maxConnections: 4,
  receipts: { waiting: 5_000, taken: 7, notTaken: 1 },
  binds: [
    {
      id: 'b1',
      systemId: 'north',
      bindType: 'transceiver',
      interfaceVersion: '3.4',
      remoteAddress: '192.0.2.7',
      isTls: true,
      boundAt: lastAt,
      lastActivityAt: lastAt,
      messagesPerSecond: 12.34,
      received: 1_234,
      windowUsed: 3,
      windowMax: 50,
    },
  ],
}
const refusedBind: OwnRefusedBind = {
  systemId: 'north',
  address: '192.0.2.8',
  reason: 'too_many_binds',
  status: 0x0d,
  statusText: 'Bind failed (0x0D)',
  count: 3,
  lastAt,
}
const message: OwnMessage = {
  messageId: '01M85Y1SRY0000000000000400',
  createdAt: lastAt,
  updatedAt: lastAt,
  phoneNumber: '449098790142',
  sender: 'ACME',
  status: 'completed',
  dataCoding: 0,
  part: { reference: 77, total: 3, position: 2 },
  smsCount: 1,
  systemId: 'north',
  receipt: { state: 'not_taken', at: lastAt, attempts: 2, error: 'Refused with 0x66: rejected' },
}
const answers = {
  'GET /api/user/traffic': traffic,
  'GET /api/user/binds': binds,
  'GET /api/user/refused-binds': [refusedBind],
}

function show(url = '/smpp-traffic', more = {}) {
  return renderApp(<SmppTrafficPage />, { user: supplier, url, answers: { ...answers, ...more } })
}

test('what was refused stands with its status in words and its fix', async () => {
  show()
  const refused = await screen.findByRole('table', { name: 'Refused messages' })
  const [, first, second] = within(refused).getAllByRole('row')
  for (const words of ['0x0000000B', 'Invalid destination address', /Check the number/])
    expect(within(first!).getByText(words)).toBeDefined()
  // Its code stands above its meaning.
  expect(within(second!).getByText('0x00000400')).toBeDefined()
  expect(within(second!).getByText('SMSC vendor error')).toBeDefined()
  const numbers = screen.getByRole('table', { name: 'Destinations that were refused' })
  expect(within(numbers).getByText('+44 7700 999123')).toBeDefined()
  expect(within(numbers).getByText('Other destinations, counted together')).toBeDefined()
})

test('the strip adds up, and says beside each figure what the account allows', async () => {
  show()
  const strip = await screen.findByRole('region', { name: 'SMPP Traffic' })
  for (const words of [
    '997',
    '0.30 % of what was sent',
    'of 4 allowed, window 50; 12.3 of 100 msg/s',
    'in 24 h; 1 not taken, 5,000+ wait',
  ])
    expect(await within(strip).findByText(words)).toBeDefined()
})

test('another period is asked for, and nothing refused is said as such', async () => {
  const { requests, address } = show('/smpp-traffic', {
    'GET /api/user/traffic': { ...traffic, refused: [], refusedNumbers: [] },
  })
  expect(await screen.findByText('Nothing was refused')).toBeDefined()
  expect(screen.queryByRole('table', { name: 'Destinations that were refused' })).toBeNull()
  await userEvent.click(screen.getByLabelText('7 days'))
  expect(address()).toContain('hours=168')
  const calls = requests.filter(({ path }) => path === '/api/user/traffic')
  expect(calls.map(({ query }) => query.get('hours'))).toEqual(['24', '168'])
})

test('binds show what they carry, and those that were refused their fix', async () => {
  show('/smpp-traffic')
  const own = await screen.findByRole('table', { name: 'Binds' })
  for (const words of ['192.0.2.7', 'TLS', '1,234', '3 of 50'])
    expect(await within(own).findByText(words)).toBeDefined()
  const refused = screen.getByRole('table', { name: 'Refused binds' })
  for (const words of ['192.0.2.8', '0x0000000D', /Close a bind/])
    expect(within(refused).getByText(words)).toBeDefined()
})

test('an account that is not bound reads how to', async () => {
  show('/smpp-traffic', { 'GET /api/user/binds': { ...binds, binds: [] } })
  expect(await screen.findByText('Not bound')).toBeDefined()
})

test('a message is found by its id, with its part and what became of its receipt', async () => {
  const { address } = show('/smpp-traffic', { 'GET /api/user/messages/ABC123': [message] })
  await userEvent.type(await screen.findByLabelText('Message ID'), '  ABC123 {Enter}')
  const found = await screen.findByRole('table', { name: 'Messages with this id' })
  for (const words of ['+44 909 879 0142', 'ACME', '2 of 3, reference 77', /^Not taken/, /0x66/])
    expect(await within(found).findByText(words)).toBeDefined()
  expect(address()).toContain('id=ABC123')
})

test('what is no id is not asked for, and an unknown id says so', async () => {
  const { requests } = show('/smpp-traffic', {
    'GET /api/user/messages/ABC': refusal(404, { code: 'not_found', message: 'No such message.' }),
  })
  const field = await screen.findByLabelText('Message ID')
  await userEvent.type(field, '../binds{Enter}')
  expect(screen.getByText('Enter the message_id of the answer: letters and digits')).toBeDefined()
  expect(requests.filter(({ path }) => path.startsWith('/api/user/messages'))).toEqual([])
  await userEvent.clear(field)
  await userEvent.type(field, 'ABC{Enter}')
  expect(await screen.findByText('No message has this id')).toBeDefined()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('staff see the same of an account, read from its own addresses', async () => {
  const answersOf = Object.fromEntries(
    Object.entries(answers).map(([call, answer]) => [call.replace('/api/user/', '/api/users/7/'), answer]),
  )
  const { requests } = renderApp(
    <SmppTraffic state={{ hours: '24', id: 'ABC123' }} onChange={() => undefined} userId={7} />,
    { answers: { ...answersOf, 'GET /api/users/7/messages/ABC123': [message] } },
  )
  const found = await screen.findByRole('table', { name: 'Messages with this id' })
  expect(await within(found).findByText('+44 909 879 0142')).toBeDefined()
  const strip = screen.getByRole('region', { name: 'SMPP Traffic' })
  for (const words of ['997', 'of 4 allowed, window 50; 12.3 of 100 msg/s'])
    expect(await within(strip).findByText(words)).toBeDefined()
  expect(requests.filter(({ path }) => /^\/api\/user\/(traffic|binds|messages)/.test(path))).toEqual([])
})
