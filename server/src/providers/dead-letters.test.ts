// Rows that cannot become records: their reasons, replay and dismissal.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestProviders } from '../../test/traffic/providers.ts'

const { environment, call, db, standIn, add, sms, recordsAre, anotherPoll } = await openTestProviders()

test('rows that cannot become records wait with their reason, and the rest of the page is stored', async () => {
  standIn.rows = [
    sms({ number: '+999000111222' }),
    sms({ number: 'call me' }),
    sms({ timestamp: 'yesterday' }),
    sms({ timestamp: new Date(Date.now() + 86_400_000).toISOString() }),
    sms({ sender: 'x'.repeat(65) }),
    sms({ text: { a: 1 } }),
    'a row',
    null,
    sms(),
  ]
  standIn.heedsSince = false
  const { id } = await add()
  await recordsAre(1)
  const { body } = await call('GET', `/api/providers/${id}/dead-letters`)
  expect(body.map(({ reason }: { reason: string }) => reason).toSorted()).toEqual([
    'bad_field',
    'bad_field',
    'bad_number',
    'bad_timestamp',
    'bad_timestamp',
    'not_a_row',
    'not_a_row',
    'unknown_number',
  ])
  expect(JSON.stringify(body)).not.toContain('hello')
  await anotherPoll()
  const again = await call('GET', `/api/providers/${id}/dead-letters?reason=unknown_number`)
  expect(again.body).toMatchObject([{ number: '+999000111222', tries: 1 }])
  const { body: oldestFirst } = await call('GET', `/api/providers/${id}/dead-letters?order=asc`)
  expect(oldestFirst).toEqual(body.toReversed())
  const csv = await call('GET', `/api/providers/${id}/dead-letters/export?reason=unknown_number`)
  expect(csv.text).not.toContain('hello')
  const [head, line, end] = csv.text.split('\r\n')
  expect(head).toBe('ID,Came,Reason,Explanation,Their ID,Number,Timestamp,Tries,Last Tried')
  expect(line).toContain(',unknown_number,Its number is none of ours.,')
  expect(line).toContain(',+999000111222,')
  expect(end).toBe('')
  expect(await environment.worker(id)).toMatchObject({ status: 'running', deadLetters: 8, messagesSynced: 1 })
})

test('a waiting row becomes a record once its number exists: by a replay, or when the provider repeats it', async () => {
  standIn.rows = [sms({ number: '+447111000001', text: 'secret one' }), sms({ number: '+447111000002' })]
  const { id } = await add()
  await eventually(async () => expect((await environment.worker(id)).deadLetters).toBe(2))
  standIn.rows = []
  await environment.addNumber('447111000001')
  const { body: deadLetters } = await call('GET', `/api/providers/${id}/dead-letters`)
  const deadLetter = deadLetters.find(({ number }: { number: string }) => number === '+447111000001')
  const shown = await call('GET', `/api/providers/${id}/dead-letters/${deadLetter.id}`)
  expect(JSON.parse(shown.body.row)).toMatchObject({ text: 'secret one' })
  const path = `/api/providers/${id}/dead-letters/${deadLetter.id}/replay`
  const both = await Promise.all([call('POST', path), call('POST', path)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
  expect(await environment.records()).toMatchObject([{ number: '447111000001' }])

  const all = await call('POST', `/api/providers/${id}/dead-letters/replay`, {})
  expect(all.body).toEqual({ stored: 0, failed: 1 })
  await environment.addNumber('447111000002')
  // As after one of 10,000.
  const dueAt = (at: string) => sql`update providers set replay_due_at = ${at} where id = ${id}`.execute(db)
  await dueAt(new Date(Date.now() + 10_000).toISOString())
  expect(await call('POST', `/api/providers/${id}/dead-letters/replay`, {})).toMatchObject({
    status: 429,
    body: { code: 'too_many' },
  })
  await dueAt('-infinity')
  expect((await call('POST', `/api/providers/${id}/dead-letters/replay`, {})).body).toEqual({
    stored: 1,
    failed: 0,
  })
  expect(await environment.records()).toHaveLength(2)
  expect(await environment.worker(id)).toMatchObject({ deadLetters: 0, messagesSynced: 2 })

  const fixed = sms({ number: '+447111000003' })
  standIn.rows = [fixed]
  await eventually(async () => expect((await environment.worker(id)).deadLetters).toBe(1))
  await environment.addNumber('447111000003')
  await recordsAre(3)
  expect((await environment.worker(id)).deadLetters).toBe(0)
})

test('a dismissed row does not come again', async () => {
  standIn.rows = [sms({ number: '+447111999999' })]
  const { id } = await add()
  await eventually(async () => expect((await environment.worker(id)).deadLetters).toBe(1))
  const [deadLetter] = (await call('GET', `/api/providers/${id}/dead-letters`)).body
  expect((await call('DELETE', `/api/providers/${id}/dead-letters/${deadLetter.id}`)).status).toBe(200)
  await environment.addNumber('447111999999')
  await anotherPoll()
  expect((await environment.worker(id)).deadLetters).toBe(0)
  expect(await environment.records()).toHaveLength(0)
  expect((await call('DELETE', `/api/providers/${id}/dead-letters/${deadLetter.id}`)).status).toBe(404)
})
