import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { makeBusiness } from '../../ingest/testing/traffic.ts'
import { addUnanswered, findUnanswered, type UnansweredRecord } from './store.ts'

const { db } = await openTestDatabase({ maxConnections: 4 })
await makeBusiness(db, { clients: 1, numbers: 1 })

test('nodes that note the same lost answers at once in other orders do not wait for each other', async () => {
  const peer = { kind: 'account', id: 1 } as const
  const lost = Array.from({ length: 2_000 }, (_, n): UnansweredRecord => ({
    peer,
    recordId: n + 1,
    createdAtMs: Date.now(),
    fingerprint: n.toString(16).padStart(32, '0'),
    atMs: Date.now(),
  }))
  await Promise.all([lost, lost.toReversed(), lost, lost.toReversed()].map((each) => addUnanswered(db, each)))
  expect(await findUnanswered(db, peer, 60_000)).toHaveLength(2_000)
})
