import { defaultChoices } from '@tollgate/contract/users/preferences.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row } from '../../platform/db.ts'
import { openPeople } from '../../../test/people/people.ts'

const { api, db, person } = await openPeople()
const path = '/api/user/preferences'

test('what one person chooses is theirs alone, and what is not named stays', async () => {
  const [{ cookie }, other] = [await person('user'), await person('user')]
  expect((await api.call('GET', path, { cookie })).body).toEqual({
    ...defaultChoices,
    screens: {},
    // These people have no mail server.
    hasMail: false,
  })
  const first = await api.call('PATCH', path, {
    cookie,
    body: { timeZone: 'Asia/Jerusalem', language: 'he' },
  })
  expect(first.body).toMatchObject({ timeZone: 'Asia/Jerusalem', language: 'he', theme: 'system' })
  await api.call('PATCH', path, { cookie, body: { theme: 'dark', mutedMails: ['bills'] } })
  expect((await api.call('GET', path, { cookie })).body).toMatchObject({
    language: 'he',
    timeZone: 'Asia/Jerusalem',
    theme: 'dark',
    mutedMails: ['bills'],
  })
  expect((await api.call('GET', path, { cookie: other.cookie })).body).toMatchObject(defaultChoices)
})

test.each([
  { timeZone: 'Mars/Olympus' },
  { language: 'xx' },
  { mutedMails: ['passwords'] },
  { colour: 'red' },
])('%j is refused by its field', async (body) => {
  const { cookie } = await person('user')
  const { status, body: answer } = await api.call('PATCH', path, { cookie, body })
  expect(status).toBe(400)
  expect(Object.keys(answer.fields).join()).toContain(Object.keys(body)[0])
})

test('the settings of a screen are kept and forgotten, and nobody keeps more than 200', async () => {
  const { id, cookie } = await person('user')
  const keep = (name: string, value: string) =>
    api.call('PUT', `${path}/screens/${name}`, { cookie, body: { value } })
  expect((await keep('views.sms-records', '[1]')).status).toBe(200)
  await keep('table.users', '{}')
  await keep('table.users', '')
  expect((await api.call('GET', path, { cookie })).body.screens).toEqual({ 'views.sms-records': '[1]' })
  await sql`insert into screen_settings select ${id}, 'table.t' || i, '{}' from generate_series(1, 199) i`.execute(
    db,
  )
  expect((await keep('views.other', '[]')).status).toBe(409)
  expect((await keep('views.sms-records', '[2]')).status).toBe(200)
  expect((await keep('Views', '[]')).status).toBe(404)
})

test('only mails that are not muted are wanted', async () => {
  const { id, cookie } = await person('user')
  const isSubscribed = async (kind: string) =>
    (await row<{ isSubscribed: boolean }>(db, sql`select wants_mail(${id}, ${kind}) as "isSubscribed"`))
      ?.isSubscribed
  expect(await isSubscribed('bills')).toBe(true)
  await api.call('PATCH', path, { cookie, body: { mutedMails: ['bills'] } })
  expect([await isSubscribed('bills'), await isSubscribed('payments')]).toEqual([false, true])
})
