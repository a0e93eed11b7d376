import { act, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { showToast } from './toasts.ts'
import { Toasts } from './Toasts.tsx'

test('the region is named Notifications (F8) and F8 focuses it', () => {
  render(<Toasts />)
  act(() => showToast({ title: 'Success', text: 'Number assigned successfully' }))
  const region = screen.getByRole('region', { name: 'Notifications (F8)' })
  fireEvent.keyDown(document, { key: 'F8', code: 'F8' })
  expect(region.contains(document.activeElement)).toBe(true)
})

test('at most one is shown: the newer takes the place', () => {
  render(<Toasts />)
  act(() => showToast({ title: 'Copied' }))
  act(() => showToast({ tone: 'bad', title: 'No rows selected', text: 'Please select rows to copy' }))
  expect(screen.queryByText('Copied')).toBeNull()
  expect(screen.getByText('Please select rows to copy')).toBeDefined()
})

test('it goes after 5000 ms', () => {
  vi.useFakeTimers()
  try {
    render(<Toasts />)
    act(() => showToast({ title: 'Success' }))
    act(() => void vi.advanceTimersByTime(4_900))
    expect(screen.queryByText('Success')).not.toBeNull()
    act(() => void vi.advanceTimersByTime(200))
    expect(screen.queryByText('Success')).toBeNull()
  } finally {
    vi.useRealTimers()
  }
})

test('Close takes it away, Undo runs its act', async () => {
  const undo = vi.fn()
  render(<Toasts />)
  act(() => showToast({ title: 'Suspended', undo }))
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(undo).toHaveBeenCalledOnce()
  act(() => showToast({ title: 'Again' }))
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByText('Again')).toBeNull()
})
