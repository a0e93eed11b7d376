import { paymentVerifications } from '@tollgate/contract/vocabulary.ts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { refusal, type ApiRequest } from '../testing/api-stub.ts'
import {
  checkedBill,
  openBill,
  otherAddress,
  paidBill,
  readyBill,
  someAddress,
  someHash,
  somePayout,
  terms,
} from '../testing/money.ts'
import { groupByFour } from '../format/shorten.ts'
import { stubFeed } from '../testing/feed.ts'
import { plainText, readHebrew } from '../testing/hebrew.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { hasUnsaved } from '../ui/unsaved.ts'
import { PaymentPage } from './PaymentPage.tsx'

const client = { ...admin, id: 12, username: 'client3', role: 'user' as const }
const profile = {
  fullName: 'Cleo Ent',
  usdtAddress: someAddress,
  email: '',
  pendingUsdtAddress: null,
  pendingFrom: null,
  sendsMail: true,
}
const line = {
  number: '449098790142',
  kind: 'traffic',
  reason: '',
  at: null,
  rate: '0.05',
  smsCount: 38_914,
  amount: '1945.70',
  recordsUrl: '/sms-records?number=449098790142&client=client3&dateFrom=2026-11-09&dateTo=2026-11-15',
  messages: [],
  messageCount: 0,
  messageAmount: '0.00',
  messageSums: [],
}
const due = {
  dueAmount: '1946.51',
  count: 3,
  parts: [
    {
      state: 'drafted',
      count: 3,
      dueAmount: '1946.51',
      at: '2026-11-16T09:00:00.000Z',
      periodId: null,
    },
  ],
}
const week = {
  periodStart: openBill.periodStart,
  periodEnd: openBill.periodEnd,
  count: 21_130,
  amountUsd: '1056.50',
  cycleId: 4,
  earned: { count: 21_129, amountUsd: '1056.45' },
  bill: { count: 21_124, amountUsd: '1056.2' },
  payouts: { count: 5, amountUsd: '0.25' },
  held: { count: 1, amountUsd: '0.05' },
  late: { count: 2, amountUsd: '0.1' },
  pace: {
    until: '2026-11-19T14:00:00.000Z',
    now: { count: 20_000, amountUsd: '1000' },
    before: { count: 21_000, amountUsd: '1250' },
  },
  days: [{ day: '2026-11-16', count: 21_130, hours: Array.from({ length: 24 }, () => 880) }],
}

beforeEach(() => {
  stubFeed()
})

function open(url: string, answers = {}, user = client) {
  return renderApp(<PaymentPage />, {
    url,
    user,
    answers: {
      'GET /api/user/profile': profile,
      'GET /api/billing/terms': terms,
      'GET /api/billing/periods': [openBill, readyBill, paidBill],
      'GET /api/billing/payouts': [],
      'GET /api/stats/week': week,
      'GET /api/billing/due': due,
      'GET /api/billing/periods/4-12/lines': [line],
      ...answers,
    },
  })
}

test('a billing history that cannot be fetched says why, also when the current period can', async () => {
  const answers = ({ query }: ApiRequest) =>
    query.has('unbilled') ? refusal(500, { code: 'internal', message: 'Something failed.' }) : [openBill]
  open('/payment?tab=billing', { 'GET /api/billing/periods': answers })
  expect(await screen.findByText('Failed to fetch billing periods')).toBeDefined()
  expect(screen.queryByRole('status', { name: 'Loading billing history...' })).toBeNull()
  expect(screen.getByRole('region', { name: 'Current Period' })).toBeDefined()
})

test('what is due is said in sum with how far its payment is, and the cycle stands beside the last one', async () => {
  open('/payment?tab=billing')
  const current = await screen.findByRole('region', { name: 'Current Period' })
  expect(
    await within(current).findByText('in a payment run since 16/11/2026, waits for approval'),
  ).toBeDefined()
  expect(current.textContent).toContain('Due to you 1,946.51 USDT')
  expect(current.textContent).toContain(
    'Up to Thu 14:00 it came to 1,000.00 USDT, the last cycle to 1,250.00 USDT by then: −20.00 %.',
  )
})

