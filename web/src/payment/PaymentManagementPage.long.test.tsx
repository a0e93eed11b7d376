import { sentence } from '@tollgate/contract/sentences.ts'
import { paymentVerifications } from '@tollgate/contract/vocabulary.ts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { type ApiRequest, type ApiStubs, refusal, sent } from '../testing/api-stub.ts'
import {
  checkedBill,
  goodCheck,
  moneyAnswers,
  openBill,
  otherAddress,
  paidBill,
  readyBill,
  someAddress,
  someHash,
  somePayment,
  terms,
} from '../testing/money.ts'
import { admin, renderApp, support } from '../testing/render.tsx'
import { PaymentManagementPage } from './PaymentManagementPage.tsx'

function open(answers = {}, url = '/payment-management?view=bills') {
  return renderApp(<PaymentManagementPage />, {
    url,
    user: support,
    answers: {
      ...moneyAnswers,
      'GET /api/billing/all-periods': [readyBill, openBill, paidBill],
      'GET /api/payments/address-check': goodCheck,
      'GET /api/payments/all': [somePayment],
      'GET /api/users': [{ ...admin, id: 12, username: 'client3', usdtAddress: someAddress }],
      ...answers,
    },
  })
}

/** Pasted, as people do: typing 64 keys would take seconds. */
async function giveHash(hash: string) {
  await userEvent.click(screen.getByLabelText('Transaction Hash'))
  await userEvent.paste(hash)
}
const markAsPaid = () =>
  screen.findByRole('button', { name: 'Mark as Paid client3, 09/11/2026 – 16/11/2026' })

test('figures that are on their way are not said to be unknown', async () => {
  open({ 'GET /api/billing/summary': () => new Promise(() => undefined) })
  await markAsPaid()
  expect(screen.queryByText('not known')).toBeNull()
  expect(screen.getByRole('region', { name: 'Money' }).querySelectorAll('[data-skeleton]')).toHaveLength(8)
})

const fails = () => refusal(500, { code: 'internal', message: 'Something failed.' })

test('money that cannot be read again stays, and says since when it is old', async () => {
  let isDown = false
  const { refresh } = open({
    'GET /api/billing/summary': () => (isDown ? fails() : moneyAnswers['GET /api/billing/summary']),
  })
  const strip = screen.findByRole('region', { name: 'Money' })
  await waitFor(async () => expect((await strip).textContent).toContain('5,606.81'))
  expect(screen.queryByText(/^Not refreshed since/)).toBeNull()
  isDown = true
  await refresh()
  expect(await screen.findByText(/^Not refreshed since .*: Something failed\.$/)).toBeDefined()
  expect((await strip).textContent).toContain('5,606.81')
})

test.each([
  ['GET /api/billing/parked', 'Failed to fetch the parked accounts'],
  ['GET /api/billing/summary', 'Failed to fetch the billing summary'],
  ['GET /api/treasury/reader', 'Failed to fetch how far the wallets are read'],
])('when %s fails, the notice does not pass for "nothing is wrong"', async (path, words) => {
  let isDown = true
  const known: ApiStubs = moneyAnswers
  open(
    { [path]: () => (isDown ? fails() : known[path]), 'GET /api/treasury/transfers': [] },
    '/payment-management?tab=history&list=transfers',
  )
  const alert = (await screen.findByText(words)).closest('[role=alert]') as HTMLElement
  expect(alert.textContent).toContain('Something failed.')
  isDown = false
  await userEvent.click(within(alert).getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.queryByText(words)).toBeNull())
})

test('a wallet that cannot be read again is not said to be equal', async () => {
  let isDown = false
  const { refresh } = open(
    {
      'GET /api/treasury/reader': () => (isDown ? fails() : moneyAnswers['GET /api/treasury/reader']),
      'GET /api/treasury/transfers': [],
    },
    '/payment-management?tab=history&list=transfers',
  )
  const equal = await screen.findByText('Equal')
  expect(equal.closest('[data-stale]')).toBeNull()
  isDown = true
  await refresh()
  await waitFor(() =>
    expect(screen.getByText('Equal').closest('[data-stale]')?.textContent).toContain('Not refreshed since'),
  )
})

