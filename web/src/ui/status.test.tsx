import { render, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { StatusBadge } from './Badge.tsx'
import { statusKinds, statusLook, type StatusKind } from './status.ts'

const rows: readonly [StatusKind, string, string, string, string][] = [
  ['record', 'completed', 'ok', 'check', 'Completed'],
  ['record', 'reported', 'ok', 'dcheck', 'Reported'],
  ['record', 'in_progress', 'info', 'half', 'In Progress'],
  ['record', 'No Report', 'warn', 'dash', 'No Report'],
  ['record', 'expired', 'idle', 'minus', 'Expired'],
  ['activity', 'delivered', 'ok', 'check', 'Delivered'],
  ['account', 'suspended', 'bad', 'pause', 'Suspended'],
  ['billing', 'pending', 'info', 'half', 'Pending'],
  ['billing', 'sent_to_support', 'warn', 'sent', 'Sent to Support'],
  ['billingManagement', 'sent_to_support', 'warn', 'sent', 'Ready for Payment'],
  ['currentBill', 'sent_to_support', 'warn', 'sent', 'Bill Sent to Support'],
  ['payment', 'pending', 'warn', 'ring', 'Pending'],
  ['paymentCheck', 'unverified', 'idle', 'dash', 'unverified'],
  ['numberRequest', 'pending', 'warn', 'ring', 'Under review'],
  ['numberRequest', 'approved', 'info', 'half', 'Approved - Number being assigned'],
  ['connection', 'Authentication Failed', 'bad', 'x', 'Authentication Failed'],
  ['worker', 'stopped', 'idle', 'pause', 'Stopped'],
  ['worker', 'dozing', 'idle', 'dash', 'Unknown'],
  ['inventory', 'assigned', 'info', 'half', 'Assigned'],
  ['payout', 'reversed', 'bad', 'x', 'Reversed'],
  ['gateway', 'offline', 'bad', 'x', 'Offline'],
]

test.each(rows)('%s %s is %s, %s, "%s"', (kind, word, tone, icon, label) =>
  expect(statusLook(kind, word)).toEqual({ tone, icon, label }),
)

describe('badges', () => {
  test('carry shape and label, so that colour is not needed', () => {
    const { container } = render(<StatusBadge kind="record" status="failed" />)
    expect(screen.getByText('Failed')).toBeDefined()
    expect(container.querySelector('[data-status-icon="x"]')).not.toBeNull()
  })

  test('never take an inherited property for a state', () => {
    for (const kind of statusKinds) expect(statusLook(kind, 'constructor').label).not.toContain('function')
  })
})
