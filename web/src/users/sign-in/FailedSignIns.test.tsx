import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { LoginSession } from '@tollgate/contract/users/sessions.ts'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '../../testing/render.tsx'
import { FailedSignIns } from './FailedSignIns.tsx'

const session: LoginSession = {
  id: 'a'.repeat(32),
  device: 'Firefox on Linux',
  address: '198.51.100.7',
  createdAt: '2026-11-20T10:00:00.000Z',
  lastSeenAt: '2026-11-20T10:00:00.000Z',
  isCurrent: true,
  failuresBefore: { count: 12, lastAt: '2026-11-20T09:00:00.000Z', lastAddress: '203.0.113.9' },
}
const show = (failuresBefore: LoginSession['failuresBefore']) =>
  renderApp(<FailedSignIns />, { answers: { 'GET /api/user/sessions': [{ ...session, failuresBefore }] } })

beforeEach(() => localStorage.clear())

test('failed sign-ins are reported once, with the last one’s address', async () => {
  const { unmount } = show(session.failuresBefore)
  await screen.findByText('12 failed sign-ins since your last one')
  expect(screen.getByText(/203\.0\.113\.9/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Understood' }))
  expect(screen.queryByText(/failed sign-ins/)).toBeNull()
  unmount()
  const { requests } = show(session.failuresBefore)
  await expect.poll(() => requests.some(({ path }) => path === '/api/user/sessions')).toBe(true)
  expect(screen.queryByText(/failed sign-ins/)).toBeNull()
})

test('later ones are reported again', async () => {
  localStorage.setItem('tollgate.failed-sign-ins-seen', JSON.stringify(session.failuresBefore?.lastAt))
  show({ count: 1, lastAt: '2026-11-21T09:00:00.000Z', lastAddress: '203.0.113.9' })
  await screen.findByText('A failed sign-in since your last one')
})
