// Schedule and validity of a message, over HTTP.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openTestEndpoints } from '../../test/traffic/endpoints.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openReceiver } from '../../test/stand-ins/receiver.ts'
import { transaction } from '../platform/transaction.ts'
import { parseMessageId } from '../ingest/index.ts'
import { expireDeliveries } from './index.ts'

const { db, add, sms, timedSms, clear, deliveries } = await openTestEndpoints()

beforeEach(clear)

const hourMs = 3_600_000

test('a scheduled message is delivered at its time, others meanwhile', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  const later = await timedSms({ deliverAtMs: Date.now() + hourMs, expiresAtMs: undefined })
  const now = await sms()
  await receiver.until(1)
  expect(receiver.received[0]?.body.data.id).toBe(now)
  const waiting = (await deliveries(endpoint.id)).find(
    ({ recordId }: { recordId: string }) => recordId === later,
  )
  expect(waiting).toMatchObject({ status: 'pending', attempts: 0 })
  expect(Date.parse(waiting.nextAttempt)).toBeGreaterThan(Date.now() + hourMs / 2)
  await sql`update endpoint_deliveries set next_attempt_at = clock_timestamp()
    where record_id = ${parseMessageId(later)?.recordId}`.execute(db)
  await receiver.until(2)
  expect(receiver.received[1]?.body.data.id).toBe(later)
})

test('what waits for its next attempt is given up when its validity ends', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  receiver.always({ status: 503 })
  const id = await timedSms({ deliverAtMs: undefined, expiresAtMs: Date.now() + hourMs })
  await receiver.until(1)
  await eventually(async () =>
    expect(await deliveries(endpoint.id)).toMatchObject([{ lastAttempt: expect.any(String) }]),
  )
  await transaction(db, (tx) => expireDeliveries(tx, [parseMessageId(id)!]))
  expect(await deliveries(endpoint.id)).toMatchObject([
    { recordId: id, status: 'failed', error: 'Its validity period is over.', nextAttempt: null },
  ])
})