test('the strip and the bills say what is to be paid; Mark as Paid stands only where it can be done', async () => {
  const { requests } = open({
    'GET /api/billing/all-periods': [
      readyBill,
      { ...readyBill, id: '4-13', userName: 'client4', usdtAddress: '' },
      { ...readyBill, id: '4-14', userName: 'client5', payableFrom: '2099-01-01T00:00:00.000Z' },
      { ...readyBill, id: '4-15', userName: 'client6', paymentVerification: 'confirming' },
      openBill,
      paidBill,
    ],
  })
  await markAsPaid()
  expect(screen.getAllByRole('button', { name: /^Mark as Paid/ })).toHaveLength(1)
  const strip = screen.getByRole('region', { name: 'Money' })
  await waitFor(() => expect(strip.textContent).toContain('5,606.81USDT4 bills and payouts, oldest'))
  expect(strip.textContent).toContain('12 payments, all verified on chain')
  const row = screen.getByText('client4').closest('tr')
  expect(row?.textContent).toContain('Ready for Payment')
  expect(row?.textContent).toContain('no address yet')
  expect(requests.find(({ path }) => path === '/api/billing/all-periods')?.query.get('sort')).toBe('due')
})

test('the whole address, the exact amount and the payment URI are shown and copied', async () => {
  open()
  await userEvent.click(await markAsPaid())
  const dialog = screen.getByRole('dialog', { name: 'Mark as Paid' })
  expect(dialog.textContent).toContain('1,945.70')
  expect(dialog.textContent).toContain('TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t')
  expect(within(dialog).getByRole('img', { name: `QR code of the address ${someAddress}` })).toBeDefined()
  expect(await within(dialog).findByText('Paid to 3 times, first on 02/10/2026')).toBeDefined()
  const write = vi.spyOn(navigator.clipboard, 'writeText')
  await userEvent.click(within(dialog).getByLabelText('Copy amount'))
  expect(write).toHaveBeenLastCalledWith('1945.70')
  await userEvent.click(within(dialog).getByLabelText('Copy address'))
  expect(write).toHaveBeenLastCalledWith(someAddress)
  await userEvent.click(within(dialog).getByLabelText('Payment URI'))
  await userEvent.click(within(dialog).getByLabelText('Copy payment URI'))
  expect(write).toHaveBeenLastCalledWith(`tron:${someAddress}?amount=1945.70`)
})

