import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { expect, test, vi } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { refusal } from '../testing/api-stub.ts'
import { recordAt } from '../testing/records.ts'
import { admin } from '../testing/render.tsx'
import { detail, feed, open, rows, shownNumbers, untilLoaded } from './testing/open-records.tsx'

test('every column of the specification is there, and the totals are of the whole filter', async () => {
  open()
  await untilLoaded()
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
    'Select all rows',
    'Date & Time',
    'Range',
    'Number',
    'Sender',
    'LU',
    'Client',
    'Bill',
    'Gateway',
    'No Report',
    'Client Report',
    'Actions',
  ])
  expect(await screen.findByText('12,846')).toBeDefined()
  expect(screen.getByText('₪29,927.20')).toBeDefined()
})

test('a test message is marked in the list and in its details, and the filter by tests has a chip', async () => {
  const made = { source: 'api', smsCount: 0, gateway: 'Simulator' } as const
  const { requests, address } = open('/sms-records?test=true', {
    'GET /api/records': [recordAt(2, made), recordAt(1)],
    [`GET /api/records/${detail.id}`]: { ...detail, ...made },
  })
  await untilLoaded()
  const [first, second] = [...document.querySelectorAll('tbody tr')].map((row) => row.textContent)
  expect([first?.includes('Test'), second?.includes('Test')]).toEqual([true, false])
  expect(requests.find(({ path }) => path === '/api/records')?.query.get('test')).toBe('true')
  await userEvent.hover(screen.getByText('+44 909 879 0002'))
  await userEvent.click(screen.getByRole('button', { name: /^Details of/ }))
  expect(await screen.findByText('Test message')).toBeDefined()
  expect(screen.getByText('No SMS: a test')).toBeDefined()
  await userEvent.keyboard('{Escape}')
  await userEvent.click(screen.getByRole('button', { name: 'Remove filter Tests only' }))
  expect(address()).not.toContain('test=')
})

test('the filters wait for Search Query, then stand in the address and in every call', async () => {
  const { requests, address } = open()
  await untilLoaded()
  await userEvent.selectOptions(await screen.findByLabelText('Client'), 'client2')
  fireEvent.change(screen.getByLabelText('Date From'), { target: { value: '2026-11-19' } })
  expect(address()).toBe('/sms-records')
  await userEvent.click(screen.getByRole('button', { name: 'Search Query' }))
  await waitFor(() => expect(address()).toContain('client=client2'))
  const last = (path: string) => requests.findLast((call) => call.path === path)?.query.toString()
  await waitFor(() => expect(last('/api/records')).toBe('dateFrom=2026-11-19&client=client2'))
  await waitFor(() => expect(last('/api/records/summary')).toBe('dateFrom=2026-11-19&client=client2'))
  expect(screen.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
    '/api/records/export?dateFrom=2026-11-19&client=client2',
  )
})

test('days are those of the reader’s zone, which stands beside them; those of a link from UTC figures are UTC', async () => {
  setReaderFormats({ timeZone: 'America/New_York', numberFormat: 'comma' })
  const asked = ({ requests }: ReturnType<typeof open>) =>
    requests.findLast(({ path }) => path === '/api/records')?.query.toString()
  const own = open('/sms-records?dateFrom=2026-11-28')
  await untilLoaded()
  expect(asked(own)).toBe('dateFrom=2026-11-28&zone=America%2FNew_York')
  expect(screen.getByLabelText('Date From').getAttribute('title')).toBe('America/New_York')
  expect(screen.getAllByText('New York')).toHaveLength(2)
  cleanup()
  const linked = open('/sms-records?dateFrom=2026-11-28&zone=UTC')
  await untilLoaded()
  expect(asked(linked)).toBe('dateFrom=2026-11-28')
  expect(screen.getAllByText('UTC').length).toBeGreaterThan(0)
})

