import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { expect, test, vi } from 'vitest'
import { type ApiRequest, refusal, sent } from '../testing/api-stub.ts'
import { draftLine, moneyAnswers, someHash, someRun } from '../testing/money.ts'
import { renderApp, support } from '../testing/render.tsx'
import { PaymentManagementPage } from '../payment/PaymentManagementPage.tsx'

function open(answers = {}, url = '/payment-management?tab=runs') {
  return renderApp(<PaymentManagementPage />, {
    url,
    user: support,
    answers: {
      ...moneyAnswers,
      'GET /api/payment-runs': [someRun],
      'GET /api/payment-runs/7': someRun,
      'GET /api/payment-runs/draft': {
        lines: [
          draftLine,
          {
            ...draftLine,
            userName: 'client4',
            amount: '5.00',
            debts: [{ reference: '4-13', dueAmount: '5.00' }],
            warningWords: [sentence('Nothing was ever paid to this address.')],
          },
          {
            ...draftLine,
            userName: 'client5',
            debts: [{ reference: '4-14', dueAmount: '1.00' }],
            problem: 'It is in payment run 6.',
            problemWords: [sentence('It is in payment run {run}.', { run: '6' })],
          },
        ],
        readyCount: 2,
        readyAmount: '1963.20',
        minimum: '0.00',
        isBundled: true,
        isNetted: true,
      },
      ...answers,
    },
  })
}

test('a draft shows whole addresses and warnings, and pays only who is chosen', async () => {
  const { requests } = open({ 'POST /api/payment-runs': someRun })
  await userEvent.click(await screen.findByRole('button', { name: 'New payment run' }))
  const dialog = screen.getByRole('dialog', { name: 'New payment run' })
  expect(await within(dialog).findByText('1,963.20 USDT')).toBeDefined()
  expect(dialog.textContent).toContain('TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t')
  expect(dialog.textContent).toContain('bill 4-12: 1,945.70 USDT, payout 71: 12.50 USDT')
  expect(within(dialog).getByRole('list', { name: 'Warnings on client4' }).textContent).toContain(
    'Nothing was ever paid',
  )
  expect(dialog.textContent).toContain('It is in payment run 6.')
  await userEvent.click(within(dialog).getByLabelText('Pay client4 5.00 USDT'))
  expect(within(dialog).getByText('1,958.20 USDT', { selector: '.text-lg' })).toBeDefined()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Draft 1 transfer' }))
  expect(await screen.findByRole('dialog', { name: 'Payment run #7' })).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({ references: ['4-12', 'payout-71'], note: '' })
})

test('a draft has the amounts of its own opening', async () => {
  const { requests } = open()
  const reads = () => requests.filter(({ path }) => path === '/api/payment-runs/draft').length
  for (const count of [1, 2]) {
    await userEvent.click(await screen.findByRole('button', { name: 'New payment run' }))
    await screen.findByText('1,963.20 USDT')
    await expect.poll(reads).toBe(count)
    await userEvent.keyboard('{Escape}')
  }
})

test('a run that somebody else drafted can be approved, and a refusal is said', async () => {
  const { requests } = open({
    'PUT /api/payment-runs/7/approve': refusal(409, { code: 'wrong_state', message: '4-12 has changed.' }),
  })
  await userEvent.click(await screen.findByText('week 46'))
  const dialog = await screen.findByRole('dialog', { name: 'Payment run #7' })
  await userEvent.click(await within(dialog).findByRole('button', { name: 'Approve' }))
  expect(await screen.findByText('4-12 has changed.')).toBeDefined()
  expect(sent(requests)).toHaveLength(1)
})

