// What is done about bills before their payment, as staff and as clients see it.
import type { Amendment } from '@tollgate/contract/amendments/amendments.ts'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { refusal, sent } from '../testing/api-stub.ts'
import {
  goodCheck,
  moneyAnswers,
  otherAddress,
  paidBill,
  readyBill,
  someHash,
  somePayment,
  terms,
} from '../testing/money.ts'
import { admin, renderApp, support } from '../testing/render.tsx'
import { BillDrawer } from '../billing/bills/BillDrawer.tsx'
import { PaymentManagementPage } from '../payment/PaymentManagementPage.tsx'
import { amendmentsOf } from './amendment-words.ts'

const unpaid: BillingPeriod = { ...readyBill, totalCost: '50.00', dueAmount: '50.00' }
const creditNote: Amendment = {
  id: '9',
  periodId: '4-12',
  kind: 'credit_note',
  status: 'done',
  amount: '20.00',
  messageIds: [],
  usdtAddress: '',
  formerAddress: '',
  reason: 'carrier dispute 17',
  clientReason: 'Ten messages were no SMS.',
  requestedBy: 'admin',
  requestedAt: '2026-11-17T09:00:00.000Z',
  acceptableFrom: '2026-11-17T09:00:00.000Z',
  decidedBy: 'admin',
  decidedAt: '2026-11-17T09:00:00.000Z',
  decisionReason: '',
}

function open(answers = {}, { user = admin, url = '/payment-management?view=bills' } = {}) {
  return renderApp(<PaymentManagementPage />, {
    url,
    user,
    answers: {
      ...moneyAnswers,
      'GET /api/billing/all-periods': [unpaid],
      'GET /api/billing/periods/4-12/amendments': [],
      'GET /api/billing/periods/4-12/lines': [],
      'GET /api/payments/address-check': goodCheck,
      'GET /api/payments/all': [somePayment],
      ...answers,
    },
  })
}

const menuOf = async (name: RegExp) => {
  await userEvent.click(await screen.findByRole('button', { name }))
  return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
}
const choose = (label: string) => userEvent.click(screen.getByRole('menuitem', { name: label }))

test.each<[string, Partial<BillingPeriod>, readonly string[]]>([
  ['an unpaid bill', {}, ['withhold', 'credit_note', 'readdress', 'void']],
  ['a bill whose payment failed', { status: 'failed' }, ['withhold', 'credit_note', 'readdress', 'void']],
  [
    'a withheld bill',
    { withheld: { at: '2026-11-17T09:00:00.000Z', reason: '' } },
    ['resume', 'credit_note', 'readdress', 'void'],
  ],
  ['a partly paid bill', { receivedAmount: '1.00' }, ['withhold', 'credit_note', 'readdress']],
  [
    'a bill whose payment waits for approval',
    { approval: { requestedBy: 'a', requestedAt: '' } },
    ['withhold'],
  ],
  ['a bill whose transfer is looked up', { paymentVerification: 'confirming' }, []],
  ['an open bill', { status: 'pending' }, []],
  ['a paid bill', { status: 'paid' }, []],
  ['a void bill', { status: 'void' }, []],
])('%s allows what can be done about it', (_, changes, kinds) => {
  expect(amendmentsOf({ ...unpaid, ...changes }, 'admin')).toEqual(kinds)
  expect(amendmentsOf({ ...unpaid, ...changes }, 'user')).toEqual([])
  expect(amendmentsOf({ ...unpaid, ...changes }, 'support')).toEqual(
    kinds.filter((kind) => kind !== 'void' && kind !== 'credit_note'),
  )
})

