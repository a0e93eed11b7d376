import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { sent } from '../testing/api-stub.ts'
import { moneyAnswers, openTransfer, otherAddress, treasuryReader } from '../testing/money.ts'
import { renderApp, support } from '../testing/render.tsx'
import { PaymentManagementPage } from '../payment/PaymentManagementPage.tsx'

function open(answers = {}, list = 'transfers') {
  return renderApp(<PaymentManagementPage />, {
    url: `/payment-management?tab=history&list=${list}`,
    user: support,
    answers: {
      ...moneyAnswers,
      'GET /api/treasury/reader': { ...treasuryReader, open: { count: 1, amount: '1945.70' } },
      'GET /api/treasury/transfers': [openTransfer],
      ...answers,
    },
  })
}

test('a transfer is matched by a proposal, above the limit with a second person', async () => {
  const { requests } = open({ 'PUT /api/treasury/transfers/9/match': { ...openTransfer, state: 'waiting' } })
  expect(await screen.findByText('proposed: client3, bill 4-12: exactly 1,945.70 USDT')).toBeDefined()
  expect(screen.getByRole('tab', { name: /Payment History/ }).textContent).toContain('1')
  expect(screen.getByRole('radio', { name: 'On chain, not matched 1' })).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: /^Match 1,945.70/ }))
  const dialog = screen.getByRole('dialog', { name: 'Match transfer' })
  await userEvent.click(within(dialog).getByRole('button', { name: /payout 71: less than/ }))
  await userEvent.click(within(dialog).getByRole('button', { name: 'Ask for approval' }))
  expect(await within(dialog).findByText('Enter the reason')).toBeDefined()
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'sent by hand')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Ask for approval' }))
  expect(await screen.findByText('A second person must agree to this match')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({ references: ['4-12', 'payout-71'], reason: 'sent by hand' })
})

test('a forged address is named, and what is typed is checked before it is sent', async () => {
  const lookAlikes = [{ address: otherAddress, userName: 'client8' }]
  const { requests } = open({
    'GET /api/treasury/transfers': [{ ...openTransfer, lookAlikes, proposals: [] }],
  })
  expect(await screen.findByText('Looks like an address of client8')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: /^Match/ }))
  const dialog = screen.getByRole('dialog', { name: 'Match transfer' })
  expect(dialog.textContent).toContain('That is an address of client8')
  await userEvent.type(within(dialog).getByLabelText('Bills and payouts'), 'bill 4')
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'x')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Ask for approval' }))
  expect(await within(dialog).findByText(/^Enter bills/)).toBeDefined()
  expect(sent(requests)).toEqual([])
})

test('what is asked about a transfer is decided by somebody else', async () => {
  const decision = {
    kind: 'explain',
    references: [],
    reason: 'energy',
    requestedBy: 'ada',
    requestedAt: openTransfer.at,
    decidedBy: '',
  }
  const waiting = { ...openTransfer, state: 'waiting', proposals: [], decision }
  const { requests } = open({
    'GET /api/treasury/transfers': [waiting],
    'PUT /api/treasury/transfers/9/decide': { ...waiting, state: 'explained' },
  })
  await userEvent.click(await screen.findByRole('button', { name: /^Decide on/ }))
  const dialog = screen.getByRole('dialog', { name: 'Decide on Transfer' })
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'seen the invoice')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save decision' }))
  expect(await screen.findByText('The decision is saved')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({ action: 'accept', reason: 'seen the invoice' })
})

test('a difference between wallet and ledger is told apart, and a node that fails is named', async () => {
  const { proof, wallets } = treasuryReader
  open({
    'GET /api/treasury/reader': {
      ...treasuryReader,
      wallets: [
        { ...wallets[0], fault: 'The node does not answer.', failingSince: '2026-11-18T09:00:00.000Z' },
      ],
      proof: { ...proof, unbooked: '5.00', unread: '1.00', difference: '5.00', isEqual: false },
    },
    'GET /api/treasury/transfers': [],
  })
  expect(await screen.findByText('Wallet and ledger differ')).toBeDefined()
  expect(screen.getByText('5.00 USDT left the wallets and are booked on nothing.')).toBeDefined()
  expect(screen.getByText(/1.00 USDT are missing from the wallets/)).toBeDefined()
  expect(screen.getByText(/The node does not answer/)).toBeDefined()
})

test('without a node the tab says what is missing', async () => {
  open({ 'GET /api/treasury/reader': { ...treasuryReader, isConfigured: false, wallets: [], proof: null } })
  expect(await screen.findByText('No TRON node is set')).toBeDefined()
})
