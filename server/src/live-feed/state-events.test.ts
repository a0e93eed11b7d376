import { expect, test } from 'vitest'
import { messageIdOf } from '../ingest/message-id.ts'
import { completedEvent, isInAudience } from './state-events.ts'

test('the event of a long message goes to its client and to staff, without numbers', () => {
  const createdAtMs = Date.UTC(2026, 10, 24)
  const event = completedEvent({
    id: 5,
    numberId: 1,
    gatewayId: 1,
    clientId: 7,
    sender: '447700900318',
    reference: 17,
    total: 3,
    recordIds: [8_192, 8_193, null],
    createdAtsMs: [createdAtMs, createdAtMs, null],
    lastAtMs: createdAtMs,
    isEnded: true,
  })
  expect(event).toMatchObject({
    kind: 'message-completed',
    payload: {
      id: '5',
      messageId: messageIdOf({ createdAtMs, recordId: 8_192 }),
      state: 'incomplete',
      total: 3,
      reference: 17,
    },
  })
  expect(JSON.stringify(event.payload)).not.toContain('447700900318')
  const sees = (userId: number, role: 'user' | 'test' | 'support') =>
    isInAudience(event.audience, { userId, role })
  expect([sees(7, 'test'), sees(8, 'user'), sees(9, 'support')]).toEqual([true, false, true])
})
