import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import { expect, test, vi } from 'vitest'
import { refusal } from '../../testing/api-stub.ts'
import { someItem } from '../../testing/objects.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { NumberRequestsPage } from './NumberRequestsPage.tsx'

const waiting: NumberRequest = {
  id: '5',
  userId: 12,
  userName: 'client2',
  userEmail: 'client2@example.com',
  requestedNumber: '',
  preferredCountry: 'Germany',
  countryCode: '+49',
  businessPurpose: 'Television votes',
  expectedVolume: '50-200',
  status: 'pending',
  assignedNumber: '',
  processedAt: null,
  rejectionReason: '',
  createdAt: '2026-11-19T14:31:58.102Z',
}
const done: NumberRequest = {
  ...waiting,
  id: '6',
  userName: 'client3',
  requestedNumber: '449098790142',
  status: 'assigned',
  assignedNumber: '449098790142',
  processedAt: '2026-11-20T09:00:00.000Z',
}
const refused: NumberRequest = {
  ...waiting,
  id: '7',
  userName: 'client4',
  status: 'rejected',
  rejectionReason: 'No contract yet',
}
const offer = { ...someItem, id: '70', number: '4990099001', countryCode: '+49', country: 'Germany' }
const counts = { pending: 1, approved: 2, rejected: 3, total: 6, open: 2 }
const client = { ...admin, id: 12, role: 'user' as const }

function open(answers = {}, user: typeof admin = { ...admin, role: 'support' }, url = '/number-requests') {
  return renderApp(<NumberRequestsPage />, {
    user,
    url,
    answers: {
      'GET /api/number-requests': [waiting, done, refused],
      'GET /api/number-requests/summary': counts,
      'GET /api/number-requests/all': [waiting, done, refused],
      'GET /api/number-requests/all/summary': counts,
      'GET /api/number-stock/terms': { offer: 'off', takesLeft: 0, countries: [] },
      'GET /api/number-requests/5/offers': [offer],
      ...answers,
    },
  })
}

test('a client sees its own requests, their results and counts, and no queue', async () => {
  const { requests } = open({}, client)
  expect(await screen.findByRole('region', { name: 'Your Number Requests' })).toBeDefined()
  const row = (await screen.findByText('No contract yet')).closest('tr')!
  expect(row.textContent).toContain('Any available number')
  expect(row.textContent).toContain('50-200 SMS per day')
  expect(screen.getAllByText('Under review').length).toBeGreaterThan(0)
  expect(screen.getByText(/20\/11\/2026 \| 09:00/)).toBeDefined()
  const stats = screen.getByRole('region', { name: 'Your requests' })
  await waitFor(() => expect(stats.textContent).toContain('Approved2'))
  expect(screen.queryByRole('tab')).toBeNull()
  expect(requests.some((call) => call.path.startsWith('/api/number-requests/all'))).toBe(false)
})

test('without requests the next step is to make one', async () => {
  open({ 'GET /api/number-requests': [] }, client)
  expect(
    await screen.findByText('No requests found. Submit your first number request to get started.'),
  ).toBeDefined()
})

test('a request can be sent only with purpose and volume, and has its country’s code', async () => {
  const { requests } = open({ 'POST /api/number-requests': waiting }, client)
  await userEvent.click((await screen.findAllByRole('button', { name: 'Request Number' }))[0]!)
  const dialog = screen.getByRole('dialog', { name: 'Request Number' })
  const submit = within(dialog).getByRole('button', { name: 'Submit Request' })
  await userEvent.type(within(dialog).getByLabelText('Business Purpose'), 'Television{Enter}votes')
  expect(submit.getAttribute('aria-disabled')).toBe('true')
  await userEvent.selectOptions(within(dialog).getByLabelText('Expected Volume'), '50-200')
  await userEvent.selectOptions(within(dialog).getByLabelText('Preferred Country'), 'Germany')
  await userEvent.click(submit)
  expect(await screen.findByText('Number request submitted successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'POST')?.body).toEqual({
    requestedNumber: '',
    preferredCountry: 'Germany',
    countryCode: '+49',
    businessPurpose: 'Television votes',
    expectedVolume: '50-200',
  })
})

test('the queue is exported as it is filtered', async () => {
  open({}, undefined, '/number-requests?search=quiz&status=pending')
  const link = await screen.findByRole('link', { name: 'Export CSV' })
  expect(link.getAttribute('href')).toBe('/api/number-requests/all/export?search=quiz&status=pending')
})

test('only what a request’s state allows is offered', async () => {
  open()
  expect(await screen.findByRole('button', { name: 'Approve request of client2' })).toBeDefined()
  expect(screen.queryByRole('button', { name: /request of client3/ })).toBeNull()
  expect(screen.queryByRole('button', { name: /request of client4/ })).toBeNull()
})

