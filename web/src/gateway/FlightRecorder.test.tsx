import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Flight, FlightPdu } from '@tollgate/contract/flight.ts'
import { expect, test, vi } from 'vitest'
import { refusal } from '../testing/answers.ts'
import { renderApp } from '../testing/render.tsx'
import { FlightRecorder } from './FlightRecorder.tsx'

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
const on: Flight = {
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

async function opened(answers: Parameters<typeof renderApp>[1]) {
  const user = userEvent.setup()
  const shown = renderApp(<FlightRecorder link="bind-3" name="supplier1" />, answers)
  await user.click(await screen.findByRole('button', { name: 'Flight recorder of supplier1' }))
  return { user, shown, dialog: await screen.findByRole('dialog', { name: 'Flight Recorder' }) }
}

test('it shows each PDU with its direction, command, status and answer time', async () => {
  const { dialog } = await opened({ answers: { 'GET /api/smpp/flights/bind-3': on } })
  const items = await within(dialog).findAllByRole('listitem')
  expect(items).toHaveLength(2)
  expect(items[0]?.textContent).toContain('sentsubmit_sm_resp4ESME_RINVDSTADR–')
  expect(items[1]?.textContent).toContain('receivedsubmit_sm4ESME_ROK4 ms01KABCDEF0')
  expect(within(dialog).getByRole('switch', { name: 'Record' })).toHaveProperty('checked', true)
})

test('by the keyboard a PDU opens to its octets, the text hidden, and its fields; what it does not name is a number', async () => {
  const { user, dialog } = await opened({
    answers: { 'GET /api/smpp/flights/bind-3': { ...on, pdus: [pdu({ status: 0x4ff, statusName: '' })] } },
  })
  const line = await within(dialog).findByRole('button', { name: /submit_sm/ })
  expect(line.textContent).toContain('0x4FF')
  expect(within(dialog).queryByRole('group', { name: 'Octets' })).toBeNull()
  line.focus()
  await user.keyboard('{Enter}')
  expect(line.getAttribute('aria-expanded')).toBe('true')
  const rows = [...within(dialog).getByRole('group', { name: 'Octets' }).children]
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    '000000 00 00 16 00 00 00 04 00 00 00 00............',
    '000c00 00 00 04 34 34 00 02 ·· ··....44..··',
  ])
  const terms = within(dialog).getAllByRole('term')
  expect(terms.map(({ textContent }) => textContent)).toEqual(pdu({}).fields.map(({ name }) => name))
  expect(within(dialog).getByText('2 octets')).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Copy octets' }))
  const copied = (await navigator.clipboard.readText()).split('\n')
  expect(copied[1]).toBe('000c  00 00 00 04 34 34 00 02 ·· ··  ....44..··')
  line.focus()
  await user.keyboard(' ')
  expect(within(dialog).queryByRole('group', { name: 'Octets' })).toBeNull()
})

test('it is switched on from here, and filters go to the gateway', async () => {
  const { user, shown, dialog } = await opened({
    answers: {
      'GET /api/smpp/flights/bind-3': { isOn: false, onUntil: null, pdus: [] },
      'PUT /api/smpp/flights/bind-3': { isOn: true, onUntil: on.onUntil },
    },
  })
  expect(await within(dialog).findByText('Nothing is recorded')).toBeTruthy()
  await user.click(within(dialog).getByRole('switch', { name: 'Record' }))
  await waitFor(() => expect(shown.asked.some(({ method }) => method === 'PUT')).toBe(true))
  await user.selectOptions(within(dialog).getByLabelText('Command'), 'deliver_sm')
  await user.selectOptions(within(dialog).getByLabelText('Direction'), 'out')
  await user.click(within(dialog).getByRole('switch', { name: 'Errors only' }))
  await user.type(within(dialog).getByLabelText('Message id'), '01KABCDEF0')
  await waitFor(() => {
    const { query } = shown.asked.at(-1) ?? {}
    expect(Object.fromEntries(query ?? [])).toEqual({
      command: 'deliver_sm',
      direction: 'out',
      errors: 'true',
      messageId: '01KABCDEF0',
    })
  })
})

test('paused, it asks for nothing more', async () => {
  const { user, shown, dialog } = await opened({ answers: { 'GET /api/smpp/flights/bind-3': on } })
  await within(dialog).findAllByRole('listitem')
  await user.click(within(dialog).getByRole('button', { name: 'Pause' }))
  const count = shown.asked.length
  await new Promise((done) => setTimeout(done, 1_500))
  expect(shown.asked).toHaveLength(count)
  expect(within(dialog).getByRole('button', { name: 'Resume' })).toBeTruthy()
})

test('what is shown can be exported, and a failure is told', async () => {
  const made: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    made.push(blob as Blob)
    return 'blob:flight'
  })
  const { user, dialog } = await opened({ answers: { 'GET /api/smpp/flights/bind-3': on } })
  await within(dialog).findAllByRole('listitem')
  await user.click(within(dialog).getByRole('button', { name: 'Export' }))
  const lines = (await made[0]?.text())?.trim().split('\n') ?? []
  expect(lines.map((line) => (JSON.parse(line) as FlightPdu).command)).toEqual([
    'submit_sm',
    'submit_sm_resp',
  ])
})

test('a refused call is told', async () => {
  const { dialog } = await opened({
    answers: {
      'GET /api/smpp/flights/bind-3': refusal(500, { code: 'internal', message: 'Something failed.' }),
    },
  })
  expect(await within(dialog).findByText('Failed to fetch the recording')).toBeTruthy()
})