test('a credit note sends its amount and both reasons; an amount above 0 is asked for', async () => {
  const { requests } = open({
    'POST /api/billing/periods/4-12/credit-notes': { ...creditNote, status: 'done' },
  })
  expect(await menuOf(/^More actions for client3/)).toEqual([
    'Show lines',
    'Withhold',
    'Credit note',
    'Pay to another address',
    'Void and reissue',
  ])
  await choose('Credit note')
  const dialog = await screen.findByRole('dialog', { name: 'Credit note' })
  const make = () => userEvent.click(within(dialog).getByRole('button', { name: 'Credit note' }))
  await make()
  expect(await within(dialog).findByText(/Enter an amount above 0/)).toBeDefined()
  expect(within(dialog).getByText('Enter the reason')).toBeDefined()
  await userEvent.type(within(dialog).getByLabelText('Amount (USDT)'), '20')
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'carrier dispute 17')
  await userEvent.type(within(dialog).getByLabelText('Note for the client'), 'Ten messages were no SMS.')
  await make()
  expect(await screen.findByText('The credit note is made')).toBeDefined()
  expect(sent(requests).map(({ body }) => body)).toEqual([
    { amount: '20', reason: 'carrier dispute 17', clientReason: 'Ten messages were no SMS.' },
  ])
})

test('a credit note of messages sends their IDs, and a refusal stands at its field', async () => {
  const { requests } = open({
    'POST /api/billing/periods/4-12/credit-notes': refusal(400, {
      code: 'invalid',
      message: 'No such message',
      fields: {
        messageIds: 'Not of this bill',
      },
    }),
  })
  await menuOf(/^More actions for client3/)
  await choose('Credit note')
  const dialog = await screen.findByRole('dialog', { name: 'Credit note' })
  await userEvent.click(within(dialog).getByRole('radio', { name: 'Messages under review' }))
  await userEvent.type(within(dialog).getByLabelText('Message IDs'), 'A1, B2{enter}C3')
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'doubled')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Credit note' }))
  expect(await within(dialog).findByText('Not of this bill')).toBeDefined()
  expect(sent(requests)[0]?.body).toMatchObject({ messageIds: ['A1', 'B2', 'C3'] })
})

test('the dialog says before the act that a second person is needed, by the sum of 24 hours', async () => {
  open({
    'GET /api/billing/terms': { ...terms, movedAlone: '60.00' },
    'PUT /api/billing/periods/4-12/void': { ...creditNote, kind: 'void', status: 'pending' },
  })
  await menuOf(/^More actions for client3/)
  await choose('Void and reissue')
  const dialog = await screen.findByRole('dialog', { name: 'Void and reissue' })
  await waitFor(() =>
    expect(dialog.textContent).toContain(
      'You moved 60.00 USDT on your own in the last 24 hours. Above 100.00 USDT in total, a second person must approve.',
    ),
  )
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'wrong name')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Ask for approval' }))
  expect(await screen.findByText('Approval asked for')).toBeDefined()
})

const pendingAmendment = {
  id: '9',
  kind: 'credit_note' as const,
  amount: '20.00',
  usdtAddress: '',
  reason: 'carrier dispute 17',
  requestedBy: 'ada',
  requestedAt: '2026-11-17T09:00:00.000Z',
  acceptableFrom: '2026-11-17T09:00:00.000Z',
}

test('a waiting amendment is shown in the list, and the second person accepts it with a reason', async () => {
  const { requests } = open(
    {
      'GET /api/billing/all-periods': [{ ...unpaid, pendingAmendment }],
      'PUT /api/billing/amendments/9/decide': creditNote,
    },
    { user: support },
  )
  expect(await screen.findByText('Credit note: asked for by ada')).toBeDefined()
  expect(screen.queryByRole('button', { name: /^Mark as Paid/ })).toBeNull()
  expect(await menuOf(/^More actions for client3/)).toEqual(['Show lines', 'Decide: Credit note'])
  await choose('Decide: Credit note')
  const dialog = await screen.findByRole('dialog', { name: 'Decide: Credit note' })
  expect(dialog.textContent).toContain('20.00 USDT')
  expect(dialog.textContent).toContain('carrier dispute 17')
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'seen the letter')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save decision' }))
  await waitFor(() =>
    expect(sent(requests)[0]?.body).toEqual({ action: 'accept', reason: 'seen the letter' }),
  )
})

