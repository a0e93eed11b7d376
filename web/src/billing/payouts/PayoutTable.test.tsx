import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import { expect, test } from 'vitest'
import { refusal, type ApiRequest } from '../../testing/api-stub.ts'
import { goodCheck, someAddress, someHash, somePayout, terms } from '../../testing/money.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { useUrlState } from '../../url-state.ts'
import { payoutsSearch } from '../search.ts'
import { PayoutTable } from './PayoutTable.tsx'

const second: Payout = { ...somePayout, id: '72', number: '449098790142', amount: '4.00', dueAmount: '4.00' }
const done: Payout = {
  ...somePayout,
  id: '70',
  payoutStatus: 'completed',
  processedAt: '2026-11-17T00:00:00.000Z',
  transactionHash: someHash,
  paymentVerification: 'verified',
}

function Payouts() {
  return <PayoutTable url={useUrlState(payoutsSearch)} />
}

function open(answers = {}, url = '/number-inventory') {
  return renderApp(<Payouts />, {
    url,
    user: { ...admin, id: 2, username: 'support', role: 'support' },
    answers: {
      'GET /api/payouts': [somePayout, second, done],
      'GET /api/billing/terms': terms,
      'GET /api/payments/address-check': goodCheck,
      ...answers,
    },
  })
}

const sent = (requests: readonly ApiRequest[]) => requests.filter(({ method }) => method === 'PUT')

async function give(label: string, text: string) {
  await userEvent.click(screen.getByLabelText(label))
  await userEvent.paste(text)
}

test('the first ten payouts are fetched, and only pending ones have Process', async () => {
  const { requests } = open()
  expect(await screen.findAllByRole('button', { name: /^Process \+/ })).toHaveLength(2)
  expect(requests.find(({ path }) => path === '/api/payouts')?.query.get('limit')).toBe('10')
  const row = screen.getByText('e29edd16…9ed3f6').closest('tr')
  for (const part of ['16/11/2026', 'client3', '12.50 USDT', 'Completed', 'verified'])
    expect(row?.textContent).toContain(part)
})

test('the status filter goes into the address and to the server', async () => {
  const { requests, address } = open()
  await userEvent.selectOptions(await screen.findByLabelText('Payout status'), 'pending')
  expect(address()).toContain('payout=pending')
  await waitFor(() =>
    expect(requests.findLast(({ path }) => path === '/api/payouts')?.query.get('status')).toBe('pending'),
  )
})

test('a payout is processed with the whole address and its reference', async () => {
  const { requests } = open({ 'PUT /api/payouts/71/process': done })
  await userEvent.click(await screen.findByRole('button', { name: 'Process +44 909 879 0151, client3' }))
  const dialog = screen.getByRole('dialog', { name: 'Process Payout' })
  expect(dialog.textContent).toContain('TR7N Hqje KQxG')
  expect(await within(dialog).findByText('No look-alike known')).toBeDefined()
  await give('Transaction Hash', someHash)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Process' }))
  expect(await screen.findByText('Payout is being verified')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({ transactionHash: someHash })
})

test('without a reference it is processed at once, in the specification’s words', async () => {
  open({
    'PUT /api/payouts/71/process': done,
    'GET /api/payouts': [{ ...somePayout, usdtAddress: '' }],
    'GET /api/billing/terms': { ...terms, isCheckedOnChain: false },
  })
  await userEvent.click(await screen.findByRole('button', { name: /^Process \+/ }))
  expect(screen.getByText(/The client has not given one/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Process' }))
  expect(await screen.findByText('Payout processed successfully')).toBeDefined()
})

test('where transfers are looked up, one without a hash asks a second person with its reason', async () => {
  const { requests } = open({
    'PUT /api/payouts/71/process': {
      ...somePayout,
      approval: { requestedBy: 'support', requestedAt: somePayout.createdAt },
    },
    'GET /api/payouts': [somePayout],
  })
  await userEvent.click(await screen.findByRole('button', { name: /^Process \+/ }))
  await give('Reason without a hash', 'paid in cash')
  await userEvent.click(screen.getByRole('button', { name: 'Process' }))
  expect(await screen.findByText('Approval asked for')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({ transactionHash: '', reason: 'paid in cash' })
})

test('several are processed each by its own transfer; what is refused stays with its reason', async () => {
  const { requests } = open({
    'PUT /api/payouts/71/process': done,
    'PUT /api/payouts/72/process': refusal(409, {
      code: 'wrong_state',
      message: 'This payout is paid already.',
    }),
  })
  await screen.findAllByRole('button', { name: /^Process \+/ })
  const table = screen.getByRole('table', { name: 'Payouts' })
  for (const box of within(table).getAllByRole('checkbox').slice(1)) await userEvent.click(box)
  expect(screen.getByText('1 of them cannot be processed')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Process (2)' }))
  const dialog = screen.getByRole('dialog', { name: 'Process Payouts' })
  expect(dialog.textContent).toContain('2 payouts · 16.50 USDT')
  await give('Transaction Hash of +44 909 879 0151', someHash)
  await give('Transaction Hash of +44 909 879 0142', someHash.toUpperCase())
  await userEvent.click(within(dialog).getByRole('button', { name: 'Process (2)' }))
  expect(await within(dialog).findAllByText(/one transfer pays one payout/)).toHaveLength(2)
  expect(sent(requests)).toEqual([])
  await userEvent.clear(screen.getByLabelText('Transaction Hash of +44 909 879 0142'))
  await userEvent.click(within(dialog).getByRole('button', { name: 'Process (2)' }))
  expect(await within(dialog).findByText('This payout is paid already.')).toBeDefined()
  expect(within(dialog).getByText('Completed')).toBeDefined()
  expect(sent(requests).map(({ body }) => body)).toEqual([
    { transactionHash: someHash },
    { transactionHash: '' },
  ])
  expect(within(dialog).getByRole('button', { name: 'Process (1)' })).toBeDefined()
})

test('no payout can be processed to a look-alike or for a parked account', async () => {
  const { requests } = open({
    'GET /api/payouts': [
      somePayout,
      { ...second, parkedReason: 'It differs.', parkedWords: [sentence('It differs.')] },
    ],
    'GET /api/payments/address-check': {
      ...goodCheck,
      lookAlikes: [{ address: someAddress, userName: 'client9' }],
    },
  })
  expect(await screen.findAllByRole('button', { name: /^Process \+/ })).toHaveLength(1)
  expect(screen.getByText('account parked')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: /^Process \+/ }))
  expect(await screen.findByText('Another known address begins and ends like this one')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Process' }))
  expect(sent(requests)).toEqual([])
})

test('without payouts it says so, and a failed fetch can be tried again', async () => {
  const { unmount } = open({ 'GET /api/payouts': [] })
  expect(await screen.findByText('No payouts yet')).toBeDefined()
  unmount()
  open({ 'GET /api/payouts': refusal(503, { code: 'busy', message: 'Not now.' }) })
  expect(await screen.findByText('Failed to fetch payouts')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})
