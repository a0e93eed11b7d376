import type { Role } from '@tollgate/contract/vocabulary.ts'
import type { Actor } from '../http/handlers.ts'
import { expect, test } from 'vitest'
import { readStatus } from './status.ts'

const link = {
  id: '7',
  name: 'iprn-east',
  status: 'error' as const,
  errorCode: 14,
  errorText: 'Invalid Password',
  attempts: 41,
  lastAttempt: '2026-03-04T12:00:00.000Z',
}

const links = [{ ...link, id: '6', status: 'connected' as const }, link]

const ledger = { balanced: true, imbalance: '0.00', parkedCount: 0, checkedAt: '2026-03-04T12:00:00.000Z' }

function statusFor(role: Role) {
  return readStatus(
    {
      cluster: async () => ({
        bindCount: 9,
        recordCount: '900',
        numberCount: 90,
        assignedCount: 80,
        smppStartedAt: null,
      }),
      own: async () => ({ bindCount: 1, recordCount: '2', numberCount: 3 }),
      ledgerState: async () => ledger,
      messages: {
        pace: () => ({ messagesLastMinute: 60, messagesPerSecond: 1, acceptP50Ms: 2, acceptP99Ms: 4 }),
      },
      outboundLinks: async () => links,
      isListening: () => true,
      port: () => 2775,
      hasTls: () => false,
    },
    { role, userId: 7, username: 'u7' } as Actor,
  )
}

test.each(['admin', 'support'] as const)('%s sees which link fails and why', async (role) => {
  expect((await statusFor(role)).outbound).toEqual({ failing: true, connections: links })
})

test.each(['user', 'test'] as const)(
  '%s sees that a link fails, but not which, why, of how many, or how often it was tried',
  async (role) => {
    expect((await statusFor(role)).outbound).toEqual({
      failing: true,
      connections: [
        { id: '', name: '', status: 'error', errorCode: null, errorText: '', attempts: 0, lastAttempt: null },
      ],
    })
  },
)

test('whether there is a TLS port is said', async () => {
  expect((await statusFor('support')).server).toMatchObject({ hasTls: false })
})

test('staff read the figures of the whole gateway, others their own', async () => {
  const staff = await statusFor('support')
  expect([staff.server.connections, staff.cdr.records, staff.cdr.numbers, staff.cdr.assigned]).toEqual([
    9, 900, 90, 80,
  ])
  expect([staff.cdr.messagesPerSecond, staff.cdr.acceptP50Ms, staff.ledger]).toEqual([1, 2, ledger])
  for (const role of ['user', 'test'] as const) {
    const own = await statusFor(role)
    expect([own.server.connections, own.cdr.records, own.cdr.numbers, own.cdr.assigned]).toEqual([1, 2, 3, 3])
    expect([own.cdr.messagesPerSecond, own.cdr.acceptP50Ms, own.ledger]).toEqual([undefined, null, undefined])
  }
})
