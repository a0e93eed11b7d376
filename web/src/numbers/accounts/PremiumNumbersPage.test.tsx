import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { AccountNumber } from '@tollgate/contract/numbers/numbers.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { expect, test, vi } from 'vitest'
import { someAccountNumber as named, someNumber } from '../../testing/objects.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { PremiumNumbersPage } from './PremiumNumbersPage.tsx'
const bare: AccountNumber = {
  ...named,
  id: '8',
  accountNumber: '',
  phoneNumber: '449098790517',
  rate: '0',
  usdPerSms: '',
  earned: '1.50',
}

function open(answers = {}, user = admin, url = '/numbers') {
  return renderApp(<PremiumNumbersPage />, {
    user,
    url,
    answers: {
      'GET /api/numbers': [named, bare],
      'GET /api/numbers/7': someNumber,
      'GET /api/numbers/7/prices': [],
      'GET /api/numbers/summary': { count: 12, active: 9, premium: 7 },
      'GET /api/number-stock/terms': { offer: 'take', takesLeft: 3, countries: [] },
      ...answers,
    },
  })
}

/** Opens the drawer of the first row. */
async function openDrawer() {
  await userEvent.click(await screen.findByRole('button', { name: '+44 909 879 0142' }))
  return within(await screen.findByRole('dialog', { name: 'Number +44 909 879 0142' }))
}

test('a number without an account number is labelled by its row, and the foot has the totals', async () => {
  open()
  const row = (await screen.findByText('+44 909 879 0517')).closest('tr')!
  expect(row.textContent).toContain('ACC-0002')
  expect(row.textContent).toContain('₪0.00')
  expect(screen.getByText('ACC-20417').closest('tr')!.textContent).toContain('Toll-Free')
  const foot = screen.getByText('Total').parentElement!.parentElement!
  await waitFor(() => expect(foot.textContent).toContain('Total12Active9Premium7'))
})

test('Add Number leads to the numbers in stock while they are offered', async () => {
  const terms = { offer: 'off', takesLeft: 0, countries: [] }
  const client: User = { ...admin, role: 'user' }
  const { requests, unmount } = open({ 'GET /api/number-stock/terms': terms }, client)
  await waitFor(() => expect(requests.some(({ path }) => path === '/api/number-stock/terms')).toBe(true))
  await screen.findByText('ACC-20417')
  expect(screen.queryByRole('link', { name: 'Add Number' })).toBeNull()
  unmount()
  open({ 'GET /api/number-stock/terms': { ...terms, offer: 'request' } }, client)
  const add = await screen.findByRole('link', { name: 'Add Number' })
  expect(add.getAttribute('href')).toBe('/number-stock')
})

test('the type filter is sent, and chosen rows are copied whole', async () => {
  const { requests } = open({}, admin, '/numbers?type=toll-free')
  await screen.findByText('ACC-20417')
  expect(requests.find((call) => call.path === '/api/numbers')?.query.get('type')).toBe('toll-free')
  const user = userEvent.setup()
  const writeText = vi.spyOn(navigator.clipboard, 'writeText')
  await user.click(screen.getByLabelText('Select +44 909 879 0142'))
  await user.click(screen.getByRole('button', { name: 'Copy Selected (1)' }))
  expect(await screen.findByText('1 row(s) copied successfully')).toBeDefined()
  expect(writeText).toHaveBeenCalledWith(
    '19/11/2026 | 14:31 Thu\tACC-20417\tclient2\t+449098790142\ttoll-free\t1.50\t0.05\tactive\tVote line',
  )
})

test('what a number earns stands beside it, with its history and what comes next', async () => {
  const start = '2026-11-01T00:00:00.000Z'
  const change = '2999-01-01T00:00:00.000Z'
  open({
    'GET /api/numbers/7/prices': [
      { usdPerSms: '0.06', from: 'number', validFrom: change, validTo: null },
      { usdPerSms: '0.05', from: 'global', validFrom: start, validTo: change },
    ],
  })
  const row = (await screen.findByText('ACC-20417')).closest('tr')!
  expect(row.textContent).toContain('0.050 USD')
  const drawer = await openDrawer()
  const lines = await drawer.findAllByRole('row')
  // Without a class of its own the browser centres a head over values at the start.
  expect(drawer.getByRole('columnheader', { name: 'Valid from' }).className).toContain('text-start')
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    'Valid fromSet byUSD per SMS',
    "01/01/2999 | 00:00 Tuecomes nextThe number's own price0.060 USD",
    '01/11/2026 | 00:00 SunnowThe global rate0.050 USD',
  ])
})

