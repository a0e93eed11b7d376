import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { refusal } from '../../testing/api-stub.ts'
import { someRange as range } from '../../testing/objects.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { pressUndo } from '../../testing/toasts.ts'
import { NumberRangesPage } from './NumberRangesPage.tsx'

const earnings = {
  total: { count: 12_000, amountUsd: '600.25', margin: null },
  rows: [{ id: '3', count: 11_000, amountUsd: '550.25', margin: null }],
  left: 0,
}

function open(answers = {}, user = admin, url = '/ranges') {
  return renderApp(<NumberRangesPage />, {
    user,
    url,
    answers: {
      'GET /api/ranges': [range, { ...range, id: '4', rangeNumber: '' }],
      'GET /api/ranges/summary': { count: 5, active: 4 },
      'GET /api/ranges/earnings': earnings,
      ...answers,
    },
  })
}

test('a range without a number is labelled by its row; the foot has the totals', async () => {
  open()
  const row = (await screen.findByText('RNG-002')).closest('tr')!
  expect(row.textContent).toContain('+44 909 879 0000')
  expect(row.textContent).toContain('₪1.50')
  expect((await screen.findByText('Total Ranges')).parentElement!.textContent).toContain('5')
  expect(screen.getByText('Active Ranges').parentElement!.textContent).toContain('4')
})

test('each range shows what it earned in the chosen days, with a link to exactly its messages', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-11-25T10:00:00Z') })
  const { requests } = open({}, admin, '/ranges?search=vote&days=7')
  const link = await screen.findByRole('link', { name: /SMS records of 0900$/ })
  expect([link.textContent, link.getAttribute('href')]).toEqual([
    '550.25',
    '/sms-records?range=0900&dateFrom=2026-11-19&dateTo=2026-11-25&test=false',
  ])
  // A range without messages leads nowhere; the sum is that of all ranges that match.
  const other = screen.getByText('RNG-002').closest('tr')!
  expect(within(other).getByText('0.00')).toBeDefined()
  expect(screen.getByText('Total Earned').parentElement!.textContent).toContain('600.25 USD')
  expect(screen.queryByText('Margin')).toBeNull()
  await userEvent.click(screen.getByRole('radio', { name: '30 days' }))
  const queries = () =>
    requests.filter(({ path }) => path === '/api/ranges/earnings').map(({ query }) => String(query))
  await expect.poll(() => queries().at(-1)).toBe('search=vote&dateFrom=2026-10-27&dateTo=2026-11-25')
  vi.useRealTimers()
})

test('margins are shown where there are any', async () => {
  const withMargin = { count: 11_000, amountUsd: '550.25', margin: '-1.50' }
  open({ 'GET /api/ranges/earnings': { total: withMargin, rows: [{ id: '3', ...withMargin }], left: 3 } })
  const row = (await screen.findByText('0900')).closest('tr')!
  expect(await within(row).findByText('−1.50')).toBeDefined()
  expect(screen.getByText('Total Margin').parentElement!.textContent).toContain('−1.50 USDT')
  // Of a range without a row nothing is known while others were left out.
  expect(within(screen.getByText('RNG-002').closest('tr')!).queryByText('0.00')).toBeNull()
})

test('the export has the filters of the list, and the days of its earnings', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-11-25T10:00:00Z') })
  open({}, admin, '/ranges?search=vote&status=active&days=7')
  await screen.findByText('RNG-002')
  expect(screen.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(
    '/api/ranges/export?search=vote&status=active&dateFrom=2026-11-19&dateTo=2026-11-25',
  )
  vi.useRealTimers()
})

