import type { Role } from '@tollgate/contract/vocabulary.ts'
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

function statusFor(role: Role) {
  return readStatus(
    {
      cluster: async () => ({
        bindCount: 0,
        recordCount: '0',
        numberCount: 0,
        assignedCount: 0,
        smppStartedAt: null,
      }),
      messages: {
        pace: () => ({ messagesLastMinute: 0, messagesPerSecond: 0, acceptP50Ms: 0, acceptP99Ms: 0 }),
      },
      outboundLinks: async () => [link],
      isListening: () => true,
      port: () => 2775,
      hasTls: () => false,
    },
    role,
  )
}

test.each(['admin', 'support'] as const)('%s sees which link fails and why', async (role) => {
  expect((await statusFor(role)).outbound).toEqual({ failing: true, connections: [link] })
})

test.each(['user', 'test'] as const)('%s sees that a link fails, but not which and why', async (role) => {
  expect((await statusFor(role)).outbound).toEqual({
    failing: true,
    connections: [{ ...link, id: '', name: '', errorCode: null, errorText: '' }],
  })
})

test('whether there is a TLS port is said', async () => {
  expect((await statusFor('support')).server).toMatchObject({ hasTls: false })
})
