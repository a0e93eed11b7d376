import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '../testing/render.tsx'
import { UnmatchedReceiptsTab } from './UnmatchedReceiptsTab.tsx'

const hex = (text: string) =>
  Array.from(text, (letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('')
const receivedAt = '2026-11-19T14:31:57.000Z'

test('each receipt shows its state in words, and what can be read in its octets', async () => {
  const octets = `${hex('id:astray stat:DELIVRD text:')}····`
  const list = [
    { messageId: 'astray', receipt: 'DELIVRD', octets, count: 2, receivedAt },
    { messageId: 'other', receipt: 'LOST', octets: hex('\0i\0d\0:\x007'), count: 1, receivedAt },
    { messageId: '', receipt: 'UNKNOWN', octets: '', count: 1, receivedAt },
  ]
  renderApp(<UnmatchedReceiptsTab connectionId="7" />, {
    answers: { 'GET /api/smpp-connections/7/receipts': list },
  })
  await screen.findByText('astray')
  const table = screen.getByRole('table', { name: 'Unmatched receipts' })
  const [, first, second, third] = within(table)
    .getAllByRole('row')
    .map(({ textContent }) => textContent)
  expect(first).toContain('astrayDELIVRDDelivered')
  expect(first).toContain(`id:astray stat:DELIVRD text:··${octets}`)
  expect(second).toContain('LOSTA word of the vendor')
  expect(second).toContain('id:7')
  expect(third).toContain('None that can be readUNKNOWNNothing that says a stateNo text')
})

test('without any it says so', async () => {
  renderApp(<UnmatchedReceiptsTab connectionId="7" />, {
    answers: { 'GET /api/smpp-connections/7/receipts': [] },
  })
  expect(await screen.findByText('Every receipt of the last 7 days has its message')).toBeTruthy()
})
