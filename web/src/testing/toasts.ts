import { expect } from 'vitest'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'

/** Presses Undo in a toast. The toasts take clicks a moment after the first of them shows. */
export async function pressUndo(): Promise<void> {
  const toasts = screen.getByRole('region', { name: /^Notifications/ })
  const undo = await within(toasts).findByRole('button', { name: 'Undo' })
  await waitFor(() => expect(toasts.style.pointerEvents).toBe(''))
  await userEvent.click(undo)
}
