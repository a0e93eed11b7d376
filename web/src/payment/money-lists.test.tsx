// The lists of money: each has its own names for sort and filter in the address, is sorted by the server, and is
// exported with its filter.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openBill, paidBill, readyBill, somePayment, terms } from '../testing/money.ts'
import { stubFeed } from '../testing/feed.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { BooksPage } from '../books/BooksPage.tsx'
import { PaymentManagementPage } from './PaymentManagementPage.tsx'
import { PaymentPage } from './PaymentPage.tsx'

const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href')

test.each([
  ['view=bills', '/api/billing/all-periods', 'Amount', 'billSort', 'totalCost', ''],
  ['tab=history', '/api/payments/all', 'User', 'paymentSort', 'userName', 'payment=failed'],
  [
    'tab=adjustments',
    '/api/billing/adjustments',
    'Made by',
    'adjustmentSort',
    'requestedBy',
    'adjustment=posted',
  ],
  ['tab=review', '/api/holds', 'Number', 'holdSort', 'number', 'hold=confirmed'],
])(
  '%s sorts by a click on a head, and exports what the filter shows',
  async (tab, path, head, name, by, filter) => {
    const isOfBooks = tab === 'tab=adjustments'
    const { requests, address } = renderApp(isOfBooks ? <BooksPage /> : <PaymentManagementPage />, {
      url: `/${isOfBooks ? 'books' : 'payment-management'}?${tab}&${filter}`,
      user: { ...admin, role: 'support' },
      answers: {
        'GET /api/billing/all-periods': [readyBill, paidBill],
        'GET /api/payments/all': [somePayment],
        'GET /api/billing/adjustments': [],
        'GET /api/holds': [],
      },
    })
    const sorted = () => requests.findLast((call) => call.path === path)?.query
    const click = async () =>
      userEvent.click(await screen.findByRole('button', { name: new RegExp(`^${head}`) }))
    await click()
    // Amounts from the largest, words from A.
    const [first, then] = by === 'totalCost' ? ['desc', 'asc'] : ['asc', 'desc']
    await waitFor(() => expect([sorted()?.get('sort'), sorted()?.get('order')]).toEqual([by, first]))
    expect(address()).toContain(`${name}=${by}`)
    await click()
    await waitFor(() => expect(sorted()?.get('order')).toBe(then))
    const status = filter.split('=')[1]
    expect(hrefOf('Export CSV')).toBe(`${path}/export${status === undefined ? '' : `?status=${status}`}`)
  },
)

test('Billing History and the payouts are sorted each by itself; the current period stays where it is', async () => {
  stubFeed()
  const payout = {
    id: '5',
    createdAt: '2026-11-16T00:00:00.000Z',
    userId: 12,
    userName: 'client3',
    number: '447700000003',
    amount: '6.00',
    currency: 'USDT',
    smsCount: 12,
    usdtAddress: '',
    payoutStatus: 'pending',
    periodStart: readyBill.periodStart,
    periodEnd: readyBill.periodEnd,
    processedAt: null,
    transactionHash: null,
    paymentVerification: null,
    verificationNote: '',
    approval: null,
  }
  const { requests, address } = renderApp(<PaymentPage />, {
    url: '/payment?tab=billing',
    user: { ...admin, id: 12, username: 'client3', role: 'user' },
    answers: {
      'GET /api/billing/terms': terms,
      'GET /api/billing/periods': ({ query }: { query: URLSearchParams }) =>
        query.get('sort') === 'totalCost' ? [paidBill, readyBill, openBill] : [openBill, readyBill, paidBill],
      'GET /api/billing/payouts': [payout],
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: /Sorted by Period/ }))
  await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Total Cost' }))
  await screen.findByRole('button', { name: /Sorted by Total Cost/ })
  const history = await screen.findByRole('list', { name: 'Billing History' })
  await waitFor(() =>
    expect(within(history).getAllByRole('listitem')[0]?.textContent).toContain(`#${paidBill.id}`),
  )
  expect(within(screen.getByRole('region', { name: 'Current Period' })).getByText('Pending')).toBeDefined()
  // The history is read from a list that also contains the current period.
  await userEvent.click(screen.getByRole('button', { name: 'Show lines' }))
  expect(await screen.findByRole('dialog', { name: /^Bill/ })).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  const payouts = screen.getByRole('region', { name: 'Payouts' })
  await userEvent.click(within(payouts).getByRole('button', { name: /^Amount/ }))
  await waitFor(() => expect(address()).toContain('payoutSort=amount'))
  expect(address()).toContain('sort=totalCost')
  expect(requests.findLast(({ path }) => path === '/api/billing/payouts')?.query.get('sort')).toBe('amount')
  expect(
    screen.getAllByRole('link', { name: 'Export CSV' }).map((link) => link.getAttribute('href')),
  ).toEqual(['/api/billing/periods/export', '/api/billing/payouts/export'])
})

