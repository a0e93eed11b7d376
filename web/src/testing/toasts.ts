import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'

/** Presses Undo in a toast. */
export async function pressUndo(): Promise<void> {
  const toasts = screen.getByRole('region', { name: /^Notifications/ })
  const undo = await within(toasts).findByRole('button', { name: 'Undo' })
  await userEvent.click(undo)
}
