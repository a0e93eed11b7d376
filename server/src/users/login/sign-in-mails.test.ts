import { sql, type RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'
import { rows, type Db } from '../../platform/db.ts'
import { mailOwners } from './sign-in-mails.ts'

/** People whose owners' mails are kept instead of sent. */
async function openMailbox() {
  const { api, clock, db, person, newAddress } = await openPeople()
  const queued = new Map<string, { recipient: string; subject: string; body: string }>()
  const mail = {
    async enqueue(tx: Db, mails: RawBuilder<unknown>) {
      const found = await rows<{ event_key: string; recipient: string; subject: string; body: string }>(
        tx,
        sql`select * from (${mails}) mails`,
      )
      for (const { event_key: key, ...one } of found) if (!queued.has(key)) queued.set(key, one)
      return found.length
    },
  }
  return {
    clock,
    person,
    newAddress,
    mailOwners: () => mailOwners(db, clock, mail),
    mailsTo: (username: string) => [...queued.values()].filter(({ body }) => body.includes(` ${username} `)),
    attempt: (username: string, password: string, ip: string) =>
      api.call('POST', '/api/login', {
        body: { username, password },
        ip,
        headers: { 'user-agent': 'Firefox/128' },
      }),
  }
}

test('an owner gets a mail about a new device, at most once an hour; not about the first or a known one', async () => {
  const { clock, person, mailOwners, mailsTo, attempt } = await openMailbox()
  const ada = await person('user')
  await mailOwners()
  expect(mailsTo(ada.username)).toEqual([])
  clock.advance(60_000)
  await attempt(ada.username, ada.password, '203.0.113.7')
  await attempt(ada.username, ada.password, '203.0.113.8')
  await mailOwners()
  await mailOwners()
  await attempt(ada.username, ada.password, '203.0.113.9')
  await mailOwners()
  expect(mailsTo(ada.username)).toHaveLength(1)
  expect(mailsTo(ada.username)[0]?.body).toMatch(
    /Time: 2026-03-04 12:01 UTC\nAddress: 203\.0\.113\.[78]\nProgram: Firefox/,
  )
  clock.advance(3_600_000)
  await attempt(ada.username, ada.password, '203.0.113.10')
  await mailOwners()
  expect(mailsTo(ada.username)).toHaveLength(2)
})

test('an owner gets a mail about many failures at most once an hour, and none about few', async () => {
  const { clock, person, newAddress, mailOwners, mailsTo, attempt } = await openMailbox()
  const ada = await person('user')
  const fail = async (count: number) => {
    for (let index = 0; index < count; index += 1) await attempt(ada.username, 'wrong', newAddress())
  }
  await fail(9)
  await mailOwners()
  expect(mailsTo(ada.username)).toEqual([])
  await fail(1)
  await mailOwners()
  await fail(1)
  await mailOwners()
  expect(mailsTo(ada.username)).toHaveLength(1)
  expect(mailsTo(ada.username)[0]?.body).toContain('10 sign-ins to your account')
  clock.advance(3_600_001)
  await fail(1)
  await mailOwners()
  expect(mailsTo(ada.username)).toHaveLength(2)
})
