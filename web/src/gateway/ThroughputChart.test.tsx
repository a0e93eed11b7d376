import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Throughput } from '@tollgate/contract/gateway/gateway.ts'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { renderApp } from '../testing/render.tsx'
import { ThroughputChart } from './ThroughputChart.tsx'

const run = (counts: Readonly<Record<number, number>>): Throughput => ({
  from: '2026-11-19T14:17:00.000Z',
  stepSeconds: 10,
  counts: Array.from({ length: 90 }, (_, place) => counts[place] ?? 0),
})
const shown = (answer: Throughput | (() => unknown)) =>
  renderApp(<ThroughputChart />, { answers: { 'GET /api/smpp/throughput': answer } })
const chart = () => screen.findByRole('group', { name: /Throughput, last 15 min/ })

test('it shows the current and the highest rate, and each point by the arrow keys', async () => {
  shown(run({ 1: 25, 88: 12_340, 89: 4 }))
  const group = await chart()
  expect(screen.getByText('now 0.40 msg/s, at most 1,234.00 msg/s')).toBeTruthy()
  fireEvent.keyDown(group, { key: 'ArrowRight' })
  fireEvent.keyDown(group, { key: 'ArrowRight' })
  const announced = () => group.querySelector('[aria-live]')?.textContent
  expect(announced()).toMatch(/17:10: 2\.50 msg\/s, 25 messages$/)
  fireEvent.keyDown(group, { key: 'ArrowLeft' })
  fireEvent.keyDown(group, { key: 'ArrowLeft' })
  expect(announced()).toMatch(/31:50: 0\.40 msg\/s, 4 messages$/)
  fireEvent.keyDown(group, { key: 'Escape' })
  expect(announced()).toBe('')
})

test('the table has the same figures, the newest first', async () => {
  const user = userEvent.setup()
  shown(run({ 0: 1, 89: 4 }))
  await user.click(await screen.findByRole('button', { name: 'Show as table' }))
  const lines = within(screen.getByRole('table')).getAllByRole('row')
  expect(lines).toHaveLength(91)
  expect(lines[1]?.textContent).toMatch(/31:5040\.40$/)
  expect(lines[90]?.textContent).toMatch(/17:0010\.10$/)
})

test('a burst does not press the rest flat: it is cut, marked and announced', async () => {
  const usual = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [60 + place, 20]))
  shown(run({ ...usual, 58: 900, 59: 80_000 }))
  const group = await chart()
  expect(screen.getByText('now 2.00 msg/s, at most 8,000.00 msg/s')).toBeTruthy()
  expect(group.querySelectorAll('[data-cut]')).toHaveLength(2)
  expect(screen.getByText(/Drawn up to 3\.00 msg\/s; marked peaks are higher\.$/)).toBeTruthy()
})

test('traffic that grows is drawn whole', async () => {
  shown(run(Object.fromEntries(Array.from({ length: 90 }, (_, place) => [place, place * 10]))))
  expect((await chart()).querySelectorAll('[data-cut]')).toHaveLength(0)
})

test('without traffic it says so over a flat line', async () => {
  shown(run({}))
  await chart()
  expect(screen.getByText('Nothing was accepted')).toBeTruthy()
})

test('a failure is announced and can be tried again', async () => {
  let isDown = true
  const user = userEvent.setup()
  shown(() => (isDown ? refusal(500, { code: 'internal', message: 'Something failed.' }) : run({ 89: 4 })))
  expect(await screen.findByText('Failed to fetch the throughput')).toBeTruthy()
  isDown = false
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await chart()).toBeTruthy()
})
