import { screen, waitFor, within } from '@testing-library/react'
import userEvent, { PointerEventsCheckLevel } from '@testing-library/user-event'
import type { ImportReport, NumberDetail, PremiumNumber } from '@tollgate/contract/numbers/numbers.ts'
import { expect, test } from 'vitest'
import { refusal, sent, type ApiRequest } from '../../testing/api-stub.ts'
import { someItem, someNumber } from '../../testing/objects.ts'
import { renderApp } from '../../testing/render.tsx'
import { pressUndo } from '../../testing/toasts.ts'
import { NumbersManagementPage } from './NumbersManagementPage.tsx'

const vote: PremiumNumber = {
  id: '7',
  number: '449098790142',
  description: 'Vote line',
  rate: '1.50',
  status: 'active',
  country: 'United Kingdom',
  countryCode: '+44',
  type: 'premium',
  createdAt: '2026-11-19T14:31:58.102Z',
  version: 3,
}
const chat: PremiumNumber = {
  ...vote,
  id: '8',
  number: '449098790517',
  description: 'Chat',
  status: 'inactive',
}
/** The first one as its form reads it. */
const voteDetail: NumberDetail = { ...someNumber, description: 'Vote line', version: 3 }
const summary = { count: 2, active: 1, countries: [{ country: 'United Kingdom', countryCode: '+44' }] }
const clean: ImportReport = {
  lineCount: 2,
  validCount: 2,
  importedCount: 0,
  isDryRun: true,
  importId: null,
  preview: [],
  faults: [],
  faultCount: 0,
  warnings: [],
  warningCount: 0,
}

function open(answers = {}, url = '/numbers-management') {
  return renderApp(<NumbersManagementPage />, {
    url,
    answers: {
      'GET /api/premium-numbers': [vote, chat],
      'GET /api/premium-numbers/summary': summary,
      'GET /api/numbers/7': voteDetail,
      ...answers,
    },
  })
}

async function openEdit() {
  await userEvent.click(await screen.findByRole('button', { name: 'Edit +44 909 879 0142' }))
  return screen.findByRole('dialog', { name: 'Edit Number' })
}