test('whoever exports for Excel once gets every file so', async () => {
  setReaderFormats({ timeZone: 'Asia/Jerusalem', numberFormat: 'point' })
  open('/sms-records?client=client2')
  await untilLoaded()
  await userEvent.click(screen.getByRole('button', { name: 'Format and Columns' }))
  await userEvent.click(await screen.findByRole('checkbox', { name: 'For Excel' }))
  const form = 'form=excel&zone=Asia%2FJerusalem&decimal=comma'
  expect(screen.getByRole('link', { name: 'Export CSV', hidden: true }).getAttribute('href')).toBe(
    `/api/records/export?client=client2&${form}`,
  )
  await userEvent.selectOptions(screen.getByLabelText('Format'), 'parquet')
  expect(screen.queryByRole('checkbox', { name: 'For Excel' })).toBeNull()
})

test('a time of day, a supplier and a sender are searched together, in the zone of the reader', async () => {
  setReaderFormats({ timeZone: 'Asia/Jerusalem', numberFormat: 'comma' })
  const { requests, address } = open('/sms-records?dateFrom=2026-11-28&dateTo=2026-11-28', {
    'GET /api/records/filters': {
      ranges: [],
      clients: [],
      gateways: ['supplier1'],
      countries: [],
      withoutReceiver: [],
    },
  })
  await untilLoaded()
  const time = screen.getByLabelText('Time')
  await userEvent.type(time, '99')
  expect(screen.getByText('Enter a time such as 14:05')).toBeDefined()
  await userEvent.keyboard('{Enter}')
  expect(address()).not.toContain('time=')
  await userEvent.clear(time)
  await userEvent.type(time, '1405')
  await userEvent.selectOptions(screen.getByLabelText('Tolerance'), '5')
  await userEvent.selectOptions(screen.getByLabelText('Supplier'), 'supplier1')
  await userEvent.type(screen.getByLabelText('Sender'), '4477{Enter}')
  await waitFor(() =>
    expect(requests.findLast(({ path }) => path === '/api/records')?.query.toString()).toBe(
      'dateFrom=2026-11-28&dateTo=2026-11-28&gateway=supplier1&sender=4477&time=14%3A05&within=5&zone=Asia%2FJerusalem',
    ),
  )
  expect(address()).toContain('time=14%3A05&within=5')
  expect(screen.queryByText('Not searched yet')).toBeNull()
})

test('the head of the time turns the order, and new records then come at the end', async () => {
  const { requests, address } = open('/sms-records', {
    'GET /api/records': ({ query }) => (query.get('order') === 'asc' ? rows.toReversed() : rows),
  })
  await untilLoaded()
  feed.open()
  await userEvent.click(screen.getByRole('button', { name: 'Date & Time' }))
  await waitFor(() => expect(shownNumbers()).toEqual(['0001', '0002']))
  expect(address()).toContain('order=asc')
  expect(requests.findLast(({ path }) => path === '/api/records/summary')?.query.toString()).toBe('')
  feed.send('record', recordAt(3))
  await userEvent.click(await screen.findByRole('button', { name: '1 new' }))
  await waitFor(() => expect(shownNumbers()).toEqual(['0001', '0002', '0003']))
})

test('staff see beside the records what was refused, with the cure, while only such filters are set', async () => {
  const refused = {
    at: '2026-11-28T14:05:00.000Z',
    lastAt: '2026-11-28T14:05:40.000Z',
    count: 4,
    number: '447700900873',
    sender: '447700900318',
    gateway: 'supplier1',
    reason: 'unknown',
    status: 11,
    statusText: 'Invalid destination address (0x0000000B)',
  }
  const answers = { 'GET /api/records': [], 'GET /api/records/refused': [refused] }
  const { requests, unmount } = open('/sms-records?sender=4477', answers, { ...admin, role: 'support' })
  const table = await screen.findByRole('table', { name: 'Refused messages' })
  for (const words of ['+44 7700 900873', 'supplier1', 'Refused', '0x0000000B', /^Add the number/, '4'])
    expect(await within(table).findByText(words)).toBeDefined()
  expect(requests.find(({ path }) => path === '/api/records/refused')?.query.toString()).toBe('sender=4477')
  unmount()
  const asked = async (url: string, user = admin) => {
    const shown = open(url, answers, user)
    await screen.findByText('Showing 0 out of 0 SMS records.')
    shown.unmount()
    return shown.requests.some(({ path }) => path === '/api/records/refused')
  }
  expect(await asked('/sms-records?time=14:05&gateway=supplier1')).toBe(true)
  expect(await asked('/sms-records')).toBe(false)
  expect(await asked('/sms-records?sender=4477&client=client2')).toBe(false)
  expect(await asked('/sms-records?sender=4477', { ...admin, role: 'user' })).toBe(false)
})

