import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import type { AccountNumber } from '@tollgate/contract/numbers/numbers.ts'
import { expect, test, vi } from 'vitest'
import type { ApiStubs } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { FirstSteps } from './FirstSteps.tsx'

const stats = {
  totalRecords: 0,
  completed: 0,
  pending: 0,
  issues: 0,
  uniqueNumbers: 0,
  activeProviders: 0,
  tests: 0,
  today: { processed: 0, delivered: 0, pending: 0, failed: 0 },
}
const inventory = { count: 0, assigned: 0, available: 0, suspended: 0, countries: [] }

const own: AccountNumber = {
  id: '7',
  accountNumber: 'ACC-1',
  clientName: 'admin',
  phoneNumber: '449098790142',
  type: 'premium',
  rate: '1.50',
  scheduled: null,
  usdPerSms: '0.05',
  earned: '1.50',
  status: 'active',
  description: '',
  createdAt: '2026-11-19T14:31:58.102Z',
}

function open(answers: ApiStubs = {}, isStaff = true, smppAccess = false) {
  const onEnd = vi.fn<() => void>()
  renderApp(<FirstSteps isStaff={isStaff} onEnd={onEnd} />, {
    user: isStaff ? admin : { ...admin, role: 'user', smppAccess },
    answers: {
      'GET /api/number-inventory/summary': inventory,
      'GET /api/number-inventory': [],
      'GET /api/users/summary': { count: 0, active: 0, withSmppAccess: 0 },
      'GET /api/stats': stats,
      'GET /api/user/profile': {
        fullName: '',
        usdtAddress: '',
        email: '',
        pendingUsdtAddress: null,
        pendingFrom: null,
        sendsMail: false,
      },
      'GET /api/numbers': [],
      'GET /api/user/endpoints': [],
      'GET /api/number-stock/terms': { offer: 'off', takesLeft: 0, countries: [] },
      ...answers,
    },
  })
  return onEnd
}

const titlesAndMarks = () =>
  screen
    .getAllByRole('listitem')
    .map((item) => [item.querySelector('p')?.textContent, item.getAttribute('aria-current')])

async function states() {
  await screen.findByText(/ of [46] done$/)
  return titlesAndMarks()
}

test('all steps stand there before their states are known, and claim nothing', async () => {
  open({ 'GET /api/stats': () => new Promise(() => undefined) })
  await screen.findByText('Add your numbers')
  expect(titlesAndMarks().map(([title]) => title)).toContain('Send a test message')
  await waitFor(() =>
    expect(titlesAndMarks()).toEqual([
      ['Add your numbers: to do', null],
      ['Add a client: to do', null],
      ['Give a number to a client: to do', null],
      ['Add a supplier: to do', null],
      ['Send a test message', null],
      ['See the first message earn', null],
    ]),
  )
  expect(screen.queryByText(/of 6 done$/)).toBeNull()
})

