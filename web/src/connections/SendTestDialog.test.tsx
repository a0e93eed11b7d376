import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Connection, ConnectionSend } from '@tollgate/contract/connections/connections.ts'
import { expect, test, vi } from 'vitest'
import { renderApp } from '../testing/render.tsx'
import { SendTestDialog } from './SendTestDialog.tsx'

const sent = (over: Partial<ConnectionSend>): ConnectionSend => ({
  id: '1',
  from: '1',
  to: '447700900123',
  status: 'sent',
  errorCode: null,
  error: '',
  receipt: '',
  receiptAt: null,
  createdBy: 'admin',
  createdAt: '2026-11-19T14:31:57.000Z',
  doneAt: null,
  ...over,
})
const busy = { errorCode: 88, error: 'Throttling error: allowed message limits exceeded (0x58)' }

test('each message shows how far it came, and one that waits says for what', async () => {
  const list = [
    sent({ id: '5', status: 'queued' }),
    sent({ id: '4', status: 'sending', ...busy }),
    sent({ id: '3', status: 'failed', ...busy }),
    sent({ id: '2' }),
    sent({ id: '1', receipt: 'DELIVRD' }),
  ]
  const connection = { id: '7', name: 'iprn-east' } as Connection
  renderApp(<SendTestDialog connection={connection} onClose={() => undefined} />, {
    answers: { 'GET /api/smpp-connections/7/sends': list },
  })
  const items = within(await screen.findByRole('list', { name: 'Sent over this connection' })).getAllByRole(
    'listitem',
  )
  expect(items.map(({ textContent }) => /23(.*?)\d\d:\d\d:\d\d/.exec(textContent)?.[1])).toEqual([
    expect.stringContaining('On its way'),
    expect.stringContaining(`The gateway asked us to wait; trying again. Error Code 88: ${busy.error}`),
    expect.stringMatching(/^Error Code 88: Throttling/),
    expect.stringContaining('Taken by the gateway'),
    expect.stringContaining('Receipt: DELIVRD'),
  ])
})

test('a test SMS that was sent is not asked about when the dialog closes', async () => {
  const onClose = vi.fn()
  const connection = { id: '7', name: 'iprn-east' } as Connection
  renderApp(<SendTestDialog connection={connection} onClose={onClose} />, {
    answers: { 'GET /api/smpp-connections/7/sends': [], 'POST /api/smpp-connections/7/send': sent({}) },
  })
  await userEvent.type(await screen.findByLabelText('From'), '12345')
  await userEvent.type(screen.getByLabelText('To'), '447700900123')
  await userEvent.type(screen.getByLabelText('Text'), 'Hello')
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  await screen.findAllByText('Test SMS queued')
  await userEvent.click(within(screen.getByRole('dialog')).getAllByRole('button', { name: 'Close' })[0]!)
  expect(onClose).toHaveBeenCalledOnce()
})
