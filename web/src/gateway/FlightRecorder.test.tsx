import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { FlightRecording, FlightPdu } from '@tollgate/contract/gateway/flight-recorder.ts'
import { expect, test, vi } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { FlightButton, FlightRecorder } from './FlightRecorder.tsx'

const pdu = (over: Partial<FlightPdu>): FlightPdu => ({
  id: '1',
  at: '2026-11-19T14:31:57.488Z',
  session: 'node 1',
  direction: 'in',
  command: 'submit_sm',
  status: 0,
  sequence: 4,
  statusName: 'ESME_ROK',
  octets: 22,
  messageId: '01KABCDEF0',
  answerMs: 4,
  fields: [
    { name: 'command_length', value: '22', hex: '00000016' },
    { name: 'command_id', value: '0x00000004', hex: '00000004' },
    { name: 'command_status', value: '0x00000000', hex: '00000000' },
    { name: 'sequence_number', value: '4', hex: '00000004' },
    { name: 'destination_addr', value: '44', hex: '343400' },
    { name: 'short_message', value: '2 octets', hex: '02····' },
  ],
  ...over,
})
const on: FlightRecording = {
  isOn: true,
  onUntil: '2026-11-19T14:46:00.000Z',
  pdus: [
    pdu({
      id: '2',
      direction: 'out',
      command: 'submit_sm_resp',
      status: 0x0b,
      statusName: 'ESME_RINVDSTADR',
      answerMs: null,
      fields: [],
    }),
    pdu({}),
  ],
}

const links = [
  { value: 'bind-3', label: 'supplier1' },
  { value: 'connection-1', label: 'east' },
]

async function opened(answers: Parameters<typeof renderApp>[1]) {
  const user = userEvent.setup()
  const shown = renderApp(<FlightRecorder links={links} />, answers)
  return { user, shown, recorder: await screen.findByRole('region', { name: 'Flight Recorder' }) }
}

test('it shows each PDU with its direction, command, status and answer time', async () => {
  const { recorder } = await opened({ answers: { 'GET /api/smpp/flights/bind-3': on } })
  const items = await within(recorder).findAllByRole('listitem')
  expect(items).toHaveLength(2)
  expect(items[0]?.textContent).toContain('sentsubmit_sm_resp4ESME_RINVDSTADR–')
  expect(items[1]?.textContent).toContain('receivedsubmit_sm4ESME_ROK4 ms')
  expect(within(recorder).getByRole('switch', { name: 'Record PDUs' })).toHaveProperty('checked', true)
})

test('by the keyboard a PDU opens to its octets, the text hidden, and its fields; what it does not name is a number', async () => {
  const { user, recorder } = await opened({
    answers: { 'GET /api/smpp/flights/bind-3': { ...on, pdus: [pdu({ status: 0x4ff, statusName: '' })] } },
  })
  const line = await within(recorder).findByRole('button', { name: /submit_sm/ })
  expect(line.textContent).toContain('0x4FF')
  expect(within(recorder).queryByRole('group', { name: 'Octets' })).toBeNull()
  line.focus()
  await user.keyboard('{Enter}')
  expect(line.getAttribute('aria-expanded')).toBe('true')
  const rows = [...within(recorder).getByRole('group', { name: 'Octets' }).children]
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    '000000 00 00 16 00 00 00 04 00 00 00 00............',
    '000c00 00 00 04 34 34 00 02 ·· ··....44..··',
  ])
  const terms = within(recorder).getAllByRole('term')
  expect(terms.map(({ textContent }) => textContent)).toEqual(pdu({}).fields.map(({ name }) => name))
  expect(within(recorder).getByText('2 octets')).toBeTruthy()
  expect(within(recorder).getByText('01KABCDEF0')).toBeTruthy()
  await user.click(within(recorder).getByRole('button', { name: 'Copy octets' }))
  const copied = (await navigator.clipboard.readText()).split('\n')
  expect(copied[1]).toBe('000c  00 00 00 04 34 34 00 02 ·· ··  ....44..··')
  line.focus()
  await user.keyboard(' ')
  expect(within(recorder).queryByRole('group', { name: 'Octets' })).toBeNull()
})

test('it is switched on from here, and filters go to the gateway', async () => {
  const { user, shown, recorder } = await opened({
    answers: {
      'GET /api/smpp/flights/bind-3': { isOn: false, onUntil: null, pdus: [] },
      'PUT /api/smpp/flights/bind-3': { isOn: true, onUntil: on.onUntil },
    },
  })
  expect(await within(recorder).findByText('Nothing is recorded')).toBeTruthy()
  await user.click(within(recorder).getByRole('switch', { name: 'Record PDUs' }))
  await waitFor(() => expect(shown.requests.some(({ method }) => method === 'PUT')).toBe(true))
  await user.selectOptions(within(recorder).getByLabelText('Command'), 'deliver_sm')
  await user.selectOptions(within(recorder).getByLabelText('Direction'), 'out')
  await user.click(within(recorder).getByRole('switch', { name: 'Errors only' }))
  await user.type(within(recorder).getByLabelText('Message id'), '01KABCDEF0')
  await waitFor(() => {
    const { query } = shown.requests.at(-1) ?? {}
    expect(Object.fromEntries(query ?? [])).toEqual({
      command: 'deliver_sm',
      direction: 'out',
      errors: 'true',
      messageId: '01KABCDEF0',
    })
  })
})

