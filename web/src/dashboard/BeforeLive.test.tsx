import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Setup } from '@tollgate/contract/alerts/alerts.ts'
import { expect, test, vi } from 'vitest'
import { renderApp } from '../testing/render.tsx'
import { BeforeLive } from './BeforeLive.tsx'

const setup: Setup = {
  adminCount: 1,
  hasChainNode: true,
  hasMail: false,
  lastBackupAt: null,
  backupCommand: 'tollgate backup',
  smppHost: '127.0.0.1',
  isSmppPublic: false,
  hasSmppTls: false,
  ruleCount: 0,
  newcomerDays: 0,
}
function open(answer: Setup) {
  const onEnd = vi.fn<() => void>()
  renderApp(<BeforeLive onEnd={onEnd} />, { answers: { 'GET /api/setup': answer } })
  return onEnd
}

test('what production needs is read from the gateway, and each line says where it is done', async () => {
  const onEnd = open(setup)
  await screen.findByText('Mail')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'A second admin: to doUsers Management',
    'A node for the chain: done',
    'Mail: to doStart with SMTP_URL',
    'A backup: to dotollgate backup',
    'A public SMPP host, not 127.0.0.1: to doAdmin Settings',
    'An alert rule: to doAlerts',
    'A wait before newcomers are paid: to doAdmin Settings',
  ])
  expect(screen.getByRole('link', { name: 'Alerts' }).getAttribute('href')).toBe('/alerts?tab=rules')
  expect(onEnd).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Do not show this list again' }))
  expect(onEnd).toHaveBeenCalledOnce()
})

test('a database server of your own is backed up by its own tools, and a list that is done goes', async () => {
  const { lastBackupAt: _, ...rest } = setup
  const done = {
    ...rest,
    adminCount: 2,
    hasMail: true,
    isSmppPublic: true,
    hasSmppTls: true,
    ruleCount: 1,
    newcomerDays: 30,
  }
  const onEnd = open(done)
  await waitFor(() => expect(onEnd).toHaveBeenCalledOnce())
  expect(screen.queryByText('Before you go live')).toBeNull()
})
