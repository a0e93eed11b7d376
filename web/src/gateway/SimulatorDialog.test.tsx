import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { RecordDetail } from '@tollgate/contract/records/records.ts'
import { expect, test, vi } from 'vitest'
import { refusal, sent } from '../testing/api-stub.ts'
import { recordAt } from '../testing/records.ts'
import { renderApp } from '../testing/render.tsx'
import { SimulatorDialog } from './SimulatorDialog.tsx'

const at = '2026-11-19T14:31:58.102Z'
const detail: RecordDetail = {
  ...recordAt(1, { source: 'api', gateway: 'Simulator', smsCount: 0, amountUsd: '0' }),
  numberId: '7',
  clientId: 3,
  rate: { usd: '0', from: 'none' },
  settlesIn: { periodStart: at, periodEnd: at, settlement: 'none' },
  flags: ['A test: it counts as no SMS.'],
  sent: null,
  longMessage: null,
  timeline: [
    { at, step: 'received', title: 'Received', detail: '', detailWords: [], status: 'ok' },
    { at, step: 'handed_on', title: 'Handed on', detail: '', detailWords: [], status: 'ok' },
  ],
}
const send = async () => userEvent.click(await screen.findByRole('button', { name: 'Send' }))

test('what became of a test message is read from its record until it was handed on', async () => {
  let reads = 0
  const { requests } = renderApp(<SimulatorDialog to="449098790142" onClose={() => undefined} />, {
    answers: {
      'POST /api/simulator/messages': {
        messageId: detail.id,
        client: 'ada',
        price: { usdPerSms: '0.050', from: 'client' },
      },
      [`GET /api/records/${detail.id}`]: () => {
        reads += 1
        return reads === 1
          ? { ...detail, status: 'in_progress', timeline: detail.timeline.slice(0, 1) }
          : { ...detail, status: 'reported' }
      },
    },
  })
  await send()
  expect(
    await screen.findByText('From a supplier it would earn ada 0.050 USD, the client’s rate'),
  ).toBeDefined()
  const steps = screen.getByRole('region', { name: 'What happened to it' })
  expect(await within(steps).findByText('In Progress')).toBeDefined()
  expect(await within(steps).findByText('Reported', {}, { timeout: 3_000 })).toBeDefined()
  expect(within(steps).getAllByRole('listitem')).toHaveLength(detail.timeline.length)
  expect(sent(requests).map(({ body }) => body)).toEqual([
    { from: '447700900318', to: '449098790142', text: 'Test message' },
  ])
})

test('a message that was sent is not asked about, one that was typed since is', async () => {
  const onClose = vi.fn()
  renderApp(<SimulatorDialog to="449098790142" onClose={onClose} />, {
    answers: {
      'POST /api/simulator/messages': { messageId: detail.id, client: '', price: null },
      [`GET /api/records/${detail.id}`]: detail,
    },
  })
  await userEvent.type(await screen.findByLabelText('Text'), '!')
  await send()
  await screen.findByRole('button', { name: 'Send again' })
  await userEvent.type(screen.getByLabelText('Text'), '!')
  await userEvent.keyboard('{Escape}')
  expect(screen.getByText('Leave without saving?')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }))
  await waitFor(async () => {
    await userEvent.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalled()
  })
})

test('a number that takes no message is refused at its field', async () => {
  const message = 'This number is not in the list. A supplier would be answered 0x0B; add the number first.'
  renderApp(<SimulatorDialog to="449098790142" onClose={() => undefined} />, {
    answers: {
      'POST /api/simulator/messages': () =>
        refusal(422, { code: 'unprocessable', message, fields: { to: message } }),
    },
  })
  await send()
  const field = await screen.findByLabelText('To')
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(screen.getAllByText(message).length).toBeGreaterThan(0)
  expect(screen.queryByRole('region', { name: 'What happened to it' })).toBeNull()
})
