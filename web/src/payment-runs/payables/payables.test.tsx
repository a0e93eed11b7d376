import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import { expect, test } from 'vitest'
import { type ApiRequest, refusal, sent } from '../../testing/api-stub.ts'
import { draftLine, moneyAnswers, somePayout, readyBill, someAddress, someRun } from '../../testing/money.ts'
import { renderApp, support } from '../../testing/render.tsx'
import { PaymentManagementPage } from '../../payment/PaymentManagementPage.tsx'

const bill: Payable = {
  reference: '4-12',
  kind: 'bill',
  userId: 12,
  userName: 'client3',
  number: '',
  periodStart: readyBill.periodStart,
  periodEnd: readyBill.periodEnd,
  owedSince: '2026-11-16T00:00:01.000Z',
  payableFrom: '2026-11-16T00:00:01.000Z',
  amount: '1945.70',
  receivedAmount: '0.00',
  dueAmount: '1945.70',
  setOffAmount: '0.00',
  reducedAmount: '0.00',
  paymentId: null,
  usdtAddress: someAddress,
  step: 'pay',
  runId: null,
}
const payout: Payable = {
  ...bill,
  reference: `payout-${somePayout.id}`,
  kind: 'payout',
  number: somePayout.number,
  amount: '12.50',
  dueAmount: '12.50',
}
const inRun: Payable = { ...bill, reference: '4-13', userName: 'client4', step: 'in_run', runId: '7' }
const waiting: Payable = {
  ...bill,
  reference: '4-14',
  userName: 'client5',
  step: 'no_address',
  usdtAddress: '',
}

function open(answers = {}, query = '') {
  return renderApp(<PaymentManagementPage />, {
    url: `/payment-management?tab=payables${query}`,
    user: support,
    answers: {
      ...moneyAnswers,
      'GET /api/billing/payables': [bill, payout, inRun, waiting],
      'GET /api/billing/payables/summary': {
        steps: [
          { step: 'pay', count: 2, dueAmount: '1958.20' },
          { step: 'in_run', count: 1, dueAmount: '1945.70' },
          { step: 'no_address', count: 1, dueAmount: '1945.70' },
        ],
        count: 4,
        dueAmount: '5849.60',
      },
      ...answers,
    },
  })
}

const queryOf = (requests: readonly ApiRequest[], path: string) =>
  Object.fromEntries(requests.find((request) => request.path === path)?.query ?? [])

const rowOf = async (text: RegExp) =>
  within(await screen.findByRole('table', { name: 'Payables' })).findByRole('row', { name: text })

test('bills and payouts that are selected become a payment run, and what cannot be paid is named', async () => {
  const { requests } = open({
    'GET /api/payment-runs': [someRun],
    'GET /api/payment-runs/7': someRun,
    'GET /api/payment-runs/draft': {
      lines: [draftLine],
      readyCount: 1,
      readyAmount: '1958.20',
      minimum: '0.00',
      isBundled: true,
      isNetted: true,
    },
    'POST /api/payment-runs': someRun,
  })
  const stats = await screen.findByRole('region', { name: 'Payables by next step' })
  expect(await within(stats).findByText('1,958.20')).toBeDefined()
  expect(stats.textContent).toContain('2 bills and payouts')
  for (const row of [/Bill 4-12/, /Payout/, /client5/])
    await userEvent.click(within(await rowOf(row)).getByRole('checkbox'))
  expect(screen.getByText('1 of them cannot be paid now')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'New payment run (2)' }))
  const dialog = await screen.findByRole('dialog', { name: 'New payment run' })
  await userEvent.click(await within(dialog).findByRole('button', { name: 'Draft 1 transfer' }))
  expect(await screen.findByRole('dialog', { name: 'Payment run #7' })).toBeDefined()
  expect(queryOf(requests, '/api/payment-runs/draft')).toMatchObject({
    references: `4-12,${payout.reference}`,
  })
  expect(sent(requests)[0]?.body).toMatchObject({ references: ['4-12', 'payout-71'] })
})

test('the next step of each is one click away', async () => {
  const { requests } = open({ 'GET /api/payouts': [somePayout] })
  expect(within(await rowOf(/client5/)).queryByRole('button', { name: /client5/ })).toBeNull()
  await userEvent.click(within(await rowOf(/Payout/)).getByRole('button', { name: /^Pay: client3/ }))
  expect(await screen.findByRole('dialog', { name: 'Process Payout' })).toBeDefined()
  expect(queryOf(requests, '/api/payouts')).toMatchObject({ id: somePayout.id })
})

test('the filters are asked of the server, and a list that fails says so', async () => {
  const { requests } = open(
    { 'GET /api/billing/payables': refusal(500, { code: 'internal', message: 'gone' }) },
    '&payable=in_run&payableKind=bill',
  )
  expect(await screen.findByText('Failed to fetch payables')).toBeDefined()
  expect(queryOf(requests, '/api/billing/payables')).toMatchObject({
    step: 'in_run',
    kind: 'bill',
    sort: 'owedSince',
    order: 'asc',
  })
})