test('a mistyped address is shown at its field, and nothing is sent', async () => {
  const { requests } = open('/payment')
  const box = await screen.findByLabelText('USDT TRC20 Address')
  await userEvent.clear(box)
  await userEvent.click(box)
  await userEvent.paste(`${someAddress.slice(0, -1)}u`)
  await userEvent.click(screen.getByRole('button', { name: 'Save Payment Profile' }))
  expect(await screen.findByText(/The checksum does not match/)).toBeDefined()
  await userEvent.clear(screen.getByLabelText('Full Name'))
  await userEvent.click(screen.getByRole('button', { name: 'Save Payment Profile' }))
  expect(await screen.findByText('Full name is required')).toBeDefined()
  expect(requests.filter(({ method }) => method === 'PUT')).toEqual([])
})

test.each([
  [true, 'Optional. Receive billing notifications'],
  [false, 'Optional. Receive billing notifications, once this gateway is set up to send mail'],
])('the e-mail field promises what the gateway does: sends mail %s', async (sendsMail, hint) => {
  open('/payment', { 'GET /api/user/profile': { ...profile, sendsMail } })
  expect((await screen.findByLabelText('Email Address')).getAttribute('aria-describedby')).not.toBeNull()
  expect(screen.getByText(hint)).toBeDefined()
})

test('a saved change says until when it waits, and can be taken back', async () => {
  let saved: object = profile
  const { requests } = open('/payment', {
    'GET /api/user/profile': () => saved,
    'PUT /api/user/profile': ({ body }: { body: unknown }) => {
      const { usdtAddress } = body as { usdtAddress: string }
      saved =
        usdtAddress === someAddress
          ? profile
          : { ...profile, pendingUsdtAddress: usdtAddress, pendingFrom: '2099-11-24T07:25:00.000Z' }
      return saved
    },
  })
  const box = await screen.findByLabelText('USDT TRC20 Address')
  await userEvent.clear(box)
  await userEvent.click(box)
  await userEvent.paste(otherAddress)
  await userEvent.click(screen.getByRole('button', { name: 'Save Payment Profile' }))
  expect(await screen.findByText('Profile Updated')).toBeDefined()
  expect(await screen.findByText(/waiting until 24\/11\/2099 \| 07:25/)).toBeDefined()
  expect(screen.getByText('TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Keep the current address' }))
  await waitFor(() => expect(screen.queryByText(/waiting until/)).toBeNull())
  expect(requests.findLast(({ method }) => method === 'PUT')?.body).toEqual({
    fullName: 'Cleo Ent',
    usdtAddress: someAddress,
    email: '',
  })
})

test('what is typed stays when the profile changes elsewhere', async () => {
  let saved = profile
  const { refresh } = open('/payment', { 'GET /api/user/profile': () => saved })
  await userEvent.type(await screen.findByLabelText('Full Name'), ' Jr')
  saved = { ...profile, usdtAddress: otherAddress }
  await refresh()
  expect(await screen.findByText(groupByFour(otherAddress))).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Full Name').value).toBe(`${profile.fullName} Jr`)
})

test('what is saved is not asked about, also before the saved profile is read again', async () => {
  open('/payment', { 'GET /api/user/profile': profile, 'PUT /api/user/profile': profile })
  await userEvent.type(await screen.findByLabelText('Full Name'), ' Jr')
  expect(hasUnsaved('page')).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Save Payment Profile' }))
  expect(await screen.findByText('Profile Updated')).toBeDefined()
  expect(hasUnsaved('page')).toBe(false)
  await userEvent.type(screen.getByLabelText('Full Name'), '.')
  expect(hasUnsaved('page')).toBe(true)
})