test('approving sends the action and fetches the queue again', async () => {
  const { requests } = open({ 'PUT /api/number-requests/5/process': { ...waiting, status: 'approved' } })
  await userEvent.click(await screen.findByRole('button', { name: 'Approve request of client2' }))
  expect(await screen.findByText('Request processed successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'PUT')?.body).toEqual({ action: 'approve' })
  await waitFor(() =>
    expect(requests.filter((call) => call.path === '/api/number-requests/all').length).toBeGreaterThan(1),
  )
})

test('the number that fits best is proposed, and assigned by one press', async () => {
  const { requests } = open({ 'PUT /api/number-requests/5/process': { ...waiting, status: 'assigned' } })
  await userEvent.click(await screen.findByRole('button', { name: 'Assign request of client2' }))
  const dialog = screen.getByRole('dialog', { name: 'Assign a Number' })
  expect((await within(dialog).findByRole<HTMLInputElement>('radio')).checked).toBe(true)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Assign' }))
  expect(await screen.findByText('Request processed successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'PUT')?.body).toEqual({
    action: 'assign',
    assignedNumber: '4990099001',
  })
})

test('where no number fits, those that are available are offered, and one can be added', async () => {
  open({ 'GET /api/number-requests/5/offers': [], 'GET /api/number-inventory': [offer] })
  await userEvent.click(await screen.findByRole('button', { name: 'Assign request of client2' }))
  const dialog = screen.getByRole('dialog', { name: 'Assign a Number' })
  expect(await within(dialog).findByText('No available number fits')).toBeDefined()
  const available = await within(dialog).findByRole('group', { name: 'Available numbers' })
  expect(await within(available).findAllByRole('radio')).toHaveLength(1)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Number' }))
  expect(await screen.findByRole('dialog', { name: 'Add Premium Number' })).toBeDefined()
})

test('another number is checked before it is sent, and a taken one is refused at its field', async () => {
  const { requests } = open({
    'PUT /api/number-requests/5/process': refusal(409, {
      code: 'wrong_state',
      message: 'client9 holds this number.',
    }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Assign request of client2' }))
  const dialog = screen.getByRole('dialog')
  await userEvent.type(within(dialog).getByLabelText('Another number'), '12')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Assign' }))
  expect(await within(dialog).findByText(/Enter an international number/)).toBeDefined()
  expect(requests.some((call) => call.method === 'PUT')).toBe(false)
  await userEvent.clear(within(dialog).getByLabelText('Another number'))
  await userEvent.type(within(dialog).getByLabelText('Another number'), '+44 909 879 0517')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Assign' }))
  expect(await within(dialog).findByText('client9 holds this number.')).toBeDefined()
  expect(requests.find((call) => call.method === 'PUT')?.body).toMatchObject({
    assignedNumber: '449098790517',
  })
})

test('a request is rejected only with a reason', async () => {
  const { requests } = open({ 'PUT /api/number-requests/5/process': { ...waiting, status: 'rejected' } })
  await userEvent.click(await screen.findByRole('button', { name: 'Reject request of client2' }))
  const dialog = screen.getByRole('dialog', { name: 'Reject Request' })
  const reject = within(dialog).getByRole('button', { name: 'Reject' })
  expect(reject.getAttribute('aria-disabled')).toBe('true')
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'No contract')
  await userEvent.click(reject)
  expect(await screen.findByText('Request processed successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'PUT')?.body).toEqual({
    action: 'reject',
    rejectionReason: 'No contract',
  })
})

test('a request made elsewhere shows without a reload', async () => {
  const feeds: EventTarget[] = []
  class OpenFeed extends EventTarget {
    readonly readyState = 0
    constructor() {
      super()
      feeds.push(this)
    }
    close() {}
  }
  vi.stubGlobal('EventSource', OpenFeed)
  let rows = [done]
  open({ 'GET /api/number-requests/all': () => rows })
  await screen.findByText('client3')
  rows = [waiting, done]
  feeds.at(-1)?.dispatchEvent(new MessageEvent('request', { data: '{"id":"5"}' }))
  expect(await screen.findByRole('button', { name: 'Approve request of client2' })).toBeDefined()
})

test('the queue and the own requests are sorted by the server, as their heads say', async () => {
  const { requests, unmount } = open()
  await userEvent.click(await screen.findByRole('button', { name: 'User' }))
  await waitFor(() =>
    expect(screen.getByRole('columnheader', { name: 'User' }).getAttribute('aria-sort')).toBe('ascending'),
  )
  const queue = requests.filter(({ path }) => path === '/api/number-requests/all')
  expect(queue.map(({ query }) => `${query.get('sort')} ${query.get('order')}`)).toEqual([
    'createdAt desc',
    'userName asc',
  ])
  unmount()
  const own = open({}, client, '/number-requests?ownSort=status&ownOrder=asc')
  expect((await screen.findByRole('columnheader', { name: 'Status' })).getAttribute('aria-sort')).toBe(
    'ascending',
  )
  const [first] = own.requests.filter(({ path }) => path === '/api/number-requests')
  expect([first?.query.get('sort'), first?.query.get('order')]).toEqual(['status', 'asc'])
})

test('the own requests of staff stand folded below the queue, with an order of their own', async () => {
  const { address } = open({}, undefined, '/number-requests?search=quiz&status=pending&sort=status&order=asc')
  await userEvent.click(await screen.findByText('Your requests'))
  const own = await screen.findByRole('table', { name: 'Your Number Requests' })
  await userEvent.click(within(own).getByRole('button', { name: 'Status' }))
  await waitFor(() => expect(address()).toContain('ownSort=status'))
  const kept = new URLSearchParams(address().split('?')[1])
  for (const [name, value] of [
    ['search', 'quiz'],
    ['status', 'pending'],
    ['sort', 'status'],
    ['order', 'asc'],
  ] as const)
    expect(kept.get(name)).toBe(value)
})

test('the queue begins with what waits, and each figure leads to its requests', async () => {
  const { requests } = open()
  await screen.findByRole('table', { name: 'Number requests' })
  const asked = requests.find((call) => call.path === '/api/number-requests/all')
  expect(asked?.query.get('status')).toBe('waiting')
  for (const [name, status] of [
    ['Pending', 'pending'],
    ['Approved', 'granted'],
    ['Rejected', 'rejected'],
    ['Total', 'all'],
  ] as const) {
    const link = await screen.findByRole('link', { name: new RegExp(`${name}$`) })
    expect(link.getAttribute('href')).toBe(`/number-requests?status=${status}`)
  }
})

const approved: NumberRequest = { ...waiting, id: '8', userName: 'client5', status: 'approved' }

async function choose(...names: string[]) {
  for (const name of names) await userEvent.click(await screen.findByLabelText(`Select request of ${name}`))
}

test('several requests are approved at once; what somebody else answered meanwhile is named and stays chosen', async () => {
  const other = { ...waiting, id: '9', userName: 'client6' }
  const { requests } = open({
    'GET /api/number-requests/all': [waiting, done, approved, other],
    'POST /api/number-requests/process': {
      done: [{ ...waiting, status: 'approved' }],
      refused: [{ id: '9', message: 'This request is already rejected. Reload the list.' }],
      changeId: '2',
    },
  })
  await choose('client2', 'client3', 'client5', 'client6')
  expect(screen.getByText('1 of them answered already')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Reject (3)' })).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Approve (2)' }))
  const dialog = await screen.findByRole('dialog', { name: '1 of 2 not changed' })
  expect(within(dialog).getByText('client6: any available number, Germany')).toBeDefined()
  expect(within(dialog).getByText(/already rejected/)).toBeDefined()
  expect(requests.find(({ path }) => path === '/api/number-requests/process')?.body).toEqual({
    ids: ['5', '9'],
    action: 'approve',
  })
  await userEvent.keyboard('{Escape}')
  expect(screen.getByText('1 selected')).toBeDefined()
})

test('several requests are rejected with one reason; a failure is shown in the dialog', async () => {
  const answers = [
    refusal(503, { code: 'unavailable', message: 'The database does not answer.' }),
    { done: [waiting, approved], refused: [], changeId: '2' },
  ]
  const { requests } = open({
    'GET /api/number-requests/all': [waiting, approved],
    'POST /api/number-requests/process': () => answers.shift(),
  })
  await choose('client2', 'client5')
  await userEvent.click(screen.getByRole('button', { name: 'Reject (2)' }))
  const dialog = await screen.findByRole('dialog', { name: 'Reject 2 requests' })
  expect(within(dialog).getByText('client2 and client5 ask for numbers')).toBeDefined()
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'No stock')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Reject' }))
  expect(await within(dialog).findByText('The database does not answer.')).toBeDefined()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Reject' }))
  expect(await screen.findByText('2 requests processed successfully')).toBeDefined()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByText('2 selected')).toBeNull()
  expect(requests.findLast(({ path }) => path === '/api/number-requests/process')?.body).toEqual({
    ids: ['5', '8'],
    action: 'reject',
    rejectionReason: 'No stock',
  })
})
