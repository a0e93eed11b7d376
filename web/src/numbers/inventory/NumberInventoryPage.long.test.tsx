import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import type { NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { expect, test } from 'vitest'
import { refusal, type ApiRequest } from '../../testing/api-stub.ts'
import { someNumber } from '../../testing/objects.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { pressUndo } from '../../testing/toasts.ts'
import { NumberInventoryPage } from './NumberInventoryPage.tsx'

const free: InventoryItem = {
  id: '7',
  number: '449098790142',
  countryCode: '+44',
  country: 'United Kingdom',
  operator: 'Vox',
  pricePerSms: '0.5',
  usdPerSms: '0.5',
  scheduled: null,
  earned: '1.50',
  status: 'available',
  assignedTo: null,
  assignedUsername: '',
  assignedFrom: null,
  createdAt: '2026-11-19T14:31:58.102Z',
  version: 3,
}
const held: InventoryItem = {
  ...free,
  id: '8',
  number: '449098790517',
  pricePerSms: '',
  usdPerSms: '0.05',
  earned: '1.50',
  status: 'assigned',
  assignedTo: 12,
  assignedUsername: 'client2',
  assignedFrom: '2026-10-02T00:00:00.000Z',
}
const client = { ...admin, id: 12, username: 'client2', fullName: 'Cleo Ent', role: 'user' as const }
const summary = { count: 9, assigned: 4, available: 3, suspended: 2, countries: ['United Kingdom'] }

/** The same number as its drawer and its form read it. */
function detailOf(item: InventoryItem): NumberDetail {
  const { id, number, pricePerSms, usdPerSms, scheduled, assignedTo, assignedUsername, version } = item
  return {
    ...someNumber,
    id,
    phoneNumber: number,
    pricePerSms,
    usdPerSmsNow: usdPerSms,
    scheduled,
    holder:
      assignedTo === null
        ? null
        : { id: assignedTo, username: assignedUsername, since: someNumber.createdAt },
    version,
  }
}

function open(answers = {}, user = admin) {
  return renderApp(<NumberInventoryPage />, {
    url: '/number-inventory',
    user,
    answers: {
      'GET /api/number-inventory': [free, held],
      'GET /api/numbers/7': detailOf(free),
      'GET /api/numbers/8': detailOf(held),
      'GET /api/numbers/7/prices': [],
      'GET /api/numbers/8/prices': [],
      'GET /api/number-inventory/summary': summary,
      'GET /api/users': [client],
      'GET /api/payouts': [],
      'GET /api/payouts/summary': { totalRevenue: '1850.5', pendingCount: 3 },
      ...answers,
    },
  })
}

const putTo = (requests: readonly ApiRequest[], path: string) =>
  requests.find((call) => call.method === 'PUT' && call.path === path)

/** An act in the drawer of a number. */
async function choose(row: string, item: string) {
  const opens = screen.queryByRole('dialog')
  if (opens?.textContent?.includes(row) === false) await userEvent.keyboard('{Escape}')
  if (opens?.textContent?.includes(row) !== true)
    await userEvent.click(await screen.findByRole('button', { name: row }))
  const drawer = within(await screen.findByRole('dialog', { name: `Number ${row}` }))
  if (item === 'Edit') return userEvent.click(drawer.getByRole('button', { name: 'Edit' }))
  await userEvent.click(drawer.getByRole('button', { name: `More actions for ${row}` }))
  return userEvent.click(await screen.findByRole('menuitem', { name: item }))
}

test('the stock shows prices, holders and counts; Assign stands only at available numbers', async () => {
  open()
  const freeRow = (await screen.findByText('+44 909 879 0142')).closest('tr')!
  expect(freeRow.textContent).toContain('0.500 USD')
  expect(freeRow.textContent).toContain('Unassigned')
  const heldRow = screen.getByText('+44 909 879 0517').closest('tr')!
  expect(heldRow.textContent).toContain('Weekly bill')
  expect(heldRow.textContent).toContain('User 12')
  expect(within(heldRow).queryByRole('button', { name: /^Assign/ })).toBeNull()
  const stats = screen.getByRole('region', { name: 'Inventory' })
  expect(stats.textContent).toContain('Total Numbers9')
  expect(stats.textContent).toContain('Assigned Numbers4')
  await waitFor(() => expect(stats.textContent).toContain('Total Revenue1,850.50USDT'))
  expect(stats.textContent).toContain('Pending Payouts3')
})

test('a number is assigned by picking a user; an admin may say since when, sees what that is worth, and who must agree', async () => {
  const waitingCredit = { adjustmentId: '8', smsCount: 1_200, amount: '60.00' }
  const { requests } = open({
    'PUT /api/number-inventory/7/assign': { ...held, waitingCredit },
    'GET /api/billing/backdating': {
      number: '449098790142',
      userName: 'client2',
      heldFrom: '2026-11-01T08:30:00.000Z',
      heldTo: '2026-11-19T08:30:00.000Z',
      smsCount: 1_200,
      amount: '60.00',
      cycles: [
        {
          periodStart: '2026-11-02T00:00:00.000Z',
          periodEnd: '2026-11-09T00:00:00.000Z',
          isClosed: true,
          smsCount: 1_200,
          amount: '60.00',
        },
      ],
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Assign +44 909 879 0142' }))
  const dialog = await screen.findByRole('dialog', { name: 'Assign Number' })
  expect(within(dialog).getByRole('button', { name: 'Assign' }).getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(await within(dialog).findByRole('radio', { name: /client2/ }))
  await userEvent.type(within(dialog).getByLabelText('Held from (UTC)'), '2026-11-01T08:30')
  expect(await within(dialog).findByText('1,200 SMS, 60.00 USDT')).toBeDefined()
  expect(within(dialog).getByText(/02\/11\/2026 – 09\/11\/2026 \(closed\): 1,200 SMS/)).toBeDefined()
  expect(within(dialog).getByText(/Until then client2 holds the number only from now on/)).toBeDefined()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Assign' }))
  expect(await screen.findByText('Waits for a second admin')).toBeDefined()
  expect(putTo(requests, '/api/number-inventory/7/assign')?.body).toEqual({
    userId: 12,
    from: '2026-11-01T08:30:00Z',
  })
  expect(requests.find((call) => call.path === '/api/users')?.query.get('status')).toBe('active')
})

test('support cannot backdate', async () => {
  open({}, { ...admin, role: 'support' })
  await userEvent.click(await screen.findByRole('button', { name: 'Assign +44 909 879 0142' }))
  await screen.findByRole('dialog', { name: 'Assign Number' })
  expect(screen.queryByLabelText('Held from (UTC)')).toBeNull()
})

test('a number that was assigned meanwhile stays with its holder, and the dialog says so', async () => {
  open({
    'PUT /api/number-inventory/7/assign': refusal(409, {
      code: 'wrong_state',
      message: 'client9 holds it already.',
    }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Assign +44 909 879 0142' }))
  const dialog = await screen.findByRole('dialog')
  await userEvent.click(await within(dialog).findByRole('radio', { name: /client2/ }))
  await userEvent.click(within(dialog).getByRole('button', { name: 'Assign' }))
  expect(await within(dialog).findByText('client9 holds it already.')).toBeDefined()
})

test('several available numbers are assigned together; one that is taken blocks it with a reason', async () => {
  const second = { ...free, id: '9', number: '449098790903' }
  const { requests } = open({
    'GET /api/number-inventory': [free, held, second],
    'POST /api/number-inventory/assign': { changed: 2, changeId: '4' },
  })
  await userEvent.click(
    within(await screen.findByRole('table', { name: 'Number inventory' })).getByLabelText('Select all rows'),
  )
  expect(screen.getByText('1 of them not available')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Assign (3)' }).getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(screen.getByLabelText('Select +44 909 879 0517'))
  await userEvent.click(screen.getByRole('button', { name: 'Assign (2)' }))
  await userEvent.click(await screen.findByRole('radio', { name: /client2/ }))
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Assign' }))
  expect(await screen.findByText('2 numbers assigned successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'POST')?.body).toEqual({ ids: ['7', '9'], userId: 12 })
  expect(screen.queryByText(/selected/)).toBeNull()
})

test('all that match are assigned or taken back, and what was left out is told', async () => {
  const { requests } = open({
    'GET /api/number-inventory/summary': { ...summary, count: 900 },
    'POST /api/number-inventory/assign/matching': {
      changeId: '4',
      changedCount: 700,
      leftOut: [
        { reason: 'held', count: 150 },
        { reason: 'suspended', count: 50 },
      ],
    },
    'POST /api/number-inventory/unassign/matching': {
      changeId: null,
      changedCount: 0,
      leftOut: [{ reason: 'unheld', count: 900 }],
    },
  })
  const chooseAll = async () => {
    await userEvent.click(
      within(await screen.findByRole('table', { name: 'Number inventory' })).getByLabelText(
        'Select all rows',
      ),
    )
    await userEvent.click(screen.getByRole('button', { name: 'Select all 900 that match' }))
  }
  await chooseAll()
  await userEvent.click(screen.getByRole('button', { name: 'Assign (900)' }))
  await userEvent.click(await screen.findByRole('radio', { name: /client2/ }))
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Assign' }))
  expect(
    await screen.findByText('700 numbers assigned successfully. 150 are held by somebody. 50 are suspended.'),
  ).toBeDefined()
  expect(screen.getByRole('button', { name: 'Undo' })).toBeDefined()
  await chooseAll()
  await userEvent.click(screen.getByRole('button', { name: 'Unassign (900)' }))
  await userEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Unassign' }))
  expect(await screen.findByText('Nobody held 900.')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  expect(requests.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { filter: { search: '', country: '' }, count: 900, userId: 12 },
    { filter: { search: '', country: '' }, count: 900 },
  ])
})

test('suspending shows at once, goes back when the server says no', async () => {
  let answer: (response: Response) => void = () => {}
  open({
    'PUT /api/number-inventory/8/suspend': () =>
      new Promise<Response>((resolve) => {
        answer = resolve
      }),
  })
  await choose('+44 909 879 0517', 'Suspend')
  const row = screen.getAllByText('+44 909 879 0517')[0]!.closest('tr')!
  expect(await within(row).findByText('Suspended')).toBeDefined()
  answer(refusal(503, { code: 'unavailable', message: 'The database did not answer.' }))
  expect(await within(row).findByText('Assigned')).toBeDefined()
  expect(await screen.findByText('Failed to update number')).toBeDefined()
})

test('a suspension can be undone from the toast', async () => {
  const { requests } = open({
    'PUT /api/number-inventory/7/suspend': { ...free, status: 'suspended' },
    'PUT /api/number-inventory/7/resume': free,
  })
  await choose('+44 909 879 0142', 'Suspend')
  await pressUndo()
  await waitFor(() => expect(putTo(requests, '/api/number-inventory/7/resume')).toBeDefined())
})

test('unassigning says what stays before it is done', async () => {
  const { requests } = open({ 'PUT /api/number-inventory/8/unassign': { ...held, assignedTo: null } })
  await choose('+44 909 879 0517', 'Unassign')
  const dialog = screen.getByRole('alertdialog')
  expect(dialog.textContent).toContain('earlier records and what they earned stay')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Unassign' }))
  expect(await screen.findByText('Number unassigned successfully')).toBeDefined()
  expect(putTo(requests, '/api/number-inventory/8/unassign')).toBeDefined()
})

test('a price is checked, and an empty one returns the number to the weekly bill', async () => {
  const { requests } = open({ 'PUT /api/number-inventory/7': { ...free, pricePerSms: '' } })
  await choose('+44 909 879 0142', 'Edit')
  const dialog = screen.getByRole('dialog', { name: 'Edit Number' })
  const price = within(dialog).getByLabelText('Price per SMS (USD)')
  await userEvent.clear(price)
  await userEvent.type(price, '101')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save Changes' }))
  expect(await within(dialog).findByText(/above 0 and at most 100/)).toBeDefined()
  expect(putTo(requests, '/api/number-inventory/7')).toBeUndefined()
  await userEvent.clear(price)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Number updated successfully')).toBeDefined()
  expect(putTo(requests, '/api/number-inventory/7')?.body).toMatchObject({ pricePerSms: '', version: 3 })
})

test('a price starts at a chosen time; what waits stands in the row and in the form, and is cancelled', async () => {
  const scheduled = { rate: '0.045', startsAt: '2026-11-30T00:00:00.000Z', setBy: 'anna' }
  const { requests } = open({
    'GET /api/number-inventory': [
      { ...free, scheduled },
      { ...held, scheduled: { ...scheduled, rate: '' } },
    ],
    'GET /api/numbers/7': detailOf({ ...free, scheduled }),
    'GET /api/numbers/8': detailOf({ ...held, scheduled: { ...scheduled, rate: '' } }),
    'PUT /api/number-inventory/7': { ...free, scheduled },
    'DELETE /api/number-inventory/7/scheduled': null,
  })
  const rowOf = (number: string) => screen.getByText(number).closest('tr')!.textContent
  await screen.findByText('+44 909 879 0142')
  expect(rowOf('+44 909 879 0142')).toContain('0.500 USD0.045 USD from 30/11/2026')
  expect(rowOf('+44 909 879 0517')).toContain('Weekly bill from 30/11/2026')
  await choose('+44 909 879 0142', 'Edit')
  const dialog = within(screen.getByRole('dialog', { name: 'Edit Number' }))
  await userEvent.clear(dialog.getByLabelText('Price per SMS (USD)'))
  await userEvent.type(dialog.getByLabelText('Price per SMS (USD)'), '0.40')
  await userEvent.selectOptions(dialog.getByLabelText('Starts'), 'At a time')
  fireEvent.change(dialog.getByLabelText('Starts (UTC)'), { target: { value: '2026-12-07T00:00' } })
  expect(dialog.getByText('A rate that waits is replaced.')).toBeDefined()
  await userEvent.click(dialog.getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('The rate starts 07/12/2026')).toBeDefined()
  expect(putTo(requests, '/api/number-inventory/7')?.body).toMatchObject({
    pricePerSms: '0.40',
    startsAt: '2026-12-07T00:00:00Z',
    version: 3,
  })
  await choose('+44 909 879 0142', 'Edit')
  expect(await screen.findByText(/0.045 USD from 30\/11\/2026.*, set by anna/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel scheduled rate of +44 909 879 0142' }))
  await userEvent.click(screen.getByRole('button', { name: 'Cancel rate' }))
  expect(await screen.findByText('The rate will not start')).toBeDefined()
  expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await choose('+44 909 879 0517', 'Edit')
  expect(await screen.findByText(/its holder's rate from 30\/11\/2026/)).toBeDefined()
})

test.each([
  ['+44 909 879 0142', '7', '50', '100 times the current rate'],
  // It has no price of its own, so its holder's rate of 0.05 is the one in force.
  ['+44 909 879 0517', '8', '5', '100 times the current rate'],
])('the price of %s (%s) becomes %s only after a second look', async (number, id, next, words) => {
  const { requests } = open({ [`PUT /api/number-inventory/${id}`]: { ...free, id, pricePerSms: next } })
  await choose(number, 'Edit')
  const dialog = within(screen.getByRole('dialog', { name: 'Edit Number' }))
  await userEvent.clear(dialog.getByLabelText('Price per SMS (USD)'))
  await userEvent.type(dialog.getByLabelText('Price per SMS (USD)'), next)
  expect(dialog.getByText(words)).toBeDefined()
  expect(dialog.getByRole('button', { name: 'Save Changes' }).getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(dialog.getByRole('checkbox', { name: /^Yes, / }))
  await userEvent.click(dialog.getByRole('button', { name: 'Save Changes' }))
  await waitFor(() =>
    expect(putTo(requests, `/api/number-inventory/${id}`)?.body).toMatchObject({ pricePerSms: next }),
  )
})

test('a new number starts at 0.50 USD, and so does the next one', async () => {
  const { requests } = open({ 'POST /api/number-inventory': free })
  for (let round = 0; round < 2; round += 1) {
    await userEvent.click(await screen.findByRole('button', { name: 'Add Number' }))
    const dialog = screen.getByRole('dialog', { name: 'Add New Premium Number' })
    expect(within(dialog).getByLabelText<HTMLInputElement>('Price per SMS (USD)').value).toBe('0.50')
    await userEvent.type(within(dialog).getByLabelText('Phone Number'), '+44 909 879 0142')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Add Number' }))
    expect(await screen.findByText('Number added to inventory')).toBeDefined()
  }
  expect(requests.filter((call) => call.method === 'POST')[1]?.body).toEqual({
    number: '449098790142',
    countryCode: '',
    operator: '',
    pricePerSms: '0.50',
    rate: '',
    country: '',
    description: '',
  })
})

test('the country filter offers the six countries of the product, then what else is in stock', async () => {
  const { requests } = open({
    'GET /api/number-inventory/summary': { ...summary, countries: ['+351', '+44', 'GB'] },
  })
  const filter = await screen.findByLabelText<HTMLSelectElement>('Country')
  await waitFor(() =>
    expect([...filter.options].map(({ textContent }) => textContent)).toEqual([
      'All',
      'US',
      'GB',
      'FR',
      'DE',
      'JP',
      'AU',
      '+351',
    ]),
  )
  await userEvent.selectOptions(filter, 'JP')
  await waitFor(() => expect(requests.some(({ query }) => query.get('country') === 'JP')).toBe(true))
})