test('a refused save is shown in the toast and in the form', async () => {
  open('/payment', {
    'PUT /api/user/profile': refusal(503, { code: 'busy', message: 'The database did not answer.' }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Save Payment Profile' }))
  expect(await screen.findByText('Failed to update profile. Please try again.')).toBeDefined()
  expect(screen.getByText('The database did not answer.')).toBeDefined()
})

test('the current period has live figures, the last bill below it and the history with whole hashes to copy', async () => {
  open('/payment?tab=billing')
  const current = await screen.findByRole('region', { name: 'Current Period' })
  for (const part of [
    'Pending',
    '1,056.20',
    '21,124 SMS × 0.05 USDT',
    '16/11/2026 00:00',
    '23/11/2026 00:00',
  ])
    expect(current.textContent).toContain(part)
  expect(current.textContent).toContain('Bill Sent to Support')
  await waitFor(() =>
    expect(current.textContent).toContain(
      '1,056.20 USDT in the bill + 0.25 USDT in payouts = 1,056.45 USDT.',
    ),
  )
  expect(current.textContent).toContain('1 SMS worth 0.05 USDT are held')
  expect(current.textContent).toContain('2 SMS of 0.10 USDT came late')
  const history = screen.getByRole('list', { name: 'Billing History' })
  const [ready, paid] = within(history).getAllByRole('listitem')
  expect(ready?.textContent).toContain('Sent to Support')
  expect(ready?.textContent).toContain('Payment DatePending')
  expect(paid?.textContent).toContain('Period ID: #3-12')
  expect(paid?.textContent).toContain(`${someHash.slice(0, 12)}…${someHash.slice(-8)}`)
  expect(paid?.textContent).toContain('verified')
  const explorer = await within(paid!).findByRole('link', { name: /in the explorer/ })
  expect(explorer.getAttribute('href')).toBe(`https://tronscan.org/#/transaction/${someHash}`)
  const write = vi.spyOn(navigator.clipboard, 'writeText')
  await userEvent.click(within(paid!).getByRole('button', { name: 'Copy transaction hash' }))
  expect(write).toHaveBeenCalledWith(someHash)
})

test.each(paymentVerifications)('the client reads “%s” beside the hash of its bill', async (state) => {
  open('/payment?tab=billing', { 'GET /api/billing/periods': [openBill, checkedBill(state)] })
  const history = await screen.findByRole('list', { name: 'Billing History' })
  const item = (await within(history).findByText('Period ID: #4-12')).closest('li')
  expect(item?.textContent).toContain(`${someHash.slice(0, 12)}…${someHash.slice(-8)}`)
  expect(within(item!).getByText(state)).toBeDefined()
  expect(item?.textContent).toContain(
    state === 'verified' || state === 'unverified'
      ? 'Paid'
      : state === 'confirming'
        ? 'Sent to Support'
        : 'Failed',
  )
})

test('a bill opens down to its records, and its statement is printed and downloaded', async () => {
  const { address } = open('/payment?tab=billing')
  await userEvent.click(await screen.findByRole('button', { name: 'Show bill 09/11/2026 – 16/11/2026' }))
  expect(address()).toContain('open=4-12')
  const drawer = screen.getByRole('dialog', { name: 'Bill 09/11/2026 – 16/11/2026' })
  const records = await within(drawer).findByRole('link', { name: 'Records of +44 909 879 0142' })
  expect(records.getAttribute('href')).toBe(line.recordsUrl)
  expect(
    within(drawer)
      .getByRole('link', { name: /^Download PDF/ })
      .getAttribute('href'),
  ).toBe('/api/billing/periods/4-12/statement.pdf')
  const print = vi.fn()
  vi.stubGlobal('print', print)
  await userEvent.click(within(drawer).getByRole('button', { name: /^Print statement/ }))
  await waitFor(() => expect(print).toHaveBeenCalledOnce())
  const sheet = document.querySelector('[data-print-sheet]')
  for (const part of ['Period ID: #4-12', 'Cleo Ent, client3', 'TR7N Hqje', '1,945.70 USDT', 'not paid yet'])
    expect(sheet?.textContent).toContain(part)
  window.dispatchEvent(new Event('afterprint'))
  await waitFor(() => expect(document.querySelector('[data-print-sheet]')).toBeNull())
})

test('a line of releases names each SMS, in the drawer and in print', async () => {
  const messages = ['01KM40EJ000000000000000001', '01KM40EJ000000000000000002'].map((id) => ({
    id,
    at: '2026-11-03T10:00:00.000Z',
    number: '449098790142',
    amount: '0.25',
    heldIn: '3-12',
  }))
  const reason = 'Released after review: 2 SMS of earlier periods'
  const released = { ...line, number: '', kind: 'adjustment', rate: '', smsCount: 0, amount: '0.50', reason }
  open('/payment?tab=billing&open=4-12', {
    'GET /api/billing/periods/4-12/lines': [line, { ...released, recordsUrl: '', messages, messageCount: 2 }],
  })
  const drawer = await screen.findByRole('dialog', { name: 'Bill 09/11/2026 – 16/11/2026' })
  await userEvent.click(await within(drawer).findByText('Show the SMS'))
  const list = within(drawer).getByRole('list', { name: 'Released SMS' })
  expect(within(list).getAllByRole('listitem')).toHaveLength(2)
  for (const { id } of messages)
    expect(
      within(list)
        .getByRole('link', { name: `Record ${id}` })
        .getAttribute('href'),
    ).toBe(`/sms-records?open=${id}`)
  expect(list.textContent).toContain('held in period #3-12: 0.25 USDT')
  vi.stubGlobal('print', vi.fn())
  await userEvent.click(within(drawer).getByRole('button', { name: /^Print statement/ }))
  await waitFor(() => expect(document.querySelector('[data-print-sheet]')).not.toBeNull())
  for (const { id } of messages)
    expect(document.querySelector('[data-print-sheet]')?.textContent).toContain(id)
  window.dispatchEvent(new Event('afterprint'))
})

test('a line of releases is said in the language of the reader', async () => {
  await readHebrew()
  const reason = 'Released after review: 1,200 SMS of earlier periods'
  const released = { ...line, number: '', kind: 'adjustment', rate: '', smsCount: 0, amount: '0.50', reason }
  open('/payment?tab=billing&open=4-12', {
    'GET /api/billing/periods/4-12/lines': [line, { ...released, recordsUrl: '', messages: [] }],
  })
  const shown = await screen.findByText(/שוחררו לאחר בדיקה/)
  expect(plainText(shown)).toBe('שוחררו לאחר בדיקה: 1,200 SMS מתקופות קודמות')
})

test('without bills the history says so; without an address the last bill says why it cannot be paid', async () => {
  const { unmount } = open('/payment?tab=billing', { 'GET /api/billing/periods': [openBill] })
  expect(await screen.findByText('No billing history yet')).toBeDefined()
  unmount()
  open('/payment?tab=billing', { 'GET /api/billing/periods': [openBill, { ...readyBill, usdtAddress: '' }] })
  expect(await screen.findByText(/It cannot be paid/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Enter an address' }))
  expect(await screen.findByLabelText('USDT TRC20 Address')).toBeDefined()
})

test('payouts of own-price numbers stand below the bills', async () => {
  open('/payment?tab=billing', { 'GET /api/billing/payouts': [somePayout] })
  const row = (await screen.findByText('+44 909 879 0151')).closest('tr')
  expect(row?.textContent).toContain('12.50 USDT')
  expect(row?.textContent).toContain('Pending')
})

test('a failed fetch says what failed and can be tried again', async () => {
  let isBroken = true
  open('/payment?tab=billing', {
    'GET /api/billing/periods': () =>
      isBroken ? refusal(503, { code: 'busy', message: 'The database did not answer.' }) : [openBill],
  })
  expect(await screen.findByText('Failed to fetch billing periods')).toBeDefined()
  isBroken = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('1,056.20')).toBeDefined()
})
