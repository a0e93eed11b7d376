import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ClientAccount, Movement } from '@tollgate/contract/books/books.ts'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { BooksPage } from './BooksPage.tsx'

const account: ClientAccount = {
  userId: 12,
  userName: 'client3',
  balance: '40.00',
  billed: '50.00',
  days7: '50.00',
  days14: '0.00',
  days30: '0.00',
  older: '0.00',
  credit: '10.00',
  unbilled: '3.25',
  held: '0.00',
  reserved: '0.000000',
  reserves: [],
  received: '60.00',
  span: { opening: '0.00', added: '110.00', settled: '-70.00', closing: '40.00' },
}
const movement: Movement = {
  id: '7',
  at: '2026-11-16T00:00:00.000Z',
  type: 'bill',
  amount: '50.00',
  balance: '40.00',
  unbilledAmount: '-50.00',
  creditAmount: '0.00',
  receivedAmount: '0.00',
  periodId: '4-12',
  payoutId: null,
  periodStart: '2026-11-09T00:00:00.000Z',
  periodEnd: '2026-11-16T00:00:00.000Z',
  transactionHash: '',
  note: '',
}
const setup = {
  accounts: [{ account: 'paid', code: '1360' }],
  updatedBy: '',
  updatedAt: null,
}

const open = (url: string, answers = {}, user = admin) =>
  renderApp(<BooksPage />, {
    url,
    user,
    answers: {
      'GET /api/books/accounts/12': account,
      'GET /api/books/accounts/12/movements': [movement],
      'GET /api/books/setup': setup,
      'GET /api/books/journal/check': { unmapped: [] },
      ...answers,
    },
  })

test('an account says what its balance is made of, and each movement what it did', async () => {
  const credited = { type: 'credit_used', amount: '0.00', creditAmount: '-10.00' } as const
  const corrected = {
    type: 'adjustment',
    amount: '0.00',
    unbilledAmount: '-1.50',
    periodId: null,
    note: 'dispute',
  } as const
  open('/books?account=12', {
    'GET /api/books/accounts/12/movements': [
      movement,
      { ...movement, id: '8', ...credited },
      { ...movement, id: '9', ...corrected },
      { ...movement, id: '10', type: 'payment', amount: '-50.00', receivedAmount: '60.00' },
      { ...movement, id: '11', type: 'payment', periodId: null, payoutId: '5' },
    ],
  })
  expect(await screen.findByText('50.00 USDT billed, less a credit of 10.00 USDT')).toBeDefined()
  expect((await screen.findAllByRole('link', { name: /Open bill #4-12$/ }))[0]?.getAttribute('href')).toBe(
    '/payment-management?open=4-12',
  )
  expect(screen.getByText('09/11/2026 – 16/11/2026')).toBeDefined()
  expect(screen.getByText('10.00 USDT of the credit')).toBeDefined()
  expect(screen.getByText('dispute: 1.50 USDT less in the next bill')).toBeDefined()
  expect(screen.getByText('60.00 USDT received')).toBeDefined()
  expect(screen.getByText(/^Payment of payout #5/)).toBeDefined()
})

test('backwards days are named and not asked for', async () => {
  const { requests } = open('/books?account=12&from=2026-11-20&to=2026-11-01')
  expect(await screen.findByText('Date To must not be before Date From')).toBeDefined()
  expect(requests.some(({ path }) => path.endsWith('/movements'))).toBe(false)
})

test('a journal that lacks a number cannot be downloaded, and says which', async () => {
  open('/books?tab=journal', {
    'GET /api/books/journal/check': { unmapped: ['billed'] },
  })
  expect(await screen.findByText(/^Billed, not paid\. Give them/)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Download' }).getAttribute('aria-disabled')).toBe('true')
})

test('account numbers are checked before they are sent, and empty ones are sent as none', async () => {
  const { requests } = open('/books?tab=journal', {
    'PUT /api/books/setup': refusal(422, { message: 'Not now' }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  const dialog = screen.getByRole('dialog', { name: 'Accounts' })
  await userEvent.type(within(dialog).getByLabelText('Cost of messages'), '54 00')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  expect(await within(dialog).findByText(/^Enter up to 20 letters/)).toBeDefined()
  await userEvent.clear(within(dialog).getByLabelText('Cost of messages'))
  await userEvent.type(within(dialog).getByLabelText('Cost of messages'), '5400')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  expect(await within(dialog).findByText('The accounts were not saved')).toBeDefined()
  const [sent] = requests.filter(({ method }) => method === 'PUT')
  expect(JSON.stringify(sent?.body)).toContain('{"account":"traffic_expense","code":"5400"}')
})

test('support sees no margin', async () => {
  open('/books?tab=journal', {}, { ...admin, role: 'support' as const })
  expect(await screen.findByText('Admins edit the numbers.')).toBeDefined()
  expect(screen.queryByRole('tab', { name: 'Margin' })).toBeNull()
})

test('the balances say what is overdue, and sum the ages of the whole list', async () => {
  const sums = { days7: '1.00', days14: '0.00', days30: '0.00', older: '20.00' }
  open('/books', {
    'GET /api/billing/aging': {
      totals: { ...sums, total: '21.00' },
      clients: [],
      overdue: { afterDays: 7, count: 1, amount: '20.00' },
    },
    'GET /api/books/accounts/totals': { ...account, ...sums, balance: '21.00', clientCount: 1 },
    'GET /api/books/accounts': [],
  })
  expect(await screen.findByText('1 debt, for over 7 days')).toBeDefined()
  const sum = await screen.findByText('20.00 USDT', { selector: 'strong' })
  expect(sum.parentElement?.textContent).toBe('Over 30 days20.00 USDT')
})