test('a period that came to no bill says where everything went, down to the SMS, and offers its signed records alone', async () => {
  stubFeed()
  const none = { payouts: '0.00', held: '0.00', refused: '0.00', carried: '0.00' }
  const period = {
    ...openBill,
    id: '3-12',
    status: 'no_bill',
    totalSmsCount: 3,
    totalCost: '0.00',
    unbilled: { ...none, payouts: '1.00', refused: '0.05' },
  }
  const free = { ...period, id: '2-12', unbilled: none }
  const { requests } = renderApp(<PaymentPage />, {
    url: '/payment?tab=billing',
    user: { ...admin, id: 12, username: 'client3', role: 'user' },
    answers: {
      'GET /api/billing/terms': terms,
      'GET /api/billing/payouts': [],
      'GET /api/billing/periods': ({ query }: { query: URLSearchParams }) =>
        query.get('unbilled') === 'true' ? [openBill, period, free] : [openBill],
      'GET /api/billing/periods/3-12/lines': [
        {
          number: '',
          reason: 'Refused after review: 1 SMS, not paid',
          at: null,
          kind: 'review',
          rate: '',
          smsCount: 0,
          amount: '0.00',
          recordsUrl: '',
          messages: [
            { id: 'm1', at: openBill.periodStart, number: '447700000001', amount: '0.05', heldIn: '3-12' },
          ],
          messageCount: 1_200,
          messageAmount: '60.00',
          messageSums: [{ number: '447700000001', rate: '0.05', count: 1_200, amount: '60.00' }],
        },
      ],
    },
  })
  const history = await screen.findByRole('list', { name: 'Billing History' })
  const [first, second] = within(history).getAllByRole('listitem')
  expect(first?.textContent).toContain('No bill')
  expect(first?.textContent).toContain('Nothing to pay: 1.00 USDT in payouts, 0.05 USDT refused')
  expect(second?.textContent).toContain('Nothing to pay: 3 SMS worth nothing')
  await userEvent.click(within(history).getAllByRole('button', { name: /^Show bill/ })[0] as HTMLElement)
  const drawer = await screen.findByRole('dialog')
  await userEvent.click(await within(drawer).findByText('Show the SMS'))
  expect(within(drawer).getByRole('list', { name: 'Reviewed SMS' }).textContent).toContain('m1')
  // Of many the first ones are shown, with the sums of all.
  expect(drawer.textContent).toContain('+44 7700 000001 at 0.050 USD: 1,200 SMS, 60.00 USDT')
  expect(drawer.textContent).toContain('In all 1,200 SMS, 60.00 USDT. The first 1 are shown')
  expect(
    within(drawer)
      .getByRole('link', { name: /^Signed records/ })
      .getAttribute('href'),
  ).toBe('/api/billing/periods/3-12/statement')
  expect(within(drawer).queryByRole('link', { name: /^Download PDF/ })).toBeNull()
  expect(requests.some(({ path }) => path.endsWith('/lines'))).toBe(true)
})
