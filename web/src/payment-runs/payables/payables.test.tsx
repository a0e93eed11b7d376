import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import { expect, test } from 'vitest'
import { type ApiRequest, refusal, sent } from '../../testing/api-stub.ts'
import {
  draftLine,
  goodCheck,
  moneyAnswers,
  readyBill,
  somePayable,
  somePayout,
  someRun,
} from '../../testing/money.ts'
import { renderApp, support } from '../../testing/render.tsx'
import { PaymentManagementPage } from '../../payment/PaymentManagementPage.tsx'

const bill = somePayable
const payout: Payable = {
  ...bill,
  reference: `payout-${somePayout.id}`,
  kind: 'payout',
  number: somePayout.number,
  amount: '12.50',
  dueAmount: '12.50',
}
const inRun: Payable = { ...bill, reference: '4-13', userName: 'client4', step: 'in_run', runId: '7' }

function open(answers = {}, query = '') {
  return renderApp(<PaymentManagementPage />, {
    url: `/payment-management${query}`,
    user: support,
    answers: {
      ...moneyAnswers,
      'GET /api/billing/payables': ({ query: asked }: ApiRequest) =>
        asked.get('view') === 'run' ? [inRun] : [bill, payout],
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
  within(await screen.findByRole('table', { name: 'Pending Bills' })).findByRole('row', { name: text })

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
  const table = await screen.findByRole('table', { name: 'Pending Bills' })
  const heads = within(table).getAllByRole('columnheader')
  expect(heads.map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(['User', 'Period', 'SMS Count', 'Amount', 'USDT Address', 'Status', 'Actions']),
  )
  expect(await screen.findByRole('radio', { name: 'Can be paid 2' })).toBeDefined()
  expect(screen.getByText('1,958.20 USDT')).toBeDefined()
  for (const row of [/Bill 4-12/, /Payout/])
    await userEvent.click(within(await rowOf(row)).getByRole('checkbox'))
  await userEvent.click(screen.getByRole('button', { name: 'New payment run (2)' }))
  const dialog = await screen.findByRole('dialog', { name: 'New payment run' })
  await userEvent.click(await within(dialog).findByRole('button', { name: 'Draft 1 transfer' }))
  expect(await screen.findByRole('dialog', { name: 'Payment run #7' })).toBeDefined()
  expect(queryOf(requests, '/api/payment-runs/draft')).toMatchObject({
    references: `4-12,${payout.reference}`,
  })
  expect(sent(requests)[0]?.body).toMatchObject({ references: ['4-12', 'payout-71'] })
})

test('a payout is processed and a bill is paid in the same list; what is being paid leads to its run', async () => {
  const { requests, address } = open({
    'GET /api/payouts': [somePayout],
    'GET /api/billing/periods/4-12': readyBill,
    'GET /api/payments/address-check': goodCheck,
    'GET /api/payment-runs': [someRun],
    'GET /api/payment-runs/7': someRun,
  })
  await userEvent.click(within(await rowOf(/Payout/)).getByRole('button', { name: /^Process/ }))
  expect(await screen.findByRole('dialog', { name: 'Process Payout' })).toBeDefined()
  expect(queryOf(requests, '/api/payouts')).toMatchObject({ id: somePayout.id })
  await userEvent.keyboard('{Escape}')
  await userEvent.click(within(await rowOf(/Bill 4-12/)).getByRole('button', { name: /^Mark as Paid/ }))
  expect(await screen.findByRole('dialog', { name: 'Mark as Paid' })).toBeDefined()
  await userEvent.keyboard('{Escape}')
  await userEvent.click(screen.getByRole('radio', { name: 'Being paid 1' }))
  await userEvent.click(within(await rowOf(/client4/)).getByRole('button', { name: /^Open run/ }))
  expect(await screen.findByRole('dialog', { name: 'Payment run #7' })).toBeDefined()
  expect(address()).toContain('tab=runs')
})

test('whoever asked for an approval does not approve; what waits for nobody here has no button', async () => {
  const asked = { ...bill, step: 'approve' as const }
  open(
    {
      'GET /api/billing/payables': [
        { ...asked, askedBy: 'admin' },
        { ...asked, reference: '4-20', userName: 'client6', askedBy: 'support' },
        { ...bill, reference: '4-21', userName: 'client7', step: 'not_yet' },
      ],
    },
    '?view=us',
  )
  expect(within(await rowOf(/client3/)).getByRole('button', { name: /^Approve/ })).toBeDefined()
  const own = await rowOf(/client6/)
  expect(within(own).queryByRole('button', { name: /^Approve/ })).toBeNull()
  expect(own.textContent).toContain('approval asked by support')
  expect(within(await rowOf(/client7/)).queryByRole('button', { name: /^(Mark|Approve|Decide)/ })).toBeNull()
})

test('the filters are asked of the server, and a list that fails says so', async () => {
  const { requests } = open(
    { 'GET /api/billing/payables': refusal(500, { code: 'internal', message: 'gone' }) },
    // As the address was while this list had a tab of its own.
    '?tab=payables&payable=in_run&payableKind=bill',
  )
  expect(await screen.findByText('Failed to fetch payables')).toBeDefined()
  expect(queryOf(requests, '/api/billing/payables')).toMatchObject({
    view: 'run',
    kind: 'bill',
    sort: 'owedSince',
    order: 'asc',
  })
})
