import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { AlertNotification } from '@tollgate/contract/alerts/alerts.ts'
import { expect, test } from 'vitest'
import { sent } from '../testing/api-stub.ts'
import { stubFeed } from '../testing/feed.ts'
import { renderApp } from '../testing/render.tsx'
import { NotificationsButton } from './NotificationsButton.tsx'

const notice: AlertNotification = {
  id: '9',
  at: '2026-11-20T12:00:00.000Z',
  event: 'opened',
  kind: 'connection',
  severity: 'critical',
  name: 'upstream1',
  what: 'Not connected after 1,200 attempts.',
  words: { what: [sentence('Not connected after {count} attempts.', { count: 1_200 })] },
  key: 'connection:1',
  isUnread: true,
}

test('the button counts what came over the feed, and what is shown by keyboard is read', async () => {
  const feed = stubFeed()
  let count = 0
  const { requests } = renderApp(<NotificationsButton />, {
    answers: {
      'GET /api/notifications/unread': () => ({ count }),
      'GET /api/notifications': () => [{ ...notice, isUnread: count > 0 }],
      'PUT /api/notifications/read': () => {
        count = 0
        return {}
      },
    },
  })
  await screen.findByRole('button', { name: 'Notifications' })
  count = 1
  feed.open()
  feed.send('notification', {})
  const button = await screen.findByRole('button', { name: 'Notifications, 1 unread' })
  button.focus()
  await userEvent.keyboard('{Enter}')
  await screen.findByText('Not connected after 1,200 attempts.')
  await expect.poll(() => sent(requests).map(({ body }) => body)).toEqual([{ upTo: '9' }])
  await userEvent.keyboard('{Escape}')
  await screen.findByRole('button', { name: 'Notifications' })
})
