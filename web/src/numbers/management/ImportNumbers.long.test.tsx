import { screen, waitFor, within } from '@testing-library/react'
import userEvent, { PointerEventsCheckLevel } from '@testing-library/user-event'
import type { ImportReport } from '@tollgate/contract/numbers/numbers.ts'
import { expect, test } from 'vitest'
import { refusal, type ApiRequest } from '../../testing/api-stub.ts'
import { pressUndo } from '../../testing/toasts.ts'
import { clean, openNumbersManagement, vote } from './testing/numbers-management.tsx'

test('an import is disabled while there is nothing but white space', async () => {
  const { requests } = openNumbersManagement()
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
  const { requests } = openNumbersManagement({
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
  openNumbersManagement({
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
  const { requests } = openNumbersManagement({
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
  const { requests } = openNumbersManagement({
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
  openNumbersManagement({
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
  openNumbersManagement()
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
  const { requests } = openNumbersManagement({
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
  openNumbersManagement({
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

test('an import asks what the columns are when the first line does not say it', async () => {
  const { requests } = openNumbersManagement({
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
