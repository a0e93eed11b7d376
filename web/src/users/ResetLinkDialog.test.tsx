import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ResetLink } from '@tollgate/contract/users/password-resets.ts'
import { expect, test, vi } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { ResetLinkDialog } from './ResetLinkDialog.tsx'

const link: ResetLink = {
  id: 4,
  way: 'admin',
  state: 'open',
  requestedBy: 'admin',
  requestedAt: '2026-03-04T12:00:00Z',
  approvedBy: '',
  expiresAt: '2026-03-05T12:00:00Z',
}

test('a new link that is taken back is shown no more, and nothing asks about it', async () => {
  let links: readonly ResetLink[] = []
  const onClose = vi.fn()
  renderApp(
    <ResetLinkDialog user={{ ...admin, id: 7, username: 'client7', role: 'user' }} onClose={onClose} />,
    {
      answers: {
        'GET /api/users/7/reset-links': () => links,
        'POST /api/users/7/reset-links': () => {
          links = [link]
          return { ...link, path: '/reset#secret' }
        },
        'DELETE /api/users/7/reset-links/4': () => {
          links = [{ ...link, state: 'revoked' }]
          return links[0]
        },
      },
    },
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Create link' }))
  await screen.findByText(/#secret/)
  await userEvent.click(await screen.findByRole('button', { name: 'Take back' }))
  await screen.findByText('Taken back')
  await waitFor(() => expect(screen.queryByText(/#secret/)).toBeNull())
  await userEvent.click(within(screen.getByRole('dialog')).getAllByRole('button', { name: 'Close' })[0]!)
  expect(onClose).toHaveBeenCalledTimes(1)
})

test('of two calls that failed, the later one is told', async () => {
  const client = { ...admin, id: 7, username: 'client7', role: 'user' as const }
  renderApp(<ResetLinkDialog user={client} onClose={() => undefined} />, {
    answers: {
      'GET /api/users/7/reset-links': [{ ...link, state: 'waiting', requestedBy: 'admin2' }],
      'POST /api/users/7/reset-links': () => refusal(409, { code: 'conflict', message: 'Too many links.' }),
      'PUT /api/users/7/reset-links/4/approve': () =>
        refusal(409, { code: 'conflict', message: 'It has expired.' }),
    },
  })
  const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
  await press('Create link')
  expect(await screen.findByText('Too many links.')).toBeDefined()
  await press('Approve')
  expect(await screen.findByText('It has expired.')).toBeDefined()
  expect(screen.queryByText('Too many links.')).toBeNull()
  await press('Create link')
  expect(await screen.findByText('Too many links.')).toBeDefined()
  expect(screen.queryByText('It has expired.')).toBeNull()
})