test('each row leads to its records in words; the drawer has holder, price, earned and what staff may do', async () => {
  const { address } = open()
  await screen.findByText('ACC-20417')
  const records = screen.getByRole('link', { name: 'Records of +44 909 879 0142' })
  expect(records.getAttribute('href')).toBe('/sms-records?number=449098790142')
  expect(records.textContent).toBe('Records')
  const drawer = await openDrawer()
  expect(address()).toBe('/numbers?open=7')
  expect(drawer.getByText('client2 since 19/11/2026 | 14:31 Thu')).toBeDefined()
  for (const [label, value] of [
    ['Rate', '₪1.50'],
    ['USD per SMS', '0.050 USD'],
    ['Earned this cycle', '1.50 USDT'],
  ])
    expect(drawer.getAllByText(label!, { selector: 'dt' })[0]!.nextSibling?.textContent).toBe(value)
  expect(drawer.getByRole('link', { name: 'Open its page' }).getAttribute('href')).toBe('/numbers/7')
  expect(drawer.getByRole('button', { name: 'Edit' })).toBeDefined()
  await userEvent.click(drawer.getByRole('button', { name: 'More actions for +44 909 879 0142' }))
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
    'Suspend',
    'Backdate',
    'Unassign',
    'Delete',
  ])
})

test('a client adds a number by asking for it and manages nothing', async () => {
  const terms = { offer: 'off', takesLeft: 0, countries: [] }
  open({ 'GET /api/number-stock/terms': terms }, { ...admin, role: 'user' })
  const drawer = await openDrawer()
  expect(drawer.queryByRole('button', { name: 'Edit' })).toBeNull()
  expect(drawer.queryByText('Holder')).toBeNull()
  await userEvent.keyboard('{Escape}')
  await userEvent.click(screen.getByRole('button', { name: 'Add Number' }))
  expect(screen.getByRole('dialog', { name: 'Request Number' })).toBeDefined()
})

test('staff add a number to the list itself', async () => {
  open({}, { ...admin, role: 'support' })
  await userEvent.click(await screen.findByRole('button', { name: 'Add Number' }))
  expect(screen.getByRole('dialog', { name: 'Add Premium Number' })).toBeDefined()
})

test('the test role sees masked numbers, with nothing to add, copy or follow', async () => {
  open({ 'GET /api/numbers': [{ ...named, phoneNumber: '44909879••••' }] }, { ...admin, role: 'test' })
  const row = (await screen.findByText('ACC-20417')).closest('tr')!
  expect(row.textContent).toContain('+44 909 879 ••••')
  expect(within(row).queryAllByRole('link')).toEqual([])
  expect(within(row).queryAllByRole('button')).toEqual([])
  expect(screen.queryByRole('columnheader', { name: 'Actions' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Add Number' })).toBeNull()
})

test('an empty list says so in the specification’s words', async () => {
  open({ 'GET /api/numbers': [] })
  expect(await screen.findByText('No account numbers found.')).toBeDefined()
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Add Number' })).toHaveLength(2))
})

test('a client reads which of its prices change, beside the number and above the list', async () => {
  const startsAt = '2999-01-01T00:00:00.000Z'
  const price = {
    kind: 'price',
    at: '2026-11-19T14:00:00.000Z',
    startsAt,
    before: '0.05',
    usdPerSms: '0.045',
    number: '449098790142',
  }
  open(
    {
      'GET /api/numbers': [
        { ...named, scheduled: { rate: '0.045', startsAt, setBy: '' } },
        { ...named, id: '9', phoneNumber: '449098790517', scheduled: { rate: '', startsAt, setBy: '' } },
      ],
      'GET /api/notifications/own': [
        { ...price, count: 1 },
        { ...price, before: '0.06', count: 3 },
        { ...price, startsAt: '2026-11-01T00:00:00.000Z', before: '0.07', count: 1 },
      ],
    },
    { ...admin, role: 'user' },
  )
  const row = (await screen.findByText('+44 909 879 0142')).closest('tr')!
  expect(row.textContent).toContain('0.050 USD0.045 USD from 01/01/2999')
  expect(screen.getByText('+44 909 879 0517').closest('tr')!.textContent).toContain(
    'Weekly bill from 01/01/2999',
  )
  const notice = (await screen.findByText('Prices of your numbers change')).parentElement!.parentElement!
  expect(notice.textContent).toContain('+44 909 879 0142: 0.050 USD → 0.045 USD per SMS from 01/01/2999')
  expect(notice.textContent).toContain('3 numbers: 0.060 USD → 0.045 USD per SMS from 01/01/2999')
  expect(notice.textContent).not.toContain('0.070')
  expect(notice.textContent).not.toContain('keep it')
})
