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
  octets: 93,
  messageId: '01KABCDEF0',
  fields: [
    { name: 'destination_addr', value: '449098790142' },
    { name: 'short_message', value: '16 octets' },
  ],
  ...over,
})
const on: Flight = {
  isOn: true,
  onUntil: '2026-11-19T14:46:00.000Z',
  pdus: [pdu({ id: '2', direction: 'out', command: 'submit_sm_resp', status: 0x0b, fields: [] }), pdu({})],
}

async function opened(answers: Parameters<typeof renderApp>[1]) {
  const user = userEvent.setup()
  const shown = renderApp(<FlightRecorder link="bind-3" name="supplier1" />, answers)
  await user.click(await screen.findByRole('button', { name: 'Flight recorder of supplier1' }))
  return { user, shown, dialog: await screen.findByRole('dialog', { name: 'Flight Recorder' }) }
}

test('it shows each PDU with its direction, command, status and fields', async () => {
  const { dialog } = await opened({ answers: { 'GET /api/smpp/flights/bind-3': on } })
  const items = await within(dialog).findAllByRole('listitem')
  expect(items).toHaveLength(2)
  expect(items[0]?.textContent).toContain('→ sent')
  expect(items[0]?.textContent).toContain('error 0x0B')
  expect(items[1]?.textContent).toContain('449098790142')
  expect(items[1]?.textContent).toContain('16 octets')
  expect(within(dialog).getByRole('switch', { name: 'Record' })).toHaveProperty('checked', true)
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
