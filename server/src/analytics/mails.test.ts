// Views of Analytics by mail: when, what, and that nobody gets more than the person may see.
import { beforeAll, expect, test } from 'vitest'
import { fillRecords } from '../../test/traffic/fill.ts'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import type { Mail } from '../mail/index.ts'
import { summariseRecords } from '../records/read/totals.ts'
import { deleteMail, keepMail, listMails, nextAfter, periodBefore, sendMails } from './mails.ts'

const { db, pool } = await openTestDatabase()
// A Wednesday.
const clock = fixedClock('2026-03-04T12:20:00Z')
const reading = { db, clock }
const client = { userId: 1, role: 'user' } as const

const all: Parameters<Mail['enqueueEncrypted']>[1][] = []
// The tests run in any order, and another one has mails of its own.
const queued = () => all.filter(({ recipient }) => recipient === 'client1@example.com')
const mail: Pick<Mail, 'enqueueEncrypted'> = {
  async enqueueEncrypted(_, queuing) {
    all.push(queuing)
    return 1
  },
}
const send = () => sendMails({ reading, mail, consoleUrl: undefined }, new AbortController().signal)

beforeAll(() =>
  fillRecords(pool, { records: 2_000, days: 12, now: clock.now(), clients: 3, numbers: 9, ranges: 3 }),
)

test('the periods that are over: yesterday, the week to Sunday, the month before', () => {
  const now = new Date('2026-03-04T12:20:00Z')
  expect(nextAfter(now, 'day')).toBe('2026-03-05')
  expect(nextAfter(now, 'week')).toBe('2026-03-09')
  expect(nextAfter(new Date('2026-03-09T00:00:00Z'), 'week')).toBe('2026-03-16')
  expect(nextAfter(new Date('2026-12-31T23:59:00Z'), 'month')).toBe('2027-01-01')
  expect(periodBefore('2026-03-05', 'day')).toEqual({ dateFrom: '2026-03-04', dateTo: '2026-03-04' })
  expect(periodBefore('2026-03-09', 'week')).toEqual({ dateFrom: '2026-03-02', dateTo: '2026-03-08' })
  expect(periodBefore('2026-03-01', 'month')).toEqual({ dateFrom: '2026-02-01', dateTo: '2026-02-28' })
})

test('a view is mailed once when its day has come, with what its owner may see', async () => {
  await keepMail(reading, client, { name: 'By range', every: 'day', look: { by: 'range', andBy: 'gateway' } })
  await send()
  expect(queued()).toEqual([])
  clock.set('2026-03-05T00:00:30Z')
  await Promise.all([send(), send()])
  await send()
  expect(queued()).toHaveLength(1)
  const day = { dateFrom: '2026-03-04', dateTo: '2026-03-04' }
  const { count } = await summariseRecords(reading, client, day)
  expect(count).toBeGreaterThan(0)
  expect(queued()[0]).toMatchObject({ recipient: 'client1@example.com', subject: 'Analytics: By range' })
  expect(queued()[0]?.body).toContain(`Total: ${count} messages`)
  expect(queued()[0]?.body).toContain('Supplier ')
  expect((await listMails(db, 1, true)).mails).toMatchObject([{ name: 'By range', nextOn: '2026-03-06' }])
})

test('a view of the same name takes its place, twenty are the most, and only its owner removes it', async () => {
  const keep = (name: string, every: 'day' | 'week' = 'week') =>
    keepMail(reading, { userId: 2, role: 'user' }, { name, every, look: { by: 'day' } })
  for (let nth = 0; nth < 20; nth += 1) await keep(`View ${nth}`)
  await expect(keep('One more')).rejects.toThrow('At most 20')
  await keep('View 3', 'day')
  const { mails } = await listMails(db, 2, true)
  expect(mails).toHaveLength(20)
  expect(mails.find(({ name }) => name === 'View 3')?.every).toBe('day')
  await expect(deleteMail(db, 1, mails[0]?.id ?? '')).rejects.toThrow('not mailed')
  await deleteMail(db, 2, mails[0]?.id ?? '')
  expect((await listMails(db, 2, true)).mails).toHaveLength(19)
})

test('what cannot be counted is refused at once', async () => {
  await expect(
    keepMail(reading, client, { name: 'x', every: 'day', look: { by: 'number', andBy: 'status' } }),
  ).rejects.toThrow('without states')
})