test('whoever asked can only take it back, and before its time nobody can accept another address', async () => {
  const readdress = {
    ...pendingAmendment,
    kind: 'readdress' as const,
    amount: '',
    usdtAddress: otherAddress,
    acceptableFrom: '2099-01-01T00:00:00.000Z',
  }
  const optionsOf = async (pending: object, user: typeof admin) => {
    const { unmount } = open(
      { 'GET /api/billing/all-periods': [{ ...unpaid, pendingAmendment: pending }] },
      { user },
    )
    await menuOf(/^More actions for client3/)
    await userEvent.click(screen.getByRole('menuitem', { name: /^Decide:/ }))
    const options = within(await screen.findByRole('dialog', { name: /^Decide:/ })).getAllByRole('option')
    unmount()
    return options.map(({ textContent }) => textContent)
  }
  expect(await optionsOf({ ...pendingAmendment, requestedBy: admin.username }, admin)).toEqual(['Take back'])
  expect(await optionsOf(readdress, admin)).toEqual(['Reject'])
})

test('lists tell a bill that is withheld, void, credited or in a run, and none of them can be paid by hand', async () => {
  open({
    'GET /api/billing/all-periods': [
      { ...unpaid, id: '4-1', userName: 'held', withheld: { at: '2026-11-17T09:00:00.000Z', reason: 'x' } },
      { ...unpaid, id: '4-2', userName: 'gone', status: 'void', dueAmount: '0.00' },
      { ...unpaid, id: '4-3', userName: 'ran', runId: '7' },
      { ...unpaid, id: '4-4', userName: 'less', creditedAmount: '20.00', dueAmount: '30.00' },
    ],
  })
  const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr')?.textContent
  expect(await rowOf('held')).toContain('Withheld')
  expect(await rowOf('gone')).toContain('Void')
  expect(await rowOf('ran')).toContain('in payment run #7')
  expect(await rowOf('less')).toContain('20.00 credited')
  expect(await rowOf('less')).toContain('30.00 due')
  expect(screen.getAllByRole('button', { name: /^Mark as Paid/ })).toHaveLength(1)
})

test('a client reads why the bill is withheld and what was credited, and downloads the credit note', async () => {
  const own = { ...creditNote, reason: creditNote.clientReason, requestedBy: '', decidedBy: '' }
  renderApp(
    <BillDrawer
      bill={{
        ...unpaid,
        withheld: { at: '2026-11-17T09:00:00.000Z', reason: 'We check some messages.' },
        creditedAmount: '20.00',
        reducedAmount: '20.00',
        dueAmount: '30.00',
      }}
      onClose={() => undefined}
    />,
    {
      answers: {
        'GET /api/billing/terms': terms,
        'GET /api/billing/periods/4-12/amendments': [own],
        'GET /api/billing/periods/4-12/lines': [],
      },
    },
  )
  const link = await screen.findByRole('link', { name: /Download credit note 9$/ })
  expect(link.getAttribute('href')).toBe('/api/billing/amendments/9/credit-note.pdf')
  const drawer = screen.getByRole('dialog')
  expect(drawer.textContent).toContain('We check some messages.')
  expect(drawer.textContent).toContain('Ten messages were no SMS.')
  expect(drawer.textContent).toContain('Withheld')
  expect(drawer.textContent).toContain('−20.00 USDT')
})

test('the hash of a payment that is looked up is replaced from Payment History', async () => {
  const checked = {
    ...somePayment,
    status: 'pending' as const,
    paymentVerification: 'confirming' as const,
    enteredBy: 'ada',
  }
  const { requests } = open(
    {
      'GET /api/payments/all': [checked, { ...somePayment, id: '32', amount: '1.00' }],
      'GET /api/billing/all-periods': [paidBill],
      'PUT /api/payments/31/hash': { ...checked, id: '33' },
    },
    { url: '/payment-management?tab=history' },
  )
  expect(await menuOf(/^More actions for client3, 1852.50/)).toEqual(['Decide', 'Replace hash'])
  expect(screen.queryByRole('button', { name: /^More actions for client3, 1.00/ })).toBeNull()
  await choose('Replace hash')
  const dialog = await screen.findByRole('dialog', { name: 'Replace hash' })
  expect(dialog.textContent).toContain('The old one is looked up too')
  await userEvent.click(within(dialog).getByLabelText('Transaction Hash'))
  await userEvent.paste(someHash.replace('e29e', 'ffff').toUpperCase())
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'swapped digits')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Replace hash' }))
  expect(await screen.findByText('The hash is replaced')).toBeDefined()
  expect(sent(requests)[0]?.body).toEqual({
    transactionHash: someHash.replace('e29e', 'ffff'),
    reason: 'swapped digits',
  })
})