test('the list shows what the specification names, and its totals', async () => {
  open()
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
  const { requests, address } = open({}, '/numbers-management?country=United+Kingdom')
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
  const { address } = open({ 'GET /api/premium-numbers': [] }, '/numbers-management?search=zzz')
  expect(await screen.findByText('No numbers found matching your criteria')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Reset filters' }))
  await waitFor(() => expect(address()).not.toContain('search'))
})

test('a list that cannot be fetched says why and tries again', async () => {
  let calls = 0
  open({
    'GET /api/premium-numbers': () =>
      ++calls === 1 ? refusal(503, { code: 'unavailable', message: 'The database did not answer.' }) : [vote],
  })
  expect(await screen.findByText('Failed to fetch numbers')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Vote line')).toBeDefined()
})

test('a number is checked before it is sent, then added as entered', async () => {
  const { requests } = open({ 'POST /api/premium-numbers': vote })
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
  open({
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
  const { requests } = open({ 'PUT /api/number-inventory/7': someItem })
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
  open({
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
  const { requests } = open({ 'POST /api/number-inventory': someItem })
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
  const { requests } = open({ 'DELETE /api/premium-numbers/7': {} })
  await userEvent.click(await screen.findByRole('button', { name: 'Delete +44 909 879 0142' }))
  const dialog = await screen.findByRole('alertdialog')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(requests.some((call) => call.method === 'DELETE')).toBe(false)
  await userEvent.type(within(dialog).getByLabelText('Type the number to confirm'), '+449098790142')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Number deleted successfully')).toBeDefined()
})

test('a status for several numbers at once can be undone', async () => {
  const { requests } = open({
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

test('an import is disabled while there is nothing but white space', async () => {
  const { requests } = open()
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  const dialog = screen.getByRole('dialog', { name: 'Import Numbers' })
  const button = within(dialog).getByRole('button', { name: 'Import' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await userEvent.type(within(dialog).getByLabelText('CSV Data'), '   ')
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(button)
  expect(requests.some((call) => call.method === 'POST')).toBe(false)
})

test('a faulty line is named with its problem and nothing is imported', async () => {
  const { requests } = open({
    'POST /api/premium-numbers/import': {
      ...clean,
      validCount: 1,
      faultCount: 1,
      faults: [{ line: 3, number: '12', problems: [{ field: 'Number', message: 'Too short' }] }],
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  const dialog = screen.getByRole('dialog')
  await userEvent.type(within(dialog).getByLabelText('CSV Data'), 'Number')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Import' }))
  expect(await within(dialog).findByText('1 of 2 lines cannot be imported')).toBeDefined()
  expect(within(dialog).getByText('Too short')).toBeDefined()
  const posts = requests.filter((call) => call.method === 'POST')
  expect(posts.map((call) => call.query.get('dryRun'))).toEqual(['true'])
})

test('a check alone says that it checks, and not that it imports', async () => {
  let answer: (report: ImportReport) => void = () => undefined
  open({
    'POST /api/premium-numbers/import': () => new Promise<ImportReport>((resolve) => (answer = resolve)),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  const dialog = within(screen.getByRole('dialog'))
  await userEvent.type(dialog.getByLabelText('CSV Data'), 'Number')
  await userEvent.click(dialog.getByRole('button', { name: 'Check only' }))
  expect(dialog.getByRole('button', { name: 'Checking...' })).toBeDefined()
  expect(dialog.getByRole('button', { name: 'Import' }).getAttribute('aria-disabled')).toBe('true')
  expect(dialog.getByRole('status').textContent).toBe('Checking each line...')
  answer(clean)
  expect(await dialog.findByText('2 lines read, all can be imported')).toBeDefined()
  expect(dialog.getByText('Nothing has been imported yet.')).toBeDefined()
})

test('a clean import is checked, then written, then the list is fetched again', async () => {
  const { requests } = open({
    'POST /api/premium-numbers/import': ({ query }: ApiRequest) =>
      query.get('dryRun') === 'true' ? clean : { ...clean, isDryRun: false, importedCount: 2 },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  await userEvent.type(screen.getByLabelText('CSV Data'), 'Number')
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Import' }))
  expect(await screen.findByText(/^Numbers imported successfully/)).toBeDefined()
  expect(screen.queryByRole('dialog')).toBeNull()
  const posts = requests.filter((call) => call.method === 'POST')
  expect(posts.map((call) => [call.query.get('dryRun'), call.body])).toEqual([
    ['true', { data: 'Number' }],
    ['false', { data: 'Number' }],
  ])
  expect(
    requests.filter((call) => call.path === '/api/premium-numbers' && call.method === 'GET').length,
  ).toBe(2)
})

test('warnings are shown before anything is imported, and a second click imports all the same', async () => {
  const message = 'The country is Germany (+49), but the number belongs to United Kingdom (+44)'
  const warned = { ...clean, warnings: [{ line: 2, number: vote.number, message }], warningCount: 1 }
  const { requests } = open({
    'POST /api/premium-numbers/import': ({ query }: ApiRequest) =>
      query.get('dryRun') === 'true' ? warned : { ...warned, isDryRun: false, importedCount: 2 },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  await userEvent.type(screen.getByLabelText('CSV Data'), 'Number')
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  expect(await screen.findByText(message)).toBeDefined()
  const writes = () => requests.filter((call) => call.query.get('dryRun') === 'false')
  expect(writes()).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'Import anyway' }))
  expect(await screen.findByText(/^Numbers imported successfully/)).toBeDefined()
  expect(writes()).toHaveLength(1)
})

test('an import goes on when its dialog is closed, and leaves one that was opened meanwhile', async () => {
  let finish: (report: unknown) => void = () => {}
  open({
    'POST /api/premium-numbers/import': ({ query }: ApiRequest) =>
      query.get('dryRun') === 'true' ? clean : new Promise((settle) => (finish = settle)),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  await userEvent.type(screen.getByLabelText('CSV Data'), 'Number')
  const dialog = within(screen.getByRole('dialog'))
  await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
  expect(await dialog.findByText('The import goes on when this is closed.')).toBeDefined()
  expect(dialog.getByRole('progressbar', { name: 'Import' })).toBeDefined()
  expect(dialog.getByRole('button', { name: 'Check only' }).getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(dialog.getAllByRole('button', { name: 'Close' }).at(-1)!)
  await userEvent.click(screen.getByRole('button', { name: 'Import File' }))
  finish({ ...clean, isDryRun: false, importedCount: 2 })
  expect(await screen.findByText(/^Numbers imported successfully/)).toBeDefined()
  expect(screen.getByRole('dialog', { name: 'Import Numbers' })).toBeDefined()
})

test('a chosen file is shown before it is sent', async () => {
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  const input = document.querySelector<HTMLInputElement>('input[type=file]')!
  expect(input.accept).toBe('.csv,.xlsx,.xls')
  // A script opens the file list, so the input itself is never clicked.
  const user = userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never })
  await user.upload(input, new File(['Number\n449098790142'], 'numbers.csv', { type: 'text/csv' }))
  expect(await screen.findByText('numbers.csv')).toBeDefined()
  expect(screen.getByLabelText<HTMLTextAreaElement>('CSV Data').value).toBe('Number\n449098790142')
})

test('an import is undone as one, after it was said what stays', async () => {
  const made = {
    id: '4',
    fileName: 'march.csv',
    importedBy: 'support1',
    importedAt: '2026-11-19T14:31:58.102Z',
    lineCount: 1_300,
    addedCount: 1_200,
    state: 'imported',
    undoneBy: '',
    undoneAt: null,
    removedCount: 0,
  }
  const kept = [{ reason: 'assigned', count: 21, numbers: [vote.number] }]
  const undone = {
    ...made,
    state: 'undone',
    undoneBy: 'admin',
    undoneAt: '2026-11-20T09:00:00.000Z',
    removedCount: 1_179,
  }
  let isUndone = false
  const { requests } = open({
    'GET /api/premium-numbers/imports': () => [isUndone ? undone : made],
    'GET /api/premium-numbers/imports/4': { ...made, removableCount: 1_179, kept },
    'POST /api/premium-numbers/imports/4/undo': () => {
      isUndone = true
      return { ...undone, removableCount: 0, kept }
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Earlier imports' }))
  expect(await screen.findByText(/1,200 added, 100 were there already/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Undo import of march.csv' }))
  expect(await screen.findByText(/1,179 of 1,200 imported numbers will be removed/)).toBeDefined()
  expect(screen.getByRole('region', { name: 'What stays as it is' }).textContent).toContain(
    '21 held by a client, now or before+44 909 879 0142and 20 more',
  )
  await userEvent.click(screen.getByRole('button', { name: 'Remove 1,179 numbers' }))
  expect(await screen.findByText('1,179 numbers were removed. 21 numbers stay.')).toBeDefined()
  expect(await screen.findByText(/Undone 20\/11\/2026 \| 09:00 Fri by admin: 1,179 removed/)).toBeDefined()
  expect(requests.filter((call) => call.method === 'POST')).toHaveLength(1)
})

test('the toast of an import undoes it', async () => {
  open({
    'POST /api/premium-numbers/import': ({ query }: ApiRequest) =>
      query.get('dryRun') === 'true' ? clean : { ...clean, isDryRun: false, importedCount: 1, importId: '9' },
    'POST /api/premium-numbers/imports/9/undo': {
      id: '9',
      fileName: '',
      importedBy: 'admin',
      importedAt: '2026-11-19T14:31:58.102Z',
      lineCount: 1,
      addedCount: 1,
      state: 'undone',
      undoneBy: 'admin',
      undoneAt: '2026-11-19T14:32:58.102Z',
      removedCount: 1,
      removableCount: 0,
      kept: [],
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  await userEvent.type(screen.getByLabelText('CSV Data'), 'Number')
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  await pressUndo()
  expect(await screen.findByText('1 number was removed.')).toBeDefined()
})

test('a status is set on all that match, after their count was said, and undone from the toast', async () => {
  const { requests } = open(
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
  open({ 'GET /api/premium-numbers/summary': { ...summary, count: 12_340 } })
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select +44 909 879 0142' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows' }))
  await userEvent.click(screen.getByRole('button', { name: 'Select all 12,340 that match' }))
  await userEvent.selectOptions(screen.getByLabelText('Country'), 'United Kingdom')
  await waitFor(() => expect(screen.queryByText('All 12,340 that match selected')).toBeNull())
  expect(screen.getByText('2 selected')).toBeDefined()
})

test('an import asks what the columns are when the first line does not say it', async () => {
  const { requests } = open({
    'POST /api/premium-numbers/import': ({ query }: ApiRequest) =>
      query.has('columns')
        ? { ...clean, isDryRun: query.get('dryRun') === 'true', importId: '4' }
        : refusal(400, {
            code: 'invalid',
            message: 'The first line must name the columns.',
            fields: { columns: 'Say' },
          }),
    'POST /api/premium-numbers/import/columns': ({ query }: ApiRequest) => ({
      headerLine: Number(query.get('headerLine') ?? 1),
      firstLines: [
        { line: 1, text: 'Price list' },
        { line: 2, text: 'Phone, Sold by, Customer' },
      ],
      columns: [
        { name: 'Phone', samples: ['449098790142'], column: 'Number' },
        { name: 'Sold by', samples: ['Ada'], column: null },
        { name: 'Customer', samples: ['client7'], column: 'Client' },
      ],
    }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Import File' }))
  const dialog = screen.getByRole('dialog', { name: 'Import Numbers' })
  await userEvent.click(within(dialog).getByLabelText('CSV Data'))
  await userEvent.paste('Phone,Sold by,Customer\n449098790142,Ada,client7')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Import' }))
  const columns = await within(dialog).findByRole('region', { name: 'Columns of the file' })
  expect(within(columns).getByLabelText<HTMLSelectElement>('Phone').value).toBe('Number')
  const header = within(columns).getByLabelText<HTMLSelectElement>('The line that names the columns')
  await userEvent.selectOptions(header, 'Line 2: Phone, Sold by, Customer')
  await waitFor(() => expect(header.value).toBe('2'))
  await userEvent.selectOptions(within(columns).getByLabelText('Sold by'), 'Description')
  await userEvent.selectOptions(within(columns).getByLabelText('Phone'), '')
  expect(within(dialog).getByText('Say which column is the number.')).toBeDefined()
  await userEvent.selectOptions(within(columns).getByLabelText('Phone'), 'Number')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Import' }))
  expect(await screen.findByText(/^Numbers imported successfully/)).toBeDefined()
  const calls = requests.filter(({ path }) => path === '/api/premium-numbers/import')
  expect(
    calls.map(({ query }) => [query.get('dryRun'), query.get('columns'), query.get('headerLine')]),
  ).toEqual([
    ['true', null, null],
    ['true', 'Number,Description,Client', '2'],
    ['false', 'Number,Description,Client', '2'],
  ])
})
