import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { defaultChoices } from '@tollgate/contract/users/preferences.ts'
import { expect, test, vi } from 'vitest'
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
  await answer('Stay')
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

test('mails are offered only where there is a mail server, each in a line of its own', async () => {
  const mails = async (hasMail: boolean) => {
    const { unmount } = renderApp(<AccountDialog onClose={() => undefined} first="preferences" />, {
      answers: { 'GET /api/user/preferences': { ...defaultChoices, screens: {}, hasMail } },
    })
    const group = await screen.findByRole('group', { name: 'Mails to you' })
    const lines = within(group).getAllByRole('listitem')
    const boxes = lines.flatMap((line) => within(line).getAllByRole<HTMLInputElement>('checkbox'))
    expect(boxes).toHaveLength(lines.length)
    expect(lines.length).toBeGreaterThan(1)
    const found = { disabled: boxes.map(({ disabled }) => disabled), text: group.textContent }
    unmount()
    return found
  }
  const withServer = await mails(true)
  expect(withServer.disabled).not.toContain(true)
  expect(withServer.text).toContain('are always sent')
  const without = await mails(false)
  expect(without.disabled).not.toContain(false)
  expect(without.text).toContain('No mail is sent: this gateway has no mail server.')
  expect(without.text).not.toContain('are always sent')
})

const key = {
  id: '1',
  name: 'Reports',
  scopes: ['records:read'],
  prefix: 'tgk_abc',
  createdAt: '2026-03-04T12:00:00Z',
  lastUsedAt: null,
  lastUsedAddress: null,
  lastUsedBy: null,
}

test('a new key is dropped only after a question, until it is copied', async () => {
  const onClose = vi.fn()
  renderApp(<AccountDialog onClose={onClose} />, {
    answers: {
      'GET /api/keys': [],
      'POST /api/keys': { ...key, key: 'tgk_abcdef' },
    },
  })
  await userEvent.click(await screen.findByRole('tab', { name: 'API keys' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Create key' }))
  await screen.findByText('tgk_abcdef')
  await userEvent.keyboard('{Escape}')
  await screen.findByText('Not copied yet. It is not shown again.')
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Copy API key' }))
  await screen.findByText('API key copied successfully')
  await userEvent.click(within(screen.getByRole('dialog')).getAllByRole('button', { name: 'Close' })[0]!)
  expect(onClose).toHaveBeenCalledTimes(1)
})

test('a new key that is deleted is shown no more, and nothing asks about it', async () => {
  let keys: readonly object[] = []
  const onClose = vi.fn()
  renderApp(<AccountDialog onClose={onClose} />, {
    answers: {
      'GET /api/keys': () => keys,
      'POST /api/keys': () => {
        keys = [key]
        return { ...key, key: 'tgk_abcdef' }
      },
      'DELETE /api/keys/1': () => {
        keys = []
        return {}
      },
    },
  })
  await userEvent.click(await screen.findByRole('tab', { name: 'API keys' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Create key' }))
  await screen.findByText('tgk_abcdef')
  await userEvent.click(await screen.findByRole('button', { name: 'Delete Reports' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }))
  await screen.findByText('No API keys yet')
  expect(screen.queryByText('tgk_abcdef')).toBeNull()
  await userEvent.click(within(screen.getByRole('dialog')).getAllByRole('button', { name: 'Close' })[0]!)
  expect(onClose).toHaveBeenCalledTimes(1)
})
