// The cases as staff read them, and nobody else.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sentence } from '@tollgate/contract/sentences.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { transaction } from '../platform/transaction.ts'
import { across } from './rules/across.ts'
import { saveCase } from './judge/case-store.ts'

const { db, call } = await openTestBilling()

async function found(client: number, day: string, senders: readonly string[]): Promise<void> {
  for (const sender of senders)
    await sql`insert into sender_days values (${client}, ${day}::date, 1, ${sender}, 3, 150000, 1::bit(144),
      ${`${day}T10:00:00Z`}, ${`${day}T11:00:00Z`}) on conflict do nothing`.execute(db)
  const words = [
    sentence('Senders that wrote to {clients} or more clients of this gateway on {day}: {senders}.', {
      clients: 5,
      day: { day },
      senders: senders.length,
    }),
  ]
  const facts = { senders: senders.length }
  const now = new Date(`${day}T12:00:00Z`)
  await transaction(db, (tx) =>
    saveCase(tx, {
      rule: across,
      versionId: 1,
      clientId: client,
      subject: '',
      day,
      level: 'hold',
      facts,
      words,
      senders,
      now,
      isEnforced: false,
    }),
  )
}

test('staff list cases, the newest first and page by page; clients see nothing of them', async () => {
  await found(1, '2026-03-01', ['447712345678', 'SHORT', '447712345699'])
  await found(2, '2026-03-02', ['447712345678'])
  const newest = await call(4, 'GET', '/api/integrity/cases?limit=1')
  expect(newest.body).toMatchObject([{ userId: 2, userName: 'u2', day: '2026-03-02', senderCount: 1 }])
  const [first] = (await call(4, 'GET', '/api/integrity/cases?userId=1')).body
  expect(first).toMatchObject({
    id: expect.any(String),
    rule: 'across',
    level: 'hold',
    state: 'dry',
    userId: 1,
    userName: 'u1',
    day: '2026-03-01',
    explanation: 'Senders that wrote to 5 or more clients of this gateway on 2026-03-01: 3.',
    explanationWords: [
      expect.objectContaining({ values: { clients: 5, day: { day: '2026-03-01' }, senders: 3 } }),
    ],
    senderCount: 3,
    messageCount: 9,
    amountUsd: '0.45',
    firstAt: '2026-03-01T10:00:00.000Z',
  })
  expect((await call(4, 'GET', '/api/integrity/cases?level=flag')).body).toEqual([])
  const ladder = await call(6, 'GET', `/api/integrity/cases/${first.id}/senders`)
  expect(ladder.body.map(({ sender, block }: Record<string, string>) => [sender, block])).toEqual([
    ['447712345678', '44771234'],
    ['447712345699', '44771234'],
    ['SHORT', 'SHORT'],
  ])
  expect(ladder.body[0]).toMatchObject({ messageCount: 3, amountUsd: '0.15' })
  expect((await call(4, 'GET', '/api/integrity/cases/999999/senders')).status).toBe(404)
  for (const path of ['/api/integrity/cases', `/api/integrity/cases/${first.id}/senders`])
    expect((await call(1, 'GET', path)).status).toBe(403)
})

test('decided cases are found by the day of their decision, in the zone of the reader', async () => {
  await found(3, '2026-03-10', ['447712340003'])
  await found(3, '2026-03-11', ['447712340003'])
  await sql`update integrity_cases set state = 'released', decision_reason = 'a vote', decided_at =
    case day when '2026-03-10' then timestamptz '2026-03-12T23:30:00Z' else '2026-03-14T10:00:00Z' end
    where client_id = 3`.execute(db)
  const daysOf = async (query: string) => {
    const { body } = await call(4, 'GET', `/api/integrity/cases?userId=3&${query}`)
    return body.map(({ day }: { day: string }) => day)
  }
  expect(await daysOf('state=released')).toEqual(['2026-03-11', '2026-03-10'])
  expect(await daysOf('decidedTo=2026-03-12')).toEqual(['2026-03-10'])
  expect(await daysOf('decidedTo=2026-03-12&zone=Asia/Jerusalem')).toEqual([])
  expect(await daysOf('decidedFrom=2026-03-13')).toEqual(['2026-03-11'])
  expect(await daysOf('decidedFrom=2026-03-13&decidedTo=2026-03-13&zone=Asia/Jerusalem')).toEqual([
    '2026-03-10',
  ])
})
