import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderApp } from '../../testing/render.tsx'
import { AccountDialog } from './AccountDialog.tsx'

test('another tab drops what was typed in this one only after a question', async () => {
  renderApp(<AccountDialog onClose={() => undefined} />, { answers: { 'GET /api/keys': [] } })
  const choose = (name: string) => userEvent.click(screen.getByRole('tab', { name }))
  const answer = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
  await screen.findByRole('tab', { name: 'API keys' })
  await choose('API keys')
  await userEvent.type(await screen.findByLabelText('Name'), 'Reports')
  await choose('Password')
  await screen.findByRole('alertdialog', { name: 'Leave without saving?' })
  await answer('Keep editing')
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect((screen.getByLabelText('Name') as HTMLInputElement).value).toBe('Reports')
  await choose('Password')
  await answer('Discard')
  expect(await screen.findByLabelText('New password')).toBeDefined()
  // Nothing was typed here, and a password is quickly typed again.
  await userEvent.type(screen.getByLabelText('New password'), 'staple')
  await choose('API keys')
  expect(((await screen.findByLabelText('Name')) as HTMLInputElement).value).toBe('')
})