test('an empty gateway leads from its numbers to a message that earns, and offers nothing that is refused', async () => {
  open()
  expect(await states()).toEqual([
    ['Add your numbers: to do', 'step'],
    ['Add a client: to do', null],
    ['Give a number to a client: to do', null],
    ['Add a supplier: to do', null],
    ['Send a test message: to do', null],
    ['See the first message earn: to do', null],
  ])
  expect(screen.getByText('0 of 6 done')).toBeDefined()
  const send = screen.getByRole('button', { name: 'Send a test message' })
  expect(send.getAttribute('aria-disabled')).toBe('true')
  expect(screen.getAllByText('First add a number.')).toHaveLength(2)
  expect(screen.queryByRole('button', { name: 'Assign' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Add Number' }))
  expect(await screen.findByRole('dialog', { name: 'Add Premium Number' })).toBeDefined()
})

const item: InventoryItem = {
  id: '7',
  number: '449098790142',
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
  createdAt: '2026-11-19T14:31:58.102Z',
  version: 1,
}
const oneNumber = {
  'GET /api/number-inventory/summary': { ...inventory, count: 1, available: 1 },
  'GET /api/number-inventory': [item],
}

test('a number is given once there is a client; until then the step says what comes first', async () => {
  const people = { count: 1, active: 1, withSmppAccess: 1 }
  open({ ...oneNumber, 'GET /api/users/summary': () => people })
  expect(await states()).toContainEqual(['Add a client: to do', 'step'])
  expect(screen.getByText('First add a client.')).toBeDefined()
})

test('each step knows from the data that it is done, and the next one opens over the dashboard', async () => {
  const onEnd = open({
    ...oneNumber,
    'GET /api/users/summary': { count: 2, active: 2, withSmppAccess: 1 },
    'GET /api/users': [],
    'GET /api/numbers': [own],
  })
  expect(await states()).toEqual([
    ['Add your numbers: done', null],
    ['Add a client: done', null],
    ['Give a number to a client: to do', 'step'],
    ['Add a supplier: done', null],
    ['Send a test message: to do', null],
    ['See the first message earn: to do', null],
  ])
  await userEvent.click(await screen.findByRole('button', { name: 'Assign' }))
  const assign = await screen.findByRole('dialog', { name: 'Assign Number' })
  await userEvent.click(within(assign).getByRole('button', { name: 'Cancel' }))
  await userEvent.click(screen.getByRole('button', { name: 'Send a test message' }))
  const to = await within(await screen.findByRole('dialog')).findByLabelText('To')
  await waitFor(() => expect((to as HTMLSelectElement).value).toBe('449098790142'))
  expect(onEnd).not.toHaveBeenCalled()
})

test('a client is led from its address to a webhook, and may dismiss it', async () => {
  const onEnd = open({ 'GET /api/numbers': [own] }, false)
  expect(await states()).toEqual([
    ['Enter your payout address: to do', 'step'],
    ['Get a number: done', null],
    ['Send a test message: to do', null],
    ['Add a webhook: to do', null],
  ])
  await userEvent.click(screen.getByRole('button', { name: 'Send a test message' }))
  const to = await screen.findByLabelText('To')
  expect((to as HTMLInputElement).value).toBe('449098790142')
  await userEvent.click(within(screen.getByRole('dialog')).getAllByRole('button', { name: 'Close' })[0]!)
  await userEvent.click(screen.getByRole('button', { name: 'Do not show the first steps again' }))
  expect(onEnd).toHaveBeenCalledOnce()
})

test('it ends by itself when nothing is left to do', async () => {
  const onEnd = open({
    'GET /api/number-inventory/summary': { ...inventory, count: 5, assigned: 1 },
    'GET /api/users/summary': { count: 2, active: 2, withSmppAccess: 1 },
    'GET /api/stats': { ...stats, totalRecords: 1 },
  })
  await waitFor(() => expect(onEnd).toHaveBeenCalledOnce())
  expect(screen.queryByText('First steps')).toBeNull()
})

const binds = {
  systemId: 'anna',
  hasAccess: true,
  messagesPerSecond: 0,
  throughput: 0,
  window: 10,
  maxConnections: 5,
  receipts: { waiting: 0, taken: 0, notTaken: 0 },
  binds: [],
}
const traffic = { from: '2026-11-19T14:00:00.000Z', accepted: [0, 0], refused: [], refusedNumbers: [] }
const supplied = { 'GET /api/user/binds': binds, 'GET /api/user/traffic': traffic }

test('a supplier is led from its bind to its first message, without the steps of a client', async () => {
  open(supplied, false, true)
  await screen.findByText('0 of 2 done')
  expect(screen.getAllByRole('listitem').map((item) => item.querySelector('p')?.textContent)).toEqual([
    'Bind to the gateway: to do',
    'Send a message: to do',
  ])
  expect(screen.getByRole('link', { name: 'SMPP Traffic' }).getAttribute('href')).toBe('/smpp-traffic')
})

test('a supplier whose messages are accepted sees no steps any more', async () => {
  const onEnd = open({ ...supplied, 'GET /api/user/traffic': { ...traffic, accepted: [0, 3] } }, false, true)
  await waitFor(() => expect(onEnd).toHaveBeenCalledOnce())
  expect(screen.queryByText('First steps')).toBeNull()
})

test('a client that binds has the steps of a client', async () => {
  open({ ...supplied, 'GET /api/numbers': [own] }, false, true)
  expect(await states()).toContainEqual(['Get a number: done', null])
})