test('chosen ranges are exported under the name that the server gives; a failure is shown', async () => {
  const made: [string, Blob][] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    made.push(['', blob as Blob])
    return 'blob:ranges'
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    made.at(-1)![0] = this.download
  })
  const answers = [
    new Response('Range Number\r\n0900\r\n', {
      headers: { 'content-disposition': 'attachment; filename="number-ranges.csv"' },
    }),
    refusal(503, { code: 'unavailable', message: 'The database does not answer.' }),
  ]
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-11-25T10:00:00Z') })
  const { requests } = open({ 'POST /api/ranges/export': () => answers.shift() }, admin, '/ranges?days=1')
  await userEvent.click(await screen.findByLabelText('Select 0900'))
  await userEvent.click(screen.getByRole('button', { name: 'Export Selected (1)' }))
  await expect.poll(() => made).toHaveLength(1)
  expect(requests.find(({ method }) => method === 'POST')?.body).toEqual({
    ids: ['3'],
    dateFrom: '2026-11-25',
    dateTo: '2026-11-25',
  })
  expect([made[0]?.[0], await made[0]?.[1].text()]).toEqual(['number-ranges.csv', 'Range Number\r\n0900\r\n'])
  await userEvent.click(screen.getByRole('button', { name: 'Export Selected (1)' }))
  expect(await screen.findByText('The database does not answer.')).toBeDefined()
  expect(made).toHaveLength(1)
  vi.useRealTimers()
})

