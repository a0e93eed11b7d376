import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { PremiumNumber } from '@tollgate/contract/numbers/numbers.ts'
import { expect, test } from 'vitest'
import { refusal, sent, type ApiRequest } from '../../testing/api-stub.ts'
import { someItem } from '../../testing/objects.ts'
import { pressUndo } from '../../testing/toasts.ts'
import { openNumbersManagement, summary, vote, voteDetail } from './testing/numbers-management.tsx'

async function openEdit() {
  await userEvent.click(await screen.findByRole('button', { name: 'Edit +44 909 879 0142' }))
  return screen.findByRole('dialog', { name: 'Edit Number' })
}

test('the list shows what the specification names, and its totals', async () => {
  openNumbersManagement()
  const row = (await screen.findByText('Vote line')).closest('tr')!
  expect(row.textContent).toContain('19/11/2026 | 14:31 Thu')
  expect(row.textContent).toContain('+44 909 879 0142')
  expect(row.textContent).toContain('₪1.50')
  expect(row.textContent).toContain('Active')
  expect(await screen.findByText('Total Numbers')).toBeDefined()
  expect(screen.getByRole('link', { name: 'CSV Template' }).getAttribute('href')).toBe(
    '/api/premium-numbers/template/csv',
  )
  expect(screen.getByRole('link', { name: 'Excel Template' }).getAttribute('download')).toBe(
    'premium_numbers_template.xlsx',
  )
})

test('filters go to the address, the list, the totals and the export alike', async () => {
  const { requests, address } = openNumbersManagement({}, '/numbers-management?country=United+Kingdom')
  await userEvent.selectOptions(await screen.findByLabelText('Status'), 'suspended')
  await waitFor(() => expect(address()).toContain('status=suspended'))
  const last = (path: string) => requests.filter((call) => call.path === path).at(-1)?.query
  await waitFor(() => expect(last('/api/premium-numbers')?.get('status')).toBe('suspended'))
  expect(last('/api/premium-numbers')?.get('country')).toBe('United Kingdom')
  expect(last('/api/premium-numbers/summary')?.get('status')).toBe('suspended')
  expect(screen.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
    '/api/premium-numbers/export?status=suspended&country=United+Kingdom',
  )
})

test('a filter without hits says so in the specification’s words and offers Reset', async () => {
  const { address } = openNumbersManagement(
    { 'GET /api/premium-numbers': [] },
    '/numbers-management?search=zzz',
  )
  expect(await screen.findByText('No numbers found matching your criteria')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Reset filters' }))
  await waitFor(() => expect(address()).not.toContain('search'))
})

test('a list that cannot be fetched says why and tries again', async () => {
  let calls = 0
  openNumbersManagement({
    'GET /api/premium-numbers': () =>
      ++calls === 1 ? refusal(503, { code: 'unavailable', message: 'The database did not answer.' }) : [vote],
  })
  expect(await screen.findByText('Failed to fetch numbers')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Vote line')).toBeDefined()
})

test('a number is checked before it is sent, then added as entered', async () => {
  const { requests } = openNumbersManagement({ 'POST /api/premium-numbers': vote })
  await userEvent.click((await screen.findAllByRole('button', { name: 'Add Number' }))[0]!)
  const dialog = screen.getByRole('dialog', { name: 'Add Premium Number' })
  await userEvent.type(within(dialog).getByLabelText('Number'), '12')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Number' }))
  expect(await within(dialog).findByText(/Enter an international number/)).toBeDefined()
  expect(requests.some((call) => call.method === 'POST')).toBe(false)
  await userEvent.clear(within(dialog).getByLabelText('Number'))
  await userEvent.type(within(dialog).getByLabelText('Number'), '+44 909 879 0142')
  await userEvent.type(within(dialog).getByLabelText('Rate (₪)'), '1.5')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Number' }))
  expect(await screen.findByText('Number added successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'POST')?.body).toMatchObject({
    number: '449098790142',
    rate: '1.5',
    status: 'active',
  })
})

test('a number that is taken is shown at its field and in the dialog', async () => {
  openNumbersManagement({
    'POST /api/premium-numbers': refusal(409, {
      code: 'taken',
      message: '+449098790142 is already in the list. Edit that entry instead.',
      fields: { number: 'This number is already in the list' },
    }),
  })
  await userEvent.click((await screen.findAllByRole('button', { name: 'Add Number' }))[0]!)
  const dialog = screen.getByRole('dialog')
  await userEvent.type(within(dialog).getByLabelText('Number'), '+449098790142')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Number' }))
  expect(await within(dialog).findByText('This number is already in the list')).toBeDefined()
  expect(within(dialog).getByRole('alert').textContent).toContain('Edit that entry instead')
})

test('an edit sends the whole number with the version it was opened with', async () => {
  const { requests } = openNumbersManagement({ 'PUT /api/number-inventory/7': someItem })
  const dialog = await openEdit()
  await userEvent.type(within(dialog).getByLabelText('Description'), ' 2')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Number updated successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'PUT')?.body).toEqual({
    number: '449098790142',
    description: 'Vote line 2',
    rate: '1.50',
    status: 'active',
    country: 'United Kingdom',
    countryCode: '+44',
    type: 'toll-free',
    operator: 'Acme Telecom',
    pricePerSms: '',
    version: 3,
  })
})

