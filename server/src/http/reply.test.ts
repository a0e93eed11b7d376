import { expect, test } from 'vitest'
import { toReply } from './reply.ts'

test('a row is answered in camelCase, with times in ISO 8601 and amounts as decimal strings', () => {
  const at = new Date('2026-01-02T03:04:05.678Z')
  const found = {
    user_id: 7,
    held_from: at,
    held_to: null as Date | null,
    due_micro: '-1500000',
    sms_count: '3',
  }
  expect(toReply(found)).toEqual({
    userId: 7,
    heldFrom: '2026-01-02T03:04:05.678Z',
    heldTo: null,
    due: '-1.50',
    smsCount: '3',
  })
})

test('an amount that is missing stays missing, and one of six decimals keeps them', () => {
  expect(toReply({ price_micro: '1234567', cap_micro: null, total_micro: 20_000n })).toEqual({
    price: '1.234567',
    cap: null,
    total: '0.02',
  })
})