test('a pending record says so when its client has no receiver', async () => {
  open('/sms-records', {
    'GET /api/records': [
      recordAt(2),
      recordAt(1, { client: 'client1' }),
      recordAt(0, { clientReport: 'reported' }),
    ],
    'GET /api/records/filters': {
      ranges: [],
      clients: [],
      gateways: [],
      countries: [],
      withoutReceiver: ['client2'],
    },
  })
  await untilLoaded()
  expect(await screen.findAllByText('No receiver')).toHaveLength(1)
  expect(screen.getByText('No receiver').closest('tr')?.textContent).toContain('0002')
})

test('rare filters are folded with the count of those that are set; a client has no filter and no column of clients', async () => {
  const { unmount } = open('/sms-records?hold=held&rate=0.05')
  await untilLoaded()
  expect(screen.queryByLabelText('Hold')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'More filters 2' }))
  expect(screen.getByLabelText('Hold')).toHaveProperty('value', 'held')
  unmount()
  open('/sms-records', {}, { ...admin, role: 'user' })
  await untilLoaded()
  expect(screen.queryByLabelText('Client')).toBeNull()
  expect(screen.queryByRole('columnheader', { name: 'Client' })).toBeNull()
  expect(screen.getByRole('columnheader', { name: 'Earned' })).toBeDefined()
})