test('an edit of what somebody else changed overwrites nothing and can take the saved values', async () => {
  let stored = voteDetail
  const versions: unknown[] = []
  openNumbersManagement({
    'GET /api/numbers/7': () => stored,
    'PUT /api/number-inventory/7': ({ body }: ApiRequest) => {
      versions.push((body as PremiumNumber).version)
      if ((body as PremiumNumber).version === 4) return stored
      stored = { ...voteDetail, description: 'Changed by Bea', version: 4 }
      return refusal(409, { code: 'stale', message: 'Somebody changed this in the meantime.' })
    },
  })
  const dialog = await openEdit()
  const description = within(dialog).getByLabelText<HTMLInputElement>('Description')
  await userEvent.type(description, ' mine')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save Changes' }))
  expect(await within(dialog).findByText('Somebody else changed this meanwhile')).toBeDefined()
  expect(description.value).toBe('Vote line mine')
  await userEvent.click(await within(dialog).findByRole('button', { name: 'Load the saved values' }))
  expect(description.value).toBe('Changed by Bea')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save Changes' }))
  await waitFor(() => expect(versions).toEqual([3, 4]))
})

test('with a price of its own a number is added to the stock with all that was typed', async () => {
  const { requests } = openNumbersManagement({ 'POST /api/number-inventory': someItem })
  await userEvent.click((await screen.findAllByRole('button', { name: 'Add Number' }))[0]!)
  const dialog = within(screen.getByRole('dialog', { name: 'Add Premium Number' }))
  await userEvent.type(dialog.getByLabelText('Number'), '+44 909 879 0142')
  await userEvent.type(dialog.getByLabelText('Rate (₪)'), '1.5')
  await userEvent.type(dialog.getByLabelText('Price per SMS (USD)'), '0.4')
  expect(
    dialog.getByText('With a price of its own it settles in payouts, not in the weekly bill.'),
  ).toBeDefined()
  await userEvent.type(dialog.getByLabelText('Description'), 'Vote')
  await userEvent.click(dialog.getByRole('button', { name: 'Add Number' }))
  expect(await screen.findByText('Number added successfully')).toBeDefined()
  expect(requests.find((call) => call.method === 'POST')?.body).toMatchObject({
    number: '449098790142',
    rate: '1.5',
    pricePerSms: '0.4',
    description: 'Vote',
  })
})

test('a number is deleted only after it was typed', async () => {
  const { requests } = openNumbersManagement({ 'DELETE /api/premium-numbers/7': {} })
  await userEvent.click(await screen.findByRole('button', { name: 'Delete +44 909 879 0142' }))
  const dialog = await screen.findByRole('alertdialog')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(requests.some((call) => call.method === 'DELETE')).toBe(false)
  await userEvent.type(within(dialog).getByLabelText('Type the number to confirm'), '+449098790142')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Number deleted successfully')).toBeDefined()
})

test('a status for several numbers at once can be undone', async () => {
  const { requests } = openNumbersManagement({
    'POST /api/premium-numbers/status': { changed: 2, changeId: '6' },
    'POST /api/number-changes/6/undo': { restoredCount: 2, leftCount: 0 },
  })
  await userEvent.click(await screen.findByLabelText('Select all rows'))
  await userEvent.click(screen.getByRole('button', { name: 'Set status' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Suspended' }))
  expect(await screen.findByText('2 numbers updated successfully')).toBeDefined()
  await pressUndo()
  expect(await screen.findByText('2 are as before.')).toBeDefined()
  expect(requests.filter((call) => call.method === 'POST').map(({ path, body }) => [path, body])).toEqual([
    ['/api/premium-numbers/status', { ids: ['7', '8'], status: 'suspended' }],
    ['/api/number-changes/6/undo', undefined],
  ])
})

test('a status is set on all that match, after their count was said, and undone from the toast', async () => {
  const { requests } = openNumbersManagement(
    {
      'GET /api/premium-numbers/summary': { ...summary, count: 12_340 },
      'POST /api/premium-numbers/status/matching': {
        changeId: '5',
        changedCount: 12_300,
        leftOut: [
          { reason: 'same', count: 39 },
          { reason: 'gone', count: 1 },
        ],
      },
      'POST /api/number-changes/5/undo': { restoredCount: 12_299, leftCount: 1 },
    },
    '/numbers-management?country=United+Kingdom',
  )
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select +44 909 879 0142' }))
  expect(screen.queryByRole('button', { name: /that match/ })).toBeNull()
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows' }))
  await userEvent.click(screen.getByRole('button', { name: 'Select all 12,340 that match' }))
  expect(screen.getByText('All 12,340 that match selected')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Set status' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Suspended' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Set 12,340 numbers to Suspended?' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Set 12,340 numbers' }))
  expect(
    await screen.findByText(
      '12,300 numbers updated successfully. 39 had the status already. 1 did not match any more.',
    ),
  ).toBeDefined()
  expect(screen.queryByRole('toolbar', { name: 'Selection' })).toBeNull()
  await pressUndo()
  expect(await screen.findByText('12,299 are as before. 1 changed since and left alone.')).toBeDefined()
  expect(sent(requests).map(({ path, body }) => [path, body])).toEqual([
    [
      '/api/premium-numbers/status/matching',
      { filter: { search: '', country: 'United Kingdom' }, count: 12_340, status: 'suspended' },
    ],
    ['/api/number-changes/5/undo', undefined],
  ])
})

test('other filters take back that all matches are selected', async () => {
  openNumbersManagement({ 'GET /api/premium-numbers/summary': { ...summary, count: 12_340 } })
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select +44 909 879 0142' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows' }))
  await userEvent.click(screen.getByRole('button', { name: 'Select all 12,340 that match' }))
  await userEvent.selectOptions(screen.getByLabelText('Country'), 'United Kingdom')
  await waitFor(() => expect(screen.queryByText('All 12,340 that match selected')).toBeNull())
  expect(screen.getByText('2 selected')).toBeDefined()
})