test('an approved run is exported and its file downloaded by one click', async () => {
  let run: RunDetail = { ...someRun, status: 'approved' }
  const downloads: string[] = []
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    downloads.push(this.getAttribute('href') ?? '')
  })
  open(
    {
      'GET /api/payment-runs/7': () => run,
      'PUT /api/payment-runs/7/export': () =>
        (run = { ...run, status: 'exported', exportedAt: someRun.draftedAt }),
    },
    '/payment-management?tab=runs&run=7',
  )
  const dialog = await screen.findByRole('dialog', { name: 'Payment run #7' })
  const exportRun = await within(dialog).findByRole('button', { name: 'Export for wallet' })
  expect(within(dialog).queryByText('Not seen')).toBeNull()
  await userEvent.click(exportRun)
  expect(await within(dialog).findByText('Not seen')).toBeDefined()
  await expect.poll(() => downloads).toEqual(['/api/payment-runs/7/file?form=csv'])
  click.mockRestore()
})

test('whoever drafted a run cannot approve it, and may cancel it with a reason', async () => {
  const { requests } = open(
    {
      'GET /api/payment-runs/7': { ...someRun, draftedBy: 'support' },
      'PUT /api/payment-runs/7/cancel': { ...someRun, status: 'cancelled' },
    },
    '/payment-management?tab=runs&run=7',
  )
  const dialog = await screen.findByRole('dialog', { name: 'Payment run #7' })
  expect(await within(dialog).findByText(/a second person approves it/)).toBeDefined()
  expect(within(dialog).queryByRole('button', { name: 'Approve' })).toBeNull()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel run' }))
  const question = await screen.findByRole('dialog', { name: 'Cancel payment run #7' })
  await userEvent.type(within(question).getByLabelText('Reason'), 'later')
  await userEvent.click(within(question).getByRole('button', { name: 'Cancel payment run' }))
  expect(await screen.findByText('The payment run is cancelled')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({ reason: 'later' })
})

test('a run with the wallet has its files, and takes hashes: tried first, then applied', async () => {
  const line = {
    line: 2,
    reference: 'run-7-70',
    transactionHash: someHash,
    outcome: 'looked_up',
    message: '',
  }
  const { requests } = open(
    {
      'GET /api/payment-runs/7': { ...someRun, status: 'exported', exportedAt: someRun.draftedAt },
      'POST /api/payment-runs/7/hashes': ({ query, body }: ApiRequest) =>
        (body as { data: string }).data.includes('wrong')
          ? {
              isApplied: false,
              refusedCount: 1,
              lines: [{ ...line, outcome: 'refused', message: 'No line of this run' }],
            }
          : { isApplied: query.get('dryRun') === 'false', refusedCount: 0, lines: [line] },
    },
    '/payment-management?tab=runs&run=7',
  )
  const dialog = await screen.findByRole('dialog', { name: 'Payment run #7' })
  expect(await within(dialog).findByRole('button', { name: 'End run without the rest' })).toBeDefined()
  // Only what shuts the dialog is named Close.
  for (const button of within(dialog).getAllByRole('button', { name: /^Close/ }))
    expect(button.getAttribute('aria-label') ?? button.textContent).toBe('Close')
  const file = await within(dialog).findByRole('link', { name: 'CSV for wallet' })
  expect(file.getAttribute('href')).toBe('/api/payment-runs/7/file?form=csv')
  await userEvent.click(await within(dialog).findByText(/^Enter (the transaction )?hashes/))
  await userEvent.click(within(dialog).getByLabelText(/^CSV with/))
  await userEvent.paste('wrong')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Check hashes' }))
  expect(await within(dialog).findByText('No line of this run')).toBeDefined()
  const csv = new File([`reference,transaction_hash\nrun-7-70,${someHash}\n`], 'hashes.csv', {
    type: 'text/csv',
  })
  await userEvent.upload(within(dialog).getByLabelText('File of transaction hashes'), csv)
  await userEvent.click(await within(dialog).findByRole('button', { name: 'Check hashes' }))
  expect(await within(dialog).findByText('All lines can be taken')).toBeDefined()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Apply (1)' }))
  expect(await within(dialog).findByText('1 hash taken')).toBeDefined()
  expect(sent(requests).map(({ query }) => query.get('dryRun'))).toEqual(['true', 'true', 'false'])
})