test('a status is set for all chosen ranges; what was left alone is named, stays chosen, and the others are undone', async () => {
  const second = { ...range, id: '4', rangeNumber: '0901', status: 'inactive' as const, version: 7 }
  const third = { ...range, id: '5', rangeNumber: '0902' }
  const { requests } = open({
    'GET /api/ranges': [range, second, third],
    'POST /api/ranges/status': ({ body }: { body: { rows: { id: string; status: string }[] } }) => {
      const [first] = body.rows
      return {
        done: first ? [{ ...range, status: first.status, version: 3 }] : [],
        refused: body.rows.some(({ id }) => id === '5')
          ? [{ id: '5', message: 'Somebody changed this in the meantime.' }]
          : [],
        changeId: '8',
      }
    },
    'POST /api/number-changes/8/undo': { restoredCount: 1, leftCount: 0 },
  })
  for (const name of ['0900', '0901', '0902'])
    await userEvent.click(await screen.findByLabelText(`Select ${name}`))
  await userEvent.click(screen.getByRole('button', { name: 'Set status' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Inactive' }))
  const sent = () => requests.filter(({ path }) => path === '/api/ranges/status').map(({ body }) => body)
  const dialog = await screen.findByRole('dialog', { name: '1 of 2 not changed' })
  expect(within(dialog).getByText('0902')).toBeDefined()
  expect(within(dialog).getByText('Somebody changed this in the meantime.')).toBeDefined()
  // The number that is already inactive is not sent.
  expect(sent()).toEqual([
    {
      rows: [
        { id: '3', version: 2, status: 'inactive' },
        { id: '5', version: 2, status: 'inactive' },
      ],
    },
  ])
  await userEvent.keyboard('{Escape}')
  expect(screen.getByText('1 selected')).toBeDefined()
  await pressUndo()
  expect(await screen.findByText('1 is as before.')).toBeDefined()
})

test('a client reads ranges and changes none', async () => {
  open({}, { ...admin, role: 'user' })
  await screen.findByText('RNG-002')
  expect(screen.queryByRole('button', { name: 'Add Range' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Edit 0900' })).toBeNull()
  expect(screen.getByRole('link', { name: 'Records of 0900' }).getAttribute('href')).toBe(
    '/sms-records?range=0900',
  )
})

test('a range is edited with the version it was opened with', async () => {
  const { requests } = open({ 'PUT /api/ranges/3': { ...range, version: 3 } })
  await userEvent.click(await screen.findByRole('button', { name: 'Edit 0900' }))
  const dialog = screen.getByRole('dialog', { name: 'Edit Range' })
  await userEvent.clear(within(dialog).getByLabelText('Rate (₪)'))
  await userEvent.type(within(dialog).getByLabelText('Rate (₪)'), '2.9')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Range updated successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'PUT')?.body).toEqual({
    rangeNumber: '0900',
    startNumber: '449098790000',
    endNumber: '449098799999',
    description: 'Votes',
    rate: '2.9',
    status: 'active',
    version: 2,
  })
})

test.each([
  ['150', '100 times the current rate'],
  ['1500', '1,000 times the current rate'],
  ['0', 'The current rate falls to zero'],
])('a tariff of ₪1.50 becomes ₪%s only after a second look', async (rate, words) => {
  const { requests } = open({ 'PUT /api/ranges/3': { ...range, rate, version: 3 } })
  await userEvent.click(await screen.findByRole('button', { name: 'Edit 0900' }))
  const dialog = within(screen.getByRole('dialog', { name: 'Edit Range' }))
  await userEvent.clear(dialog.getByLabelText('Rate (₪)'))
  await userEvent.type(dialog.getByLabelText('Rate (₪)'), rate)
  expect(dialog.getByText(words)).toBeDefined()
  expect(dialog.getByRole('button', { name: 'Save Changes' }).getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(dialog.getByRole('checkbox', { name: /^Yes, / }))
  await userEvent.click(dialog.getByRole('button', { name: 'Save Changes' }))
  await waitFor(() => expect(requests.find(({ method }) => method === 'PUT')?.body).toMatchObject({ rate }))
})

test('a tariff can start later; one that waits shows in the list and in the dialog, where it is cancelled', async () => {
  const scheduled = { rate: '2', startsAt: '2027-01-31T12:00:00.000Z', setBy: 'anna' }
  const { requests } = open({
    'GET /api/ranges': [{ ...range, scheduled }],
    'PUT /api/ranges/3': { ...range, scheduled, version: 3 },
    'DELETE /api/ranges/3/scheduled': null,
  })
  const row = (await screen.findByText('0900')).closest('tr')!
  expect(row.textContent).toMatch(/₪1\.50.*₪2\.00 from 31\/01\/2027/)
  const edit = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Edit 0900' }))
    return within(await screen.findByRole('dialog', { name: 'Edit Range' }))
  }
  const first = await edit()
  expect(first.getByText(/₪2\.00 from 31\/01\/2027.*set by anna/)).toBeDefined()
  await userEvent.click(first.getByRole('button', { name: 'Cancel scheduled rate of 0900' }))
  await userEvent.click(screen.getByRole('button', { name: 'Cancel rate' }))
  expect(await screen.findByText('The rate will not start')).toBeDefined()
  expect(requests.some(({ method, path }) => `${method} ${path}` === 'DELETE /api/ranges/3/scheduled')).toBe(
    true,
  )
  await userEvent.clear(first.getByLabelText('Rate (₪)'))
  await userEvent.type(first.getByLabelText('Rate (₪)'), '2.9')
  fireEvent.change(first.getByLabelText('Starts (UTC)'), { target: { value: '2027-02-01T00:00' } })
  await userEvent.click(first.getByRole('button', { name: 'Save Changes' }))
  await waitFor(() =>
    expect(requests.find(({ method }) => method === 'PUT')?.body).toMatchObject({
      rate: '2.9',
      startsAt: '2027-02-01T00:00:00Z',
      version: 2,
    }),
  )
})

test('a range that the server refuses is shown at its field', async () => {
  open({
    'POST /api/ranges': refusal(422, {
      code: 'unprocessable',
      message: 'The range ends before it starts.',
      fields: { endNumber: 'Must not be before the start' },
    }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Add Range' }))
  const dialog = screen.getByRole('dialog')
  await userEvent.type(within(dialog).getByLabelText('Range Number'), '0901')
  await userEvent.type(within(dialog).getByLabelText('Start Number'), '449098790100')
  await userEvent.type(within(dialog).getByLabelText('End Number'), '449098790000')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Range' }))
  expect(await within(dialog).findByText('Must not be before the start')).toBeDefined()
})

test('a range is deleted only after its number was typed; a refusal keeps the dialog', async () => {
  const { requests } = open({
    'DELETE /api/ranges/3': refusal(404, { code: 'not_found', message: 'It is gone already.' }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Delete 0900' }))
  const dialog = screen.getByRole('alertdialog')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(requests.some((call) => call.method === 'DELETE')).toBe(false)
  await userEvent.type(within(dialog).getByLabelText('Type the range number to confirm'), '0900')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(await within(dialog).findByText('It is gone already.')).toBeDefined()
})

test('an empty list says so in the specification’s words', async () => {
  open({ 'GET /api/ranges': [] })
  expect(await screen.findByText('No ranges found.')).toBeDefined()
})