test('a bill is paid with a hash of the right form, and above the limit a second person is asked for', async () => {
  const { requests } = open({
    'PUT /api/billing/periods/4-12/pay': { ...readyBill, paymentVerification: 'confirming' },
  })
  await userEvent.click(await markAsPaid())
  const dialog = screen.getByRole('dialog', { name: 'Mark as Paid' })
  expect(dialog.textContent).toContain('Above 100.00 USDT, a second person must approve')
  await giveHash('e29e')
  expect(dialog.textContent).toContain('4 of 64 digits')
  const act = () => within(dialog).getByRole('button', { name: 'Mark as Paid' })
  await userEvent.click(act())
  expect(
    await within(dialog).findByText('Enter the 64 hexadecimal digits of the transaction hash'),
  ).toBeDefined()
  expect(sent(requests)).toEqual([])
  await userEvent.clear(screen.getByLabelText('Transaction Hash'))
  await giveHash(someHash.toUpperCase())
  await userEvent.click(act())
  expect(await screen.findByText('Approval asked for')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({ transactionHash: someHash })
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('without a node the toast is the specification’s, and the dialog says that nothing is verified', async () => {
  open({
    'GET /api/billing/terms': { ...terms, isCheckedOnChain: false, secondPersonAbove: '100000' },
    'PUT /api/billing/periods/4-12/pay': { ...readyBill, status: 'paid' },
  })
  await userEvent.click(await markAsPaid())
  expect(await screen.findByText('Not verified on chain')).toBeDefined()
  await giveHash(someHash)
  await userEvent.click(screen.getByRole('button', { name: 'Mark as Paid' }))
  expect(await screen.findByText('Payment Processed')).toBeDefined()
  expect(screen.getByText('Payment has been marked as paid successfully.')).toBeDefined()
})

test('a used hash is shown at its field, and the dialog stays', async () => {
  open({
    'PUT /api/billing/periods/4-12/pay': refusal(409, {
      code: 'taken',
      message: 'This transaction hash is used by another payment.',
      fields: { transactionHash: 'Used already' },
    }),
  })
  await userEvent.click(await markAsPaid())
  await giveHash(someHash)
  await userEvent.click(screen.getByRole('button', { name: 'Mark as Paid' }))
  expect(await screen.findByText('Used already')).toBeDefined()
  expect(screen.getByRole('dialog', { name: 'Mark as Paid' })).toBeDefined()
})

test.each([
  ['a blacklisted address', { isBlacklisted: true }, 'USDT’s contract has this address on its blacklist'],
  [
    'a wrong checksum',
    { isValid: false, problem: 'This is no TRC20 address. Copy it again from the wallet.' },
    'No payment can go to this address',
  ],
])('%s cannot be paid', async (_, found, words) => {
  const { requests } = open({ 'GET /api/payments/address-check': { ...goodCheck, ...found } })
  await userEvent.click(await markAsPaid())
  expect(await screen.findByText(words)).toBeDefined()
  await giveHash(someHash)
  await userEvent.click(screen.getByRole('button', { name: 'Mark as Paid' }))
  expect(sent(requests)).toEqual([])
})

test('a look-alike is shown beside the address, and must be ruled out before the bill can be paid', async () => {
  const { requests } = open({
    'GET /api/payments/address-check': {
      ...goodCheck,
      lookAlikes: [{ address: otherAddress, userName: 'client9' }],
    },
    'PUT /api/billing/periods/4-12/pay': readyBill,
  })
  await userEvent.click(await markAsPaid())
  expect(await screen.findByText('Another known address begins and ends like this one')).toBeDefined()
  expect(screen.getByText('TXYZ opYR dj2D 9XRt bG41 1XZZ 3kM5 VkAe Bf')).toBeDefined()
  await giveHash(someHash)
  const act = screen.getByRole('button', { name: 'Mark as Paid' })
  await userEvent.click(act)
  expect(sent(requests)).toEqual([])
  await userEvent.click(screen.getByRole('checkbox', { name: 'I compared every group with the client' }))
  await userEvent.click(act)
  await waitFor(() => expect(sent(requests)).toHaveLength(1))
})

test('a second person approves the hash that the first one gave, and has nothing to scan', async () => {
  const waiting = {
    ...readyBill,
    paymentTxHash: someHash,
    approval: { requestedBy: 'admin', requestedAt: '2026-11-18T00:00:00.000Z' },
  }
  const own = { ...waiting, id: '4-13', approval: { ...waiting.approval, requestedBy: 'support' } }
  const { requests } = open({
    'GET /api/billing/all-periods': [waiting, own],
    'PUT /api/billing/periods/4-12/pay': { ...waiting, approval: null },
  })
  await userEvent.click(await screen.findByRole('button', { name: /^Approve payment/ }))
  const dialog = screen.getByRole('dialog', { name: 'Approve Payment' })
  expect(dialog.textContent).toContain('given by admin')
  expect(within(dialog).queryByRole('img', { name: /QR code/ })).toBeNull()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Approve' }))
  await waitFor(() => expect(sent(requests)[0]?.body).toEqual({ transactionHash: someHash }))
})

test('a payment of another amount waits for a decision with its reason', async () => {
  const underpaid = {
    ...readyBill,
    status: 'failed',
    paymentTxHash: someHash,
    paymentVerification: 'underpaid',
    verificationNote: 'The transfer is of 1900.00 USDT instead of 1945.70.',
    receivedAmount: '1900.00',
    dueAmount: '45.70',
  }
  const { requests } = open({
    'GET /api/billing/all-periods': [underpaid],
    'PUT /api/billing/periods/4-12/decide': { ...underpaid, status: 'paid' },
  })
  await userEvent.click(await screen.findByRole('button', { name: /^More actions for client3/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Decide on payment' }))
  const dialog = screen.getByRole('dialog', { name: 'Decide on Payment' })
  expect(dialog.textContent).toContain('instead of 1945.70')
  expect(dialog.textContent).toContain('For staff and the audit log')
  await userEvent.selectOptions(
    within(dialog).getByLabelText('Decision'),
    'Accept; the client waives 45.70 USDT',
  )
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save decision' }))
  expect(await within(dialog).findByText('Enter the reason')).toBeDefined()
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'agreed')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save decision' }))
  await waitFor(() =>
    expect(sent(requests)[0]?.body).toEqual({ action: 'accept', difference: 'waive', reason: 'agreed' }),
  )
})

test('the history shows what the check found, and System where nobody processed it', async () => {
  open(
    { 'GET /api/payments/all': [{ ...somePayment, processedBy: '', paymentVerification: 'overpaid' }] },
    '/payment-management?tab=history',
  )
  const row = (await screen.findByText('client3')).closest('tr')
  for (const part of [
    '1,852.50 USDT',
    'TR7NHqje…gjLj6t',
    'e29edd16…9ed3f6',
    'Confirmed',
    'overpaid',
    'System',
  ])
    expect(row?.textContent).toContain(part)
})

test.each(paymentVerifications)('in the bills and in the history a hash reads “%s”', async (state) => {
  const checked = { ...checkedBill(state), verificationNote: 'what the chain says' }
  open({
    'GET /api/billing/all-periods': [checked],
    'GET /api/payments/all': [{ ...somePayment, paymentVerification: state }],
    'GET /api/billing/periods/4-12': checked,
    'GET /api/billing/periods/4-12/lines': [],
    'GET /api/billing/periods/4-12/amendments': [],
  })
  const bills = await screen.findByRole('table', { name: 'All bills' })
  expect(await within(bills).findByText(state)).toBeDefined()
  await userEvent.click(within(bills).getByRole('button', { name: /^More actions for client3/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Show lines' }))
  const drawer = await screen.findByRole('dialog', { name: /^Bill/ })
  expect(drawer.textContent).toContain(`Check on chain${state}what the chain says`)
  await userEvent.click(within(drawer).getByRole('button', { name: /^Close/ }))
  await userEvent.click(screen.getByRole('tab', { name: 'Payment History' }))
  const history = await screen.findByRole('table', { name: 'Payment History' })
  expect(await within(history).findByText(state)).toBeDefined()
})

test('a payment outside the bills is written down', async () => {
  const { requests } = open({ 'POST /api/payments': somePayment }, '/payment-management?tab=history')
  await userEvent.click(await screen.findByRole('button', { name: 'Add Payment' }))
  const dialog = screen.getByRole('dialog', { name: 'Create Payment Record' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Payment' }))
  expect(await within(dialog).findByText('Choose who is paid')).toBeDefined()
  await userEvent.click(await within(dialog).findByRole('radio', { name: /client3/ }))
  await userEvent.type(within(dialog).getByLabelText('Amount (USDT)'), '12.5')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Payment' }))
  expect(await screen.findByText('Payment Created')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({
    userId: 12,
    amount: '12.5',
    usdtAddress: '',
    transactionHash: '',
    status: 'pending',
    notes: '',
  })
})

test('a search goes into the address, and a failed fetch says so', async () => {
  const { requests, address } = open({
    'GET /api/billing/all-periods': ({ query }: ApiRequest) =>
      query.get('search') === null ? [readyBill] : refusal(503, { code: 'busy', message: 'Not now.' }),
  })
  await userEvent.type(await screen.findByRole('searchbox', { name: 'Search' }), 'cli')
  expect(await screen.findByText('Failed to fetch billing periods')).toBeDefined()
  expect(address()).toContain('billText=cli')
  expect(requests.findLast(({ path }) => path === '/api/billing/all-periods')?.query.get('search')).toBe(
    'cli',
  )
})

test('parked accounts are shown at the top, with the reason', async () => {
  open({
    'GET /api/billing/parked': [
      {
        userId: 12,
        userName: 'client3',
        reason: 'Bills and lines differ.',
        words: [sentence('Bills and lines differ.')],
        parkedAt: '2026-11-18T00:00:00.000Z',
      },
    ],
  })
  expect(await screen.findByText('1 account is parked')).toBeDefined()
  expect(screen.getByText(/Bills and lines differ/)).toBeDefined()
})
