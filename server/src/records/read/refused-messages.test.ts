import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { afterUse, fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { makeBusiness, makeIngest } from '../../ingest/testing/traffic.ts'
import { rows } from '../../platform/db.ts'
import { listRefusedMessages } from './refused-messages.ts'

const now = new Date('2026-03-04T14:05:20Z')
const clock = fixedClock(now)

async function open() {
  const { db } = await openTestDatabase()
  await makeBusiness(db, { clients: 1, numbers: 1 })
  const ingest = await makeIngest(db, { clock })
  afterUse(() => ingest.stop())
  const acme = await ingest.gatewayId('smpp', 'acme', 1)
  const other = await ingest.gatewayId('provider', 'other')
  const list = (filters: Parameters<typeof listRefusedMessages>[1]) =>
    listRefusedMessages({ db, clock }, filters)
  const found = async (filters: Parameters<typeof list>[0]) =>
    (await list(filters)).map(({ number }) => number.slice(-3)).toSorted()
  return { db, ingest, acme, other, list, found }
}

test('refused messages are found by time, sender, number and supplier, alike ones as one', async () => {
  const { ingest, acme, other, list, found } = await open()
  const unknown = { digits: '447700900873', gatewayId: acme, sender: '447700900318' }
  for (let sent = 0; sent < 3; sent += 1) ingest.refuse(unknown, 'unknown', 0x0b)
  // It is not counted by its destination, and found by it all the same.
  const throttled = { digits: '', gatewayId: acme, destination: '447700900874', sender: 'ACME' }
  ingest.refuse(throttled, 'throttled', 0x58)
  ingest.refuse({ digits: '447700900875', gatewayId: other, sender: '49151' }, 'suspended')
  await expect.poll(() => found({})).toEqual(['873', '874', '875'])
  expect(await list({ sender: '4477' })).toEqual([
    {
      at: '2026-03-04T14:05:00.000Z',
      lastAt: now.toISOString(),
      count: 3,
      number: '447700900873',
      sender: '447700900318',
      gateway: 'acme',
      reason: 'unknown',
      status: 0x0b,
      statusText: expect.stringMatching(/destination/i),
    },
  ])
  for (const [filters, numbers] of [
    [{ sender: 'acme' }, ['874']],
    [{ search: '+44 7700 900875' }, ['875']],
    [{ number: '00447700900874' }, ['874']],
    [{ gateway: 'other' }, ['875']],
    [{ time: '14:10', within: 5 }, ['873', '874', '875']],
    [{ time: '16:10', within: 5, zone: 'Asia/Jerusalem', gateway: 'other' }, ['875']],
    [{ time: '14:20', within: 5 }, []],
    [{ dateFrom: '2026-03-05' }, []],
    [{ hour: '2026-03-04T14', gateway: 'acme' }, ['873', '874']],
  ] as const)
    expect([filters, await found(filters)]).toEqual([filters, numbers])
})

test('the flood of one supplier leaves room for the messages of another', async () => {
  const { db, ingest, acme, other, found } = await open()
  for (let number = 0; number < 800; number += 1)
    ingest.refuse({ digits: `3312345${String(number).padStart(4, '0')}`, gatewayId: acme }, 'unknown', 0x0b)
  ingest.refuse({ digits: '3398', gatewayId: other }, 'unknown')
  await expect.poll(() => found({ search: '3398' })).toEqual(['398'])
  const kept = await rows(db, sql`select from refused_messages where gateway_id = ${acme}`)
  expect(kept).toHaveLength(500)
})