test('paused, it asks for nothing more', async () => {
  const { user, shown, recorder } = await opened({ answers: { 'GET /api/smpp/flights/bind-3': on } })
  await within(recorder).findAllByRole('listitem')
  await user.click(within(recorder).getByRole('button', { name: 'Pause' }))
  const count = shown.requests.length
  await new Promise((done) => setTimeout(done, 1_500))
  expect(shown.requests).toHaveLength(count)
  expect(within(recorder).getByRole('button', { name: 'Resume' })).toBeTruthy()
})

test('what is shown can be exported, and a failure is shown', async () => {
  const made: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    made.push(blob as Blob)
    return 'blob:flight'
  })
  const { user, recorder } = await opened({ answers: { 'GET /api/smpp/flights/bind-3': on } })
  await within(recorder).findAllByRole('listitem')
  await user.click(within(recorder).getByRole('button', { name: 'Export' }))
  const lines = (await made[0]?.text())?.trim().split('\n') ?? []
  expect(lines.map((line) => (JSON.parse(line) as FlightPdu).command)).toEqual([
    'submit_sm',
    'submit_sm_resp',
  ])
})

test('a refused call is shown', async () => {
  const { recorder } = await opened({
    answers: {
      'GET /api/smpp/flights/bind-3': refusal(500, { code: 'internal', message: 'Something failed.' }),
    },
  })
  expect(await within(recorder).findByText('Failed to fetch the recording')).toBeTruthy()
})

test('a link’s button has the recorder show it; one that left is still named', async () => {
  const user = userEvent.setup()
  const { requests, address } = renderApp(
    <>
      <FlightButton link="connection-1" name="east" />
      <FlightRecorder links={links} />
    </>,
    {
      url: '/smpp-control?flight=bind-9',
      answers: {
        'GET /api/users/9': { ...admin, id: 9, username: 'acme' },
        'GET /api/smpp/flights/bind-9': on,
        'GET /api/smpp/flights/connection-1': { isOn: false, onUntil: null, pdus: [] },
      },
    },
  )
  expect(await screen.findByRole('option', { name: 'acme, not connected', selected: true })).toBeTruthy()
  const button = screen.getByRole('button', { name: 'Flight recorder of east' })
  expect(button.textContent).toBe('Recorder')
  await user.click(button)
  expect(await screen.findByText('Nothing is recorded')).toBeTruthy()
  expect(address()).toContain('flight=connection-1')
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Flight Recorder' }))
  await user.selectOptions(screen.getByLabelText('Link'), 'supplier1')
  await waitFor(() => expect(requests.at(-1)?.path).toBe('/api/smpp/flights/bind-3'))
})

test('the binds of an account that is gone, and a connection that was deleted, are named by their numbers', async () => {
  const empty = { isOn: false, onUntil: null, pdus: [] }
  const { unmount } = renderApp(<FlightRecorder links={links} />, {
    url: '/smpp-control?flight=bind-9',
    answers: {
      'GET /api/users/9': refusal(404, { code: 'not_found', message: 'There is no such user.' }),
      'GET /api/smpp/flights/bind-9': empty,
    },
  })
  expect(
    await screen.findByRole('option', { name: 'Account #9, not connected', selected: true }),
  ).toBeTruthy()
  unmount()
  renderApp(<FlightRecorder links={links} />, {
    url: '/smpp-control?flight=connection-7',
    answers: { 'GET /api/smpp/flights/connection-7': empty },
  })
  expect(
    await screen.findByRole('option', { name: 'Connection #7, not connected', selected: true }),
  ).toBeTruthy()
})

test('lines stay where they are under the pointer, and what comes meanwhile is counted', async () => {
  const flights = [on, { ...on, pdus: [pdu({ id: '3', command: 'enquire_link' }), ...on.pdus] }]
  const { user, recorder } = await opened({
    answers: {
      'GET /api/smpp/flights/bind-3': () => Response.json(flights.length > 1 ? flights.shift() : flights[0]),
    },
  })
  const [first] = await within(recorder).findAllByRole('listitem')
  await user.hover(first!)
  expect(await within(recorder).findByText('Status (1 newer)')).toBeTruthy()
  expect(within(recorder).getAllByRole('listitem')).toHaveLength(2)
  await user.unhover(first!)
  await user.hover(within(recorder).getByRole('heading'))
  await waitFor(() => expect(within(recorder).getAllByRole('listitem')).toHaveLength(3))
})
