import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import type { Db } from '../platform/db.ts'
import type { OutgoingAnswer } from '../platform/security/egress.ts'
import { testSecrets } from '../ingest/testing/traffic.ts'
import { readingOf } from './mapping.ts'
import { createPollLimits } from './poll-limits.ts'
import { RecentRows } from './recent-rows.ts'
import { ProviderWalk, type WalkParts } from './walk.ts'

/** The longest time that others wait for a turn while this work is done, and the time of all of it. */
async function pausesOf(work: Promise<unknown>): Promise<{ longestMs: number; wholeMs: number }> {
  const beganMs = performance.now()
  let [isOver, longestMs, lastMs] = [false, 0, beganMs]
  void work.finally(() => (isOver = true))
  while (!isOver) {
    await turn()
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
  }
  return { longestMs, wholeMs: performance.now() - beganMs }
}

test('a page of very many rows without ids keeps nobody else waiting for long', async () => {
  const rows = Array.from({ length: 200_000 }, (_, place) => ({
    timestamp: '2026-03-04T11:00:00Z',
    number: '447700900123',
    text: String(place),
  }))
  const body = Buffer.from(JSON.stringify({ records: rows }))
  const answer: OutgoingAnswer = { status: 200, headers: new Headers(), body }
  const parts: WalkParts = {
    // No database: the walk ends where the first rows are to be stored.
    db: {} as Db,
    egress: { call: async () => answer },
    messages: {} as WalkParts['messages'],
    secrets: testSecrets,
    providerId: 1,
    version: 1,
    gatewayId: 1,
    source: { apiUrl: 'https://example.org/', authType: 'bearer', username: '', secret: '' },
    reading: readingOf({ mapping: {}, timeZone: 'UTC' }),
    earlier: [],
    limits: createPollLimits(),
    lease: { name: 'provider', token: '1' },
    recent: new RecentRows(),
    isProbing: false,
    signal: new AbortController().signal,
    onStored: () => undefined,
  }
  const progress = { walkSince: null, walkNewest: null, cursor: null, isPartial: false, newest: null }
  // A collection of garbage, or a pause of the machine, may spoil one walk.
  await eventually(async () => {
    const walk = new ProviderWalk(parts, progress, { since: new Date(0), resumes: false })
    const outcome = walk.run().catch((error: unknown) => error)
    const { longestMs, wholeMs } = await pausesOf(outcome)
    expect(await outcome).toMatchObject({ message: 'This handle was not opened by platform/db.ts' })
    expect(longestMs).toBeLessThan(wholeMs / 5)
  })
})