test('format and columns of an export are chosen, and remembered for the next one', async () => {
  open('/sms-records?client=client2')
  await untilLoaded()
  const choose = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Format and Columns' }))
    return within(await screen.findByRole('dialog', { name: 'Export SMS records' }))
  }
  const dialog = await choose()
  await userEvent.selectOptions(dialog.getByLabelText('Format'), 'parquet')
  for (const box of dialog.getAllByRole('checkbox')) await userEvent.click(box)
  expect(dialog.getByText('Choose one column at least')).toBeDefined()
  expect(dialog.queryByRole('link', { name: 'Export' })).toBeNull()
  for (const name of ['amountUsd', 'messageId']) await userEvent.click(dialog.getByRole('checkbox', { name }))
  const address = '/api/records/export/parquet?client=client2&columns=messageId%2CamountUsd'
  expect(dialog.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(address)
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  const next = await choose()
  expect(next.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(address)
  await userEvent.selectOptions(next.getByLabelText('Format'), 'list')
  expect(next.queryByRole('checkbox', { name: 'messageId' })).toBeNull()
  expect(next.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(
    '/api/records/export?client=client2',
  )
})

test('what is chosen and not searched yet is marked, and outlives a filter that is removed', async () => {
  const { address } = open('/sms-records?number=44909')
  await untilLoaded()
  expect(screen.queryByText('Not searched yet')).toBeNull()
  fireEvent.change(screen.getByLabelText('Date From'), { target: { value: '2026-11-19' } })
  expect(screen.getByText('Not searched yet')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Remove filter Number 44909' }))
  await waitFor(() => expect(address()).toBe('/sms-records'))
  expect((screen.getByLabelText('Date From') as HTMLInputElement).value).toBe('2026-11-19')
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect((screen.getByLabelText('Date From') as HTMLInputElement).value).toBe('')
  expect(screen.queryByText('Not searched yet')).toBeNull()
})

test('days in the wrong order are shown at the field and not sent', async () => {
  const { address } = open()
  await untilLoaded()
  fireEvent.change(screen.getByLabelText('Date From'), { target: { value: '2026-11-20' } })
  fireEvent.change(screen.getByLabelText('Date To'), { target: { value: '2026-11-19' } })
  expect(screen.getByText('Date To must not be before Date From')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Search Query' }))
  expect(address()).toBe('/sms-records')
})

test('a broken address is a page without filters, not a broken page', async () => {
  const { requests } = open('/sms-records?dateFrom=yesterday&status=odd')
  await untilLoaded()
  expect(requests.find((call) => call.path === '/api/records')?.query.toString()).toBe('')
})

test('a new record comes on top by itself, and the totals are read again', async () => {
  const { requests } = open()
  await untilLoaded()
  feed.open()
  feed.send('record', recordAt(3))
  await waitFor(() => expect(shownNumbers()).toEqual(['0003', '0002', '0001']))
  const before = requests.filter((call) => call.path === '/api/records/summary').length
  feed.send('record', recordAt(4))
  await waitFor(() =>
    expect(requests.filter((call) => call.path === '/api/records/summary').length).toBeGreaterThan(before),
  )
})

test('a few new rows are tinted; where too many come to follow, none is', async () => {
  open()
  await untilLoaded()
  feed.open()
  const tinted = () => document.querySelectorAll('tbody tr.new-row').length
  feed.send('record', recordAt(3))
  await waitFor(() => expect(tinted()).toBe(1))
  for (let minute = 4; minute < 24; minute += 1) feed.send('record', recordAt(minute))
  await waitFor(() => expect(shownNumbers()).toHaveLength(23))
  expect(tinted()).toBe(0)
})

test('without a pointer rows always stay still: new ones wait behind a button', async () => {
  const matchMedia = window.matchMedia.bind(window)
  const media = vi
    .spyOn(window, 'matchMedia')
    .mockImplementation((query) =>
      query.startsWith('(hover: none)') ? ({ matches: true } as MediaQueryList) : matchMedia(query),
    )
  open()
  await untilLoaded()
  feed.open()
  feed.send('record', recordAt(3))
  const button = await screen.findByRole('button', { name: '1 new' })
  expect(shownNumbers()).toEqual(['0002', '0001'])
  await userEvent.click(button)
  await waitFor(() => expect(shownNumbers()).toEqual(['0003', '0002', '0001']))
  media.mockRestore()
})

test('under the pointer rows stay still: new ones wait behind a button', async () => {
  open()
  await untilLoaded()
  feed.open()
  const table = screen.getByRole('table')
  fireEvent.pointerEnter(table, { pointerType: 'mouse' })
  feed.send('record', recordAt(3))
  const button = await screen.findByRole('button', { name: '1 new' })
  expect(shownNumbers()).toEqual(['0002', '0001'])
  await userEvent.click(button)
  await waitFor(() => expect(shownNumbers()).toEqual(['0003', '0002', '0001']))
  await waitFor(() => expect(screen.queryByRole('button', { name: '1 new' })).toBeNull())
})

test('a changed record changes in its place; one that the filters keep out does not come', async () => {
  open('/sms-records?client=client2')
  await untilLoaded()
  feed.open()
  feed.send('record-updated', recordAt(1, { clientReport: 'failed', lu: '2026-11-19T14:40:00.000Z' }))
  feed.send('record', recordAt(9, { client: 'client1' }))
  expect(await screen.findByText('Failed')).toBeDefined()
  expect(shownNumbers()).toEqual(['0002', '0001'])
})

test('Show more results fetches by cursor and adds below', async () => {
  const next = (query: URLSearchParams): Response | readonly SmsRecord[] =>
    query.get('cursor') === 'c2'
      ? [recordAt(0)]
      : new Response(JSON.stringify(rows), { headers: { link: '</api/records?cursor=c2>; rel="next"' } })
  open('/sms-records', { 'GET /api/records': ({ query }) => next(query) })
  await userEvent.click(await screen.findByRole('button', { name: 'Show more results' }))
  await waitFor(() => expect(shownNumbers()).toEqual(['0002', '0001', '0000']))
})

test('Copy Selected stands only while rows are selected, with their number and sum', async () => {
  open()
  await untilLoaded()
  expect(screen.queryByText(/Copy Selected/)).toBeNull()
  await userEvent.click(screen.getByLabelText('Select +44 909 879 0001'))
  await userEvent.click(screen.getByLabelText('Select +44 909 879 0002'))
  expect(screen.getByRole('button', { name: 'Copy Selected (2)' })).toBeDefined()
  expect(screen.getByText('₪3.00')).toBeDefined()
})

test('Show Report groups what the filters match and can be grouped otherwise', async () => {
  const report = [{ group: 'client2', count: 12_846, bill: '29927.2', amountUsd: '642.3' }]
  const { requests } = open('/sms-records?client=client2', {
    'GET /api/records/report': ({ query }) =>
      query.get('groupBy') === 'client' ? report : [{ ...report[0], group: '2026-11-19' }],
  })
  await untilLoaded()
  await userEvent.click(screen.getByRole('button', { name: 'Show Report' }))
  const dialog = await screen.findByRole('dialog', { name: 'SMS Records Report' })
  expect(await within(dialog).findByText('19/11/2026')).toBeDefined()
  await userEvent.click(within(dialog).getByLabelText('Client'))
  expect(await within(dialog).findByRole('rowheader', { name: 'client2' })).toBeDefined()
  expect(requests.findLast((call) => call.path === '/api/records/report')?.query.toString()).toBe(
    'client=client2&groupBy=client',
  )
})

test('the head of the last update says what LU is', async () => {
  open('/sms-records')
  await untilLoaded()
  expect(screen.getByRole('columnheader', { name: 'LU' }).title).toBe('Last update')
})

test('a line of the report leads to its records, and the report is saved as CSV', async () => {
  const saved: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    saved.push(content as Blob)
    return 'blob:report'
  })
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue(undefined)
  const { address } = open('/sms-records?client=client2&report=day', {
    'GET /api/records/report': [{ group: '2026-11-19', count: 12_846, bill: '29927.2', amountUsd: '642.3' }],
  })
  const dialog = await screen.findByRole('dialog', { name: 'SMS Records Report' })
  const line = await within(dialog).findByRole('button', { name: '19/11/2026' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Export CSV' }))
  expect(await saved[0]?.text()).toBe(
    '"Day","Records","Bill","Client earns, USD"\r\n"2026-11-19","12846","29927.2","642.3"',
  )
  await userEvent.click(line)
  expect(screen.queryByRole('dialog', { name: 'SMS Records Report' })).toBeNull()
  const search = new URLSearchParams(address().split('?')[1])
  expect(Object.fromEntries(search)).toEqual({
    client: 'client2',
    dateFrom: '2026-11-19',
    dateTo: '2026-11-19',
    zone: 'UTC',
  })
})

test('the report says all its filters, also those of a link from a bill, with days west of Greenwich too', async () => {
  setReaderFormats({ timeZone: 'America/New_York', numberFormat: 'comma' })
  const bill = 'period=3-17&rateId=4&settlement=bill&hold=held&late=true&correction=5&unowned=true'
  open(`/sms-records?report=day&dateFrom=2026-11-19&range=0900&client=client2&${bill}`, {
    'GET /api/records/report': [],
  })
  expect(
    await screen.findByText(
      'Records: From 19/11/2026, Range 0900, Client client2, Period #3-17, Rate #4, In the bill, Held, Came late, ' +
        'Credited by adjustment 5, Nobody held the number',
    ),
  ).toBeDefined()
})

test('empty and failed lists have the words of the specification', async () => {
  const { unmount } = open('/sms-records', { 'GET /api/records': [] })
  expect(await screen.findByText('Showing 0 out of 0 SMS records.')).toBeDefined()
  expect(screen.getByText('No records found for the selected criteria.')).toBeDefined()
  unmount()
  open('/sms-records', {
    'GET /api/records': refusal(503, { code: 'busy', message: 'Try again in a moment.', requestId: 'r7' }),
  })
  expect(await screen.findByText('Failed to fetch SMS records')).toBeDefined()
  expect(screen.getByText('req r7')).toBeDefined()
})
