import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderApp } from '../testing/render.tsx'
import { OwnNotificationsButton } from './OwnNotificationsButton.tsx'

test('a price that changes is told with its number, several that change alike with their count', async () => {
  const price = {
    kind: 'price',
    at: '2026-11-19T14:00:00.000Z',
    startsAt: '2026-11-30T00:00:00.000Z',
    before: '0.05',
    usdPerSms: '0.045',
    number: '449098790142',
  }
  renderApp(<OwnNotificationsButton />, {
    answers: {
      'GET /api/notifications/own': [
        { ...price, count: 1 },
        { ...price, before: '0.06', count: 1_200 },
      ],
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: /^Notifications/ }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Notifications' }))
  const lines = (await dialog.findAllByRole('listitem')).map(({ textContent }) => textContent)
  expect(lines).toEqual([
    expect.stringContaining('0.050 USD → 0.045 USD per SMS from 30/11/2026 (unread)+44 909 879 0142'),
    expect.stringContaining('0.060 USD → 0.045 USD per SMS from 30/11/2026 (unread)1,200 numbers'),
  ])
  expect(dialog.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/numbers',
    '/numbers',
  ])
  // What was shown is read.
  await userEvent.keyboard('{Escape}')
  await userEvent.click(await screen.findByRole('button', { name: 'Notifications' }))
  expect(await screen.findAllByRole('listitem')).toHaveLength(2)
  expect(screen.queryByText('(unread)')).toBeNull()
})
