import { sql, type RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { rows, type Db } from '../../platform/db.ts'
import { openPeople } from '../../../test/people/people.ts'
import { noteChange } from './note-change.ts'

const { audit, clock, db, person } = await openPeople()

interface QueuedMail {
  readonly recipient: string
  readonly subject: string
  readonly body: string
}

test('the owner gets a mail about a change, with its time and address', async () => {
  const ada = await person('user')
  const queued: QueuedMail[] = []
  const mail = {
    async enqueue(tx: Db, mails: RawBuilder<unknown>) {
      queued.push(...(await rows<QueuedMail>(tx, sql`select * from (${mails}) mails`)))
      return queued.length
    },
  }
  const actor = { userId: ada.id, username: ada.username }
  await noteChange({ clock, audit, mail }, db, 'passkey.add', ada.id, { actor, ip: '203.0.113.7' })
  await noteChange({ clock, audit, mail }, db, 'second-factor.remove', ada.id, { actor, ip: '' })
  await noteChange({ clock, audit }, db, 'totp.add', ada.id, { actor, ip: '203.0.113.7' })
  expect(queued).toHaveLength(2)
  expect(queued[0]?.recipient).toMatch(/@example\.org$/)
  expect(queued[0]?.body).toContain(`A passkey was added to your account ${ada.username}.`)
  expect(queued[0]?.body).toContain('Time: 2026-03-04 12:00 UTC\nAddress: 203.0.113.7')
  expect(queued[1]?.body).toContain('Address: the operator')
})
