import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { createTestAudit } from '../../../test/people/audit.ts'
import { fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { ensureFirstAdmin } from './first-admin.ts'
import { createPasswords } from '../accounts/passwords.ts'

const { db } = await openTestDatabase()
const parts = { db, audit: createTestAudit({ db, clock: fixedClock() }), passwords: createPasswords() }

const people = () =>
  rows<{ username: string; role: string; password_hash: string; must_change_password: boolean }>(
    db,
    sql`select username, role, password_hash, must_change_password from users order by id`,
  )

beforeEach(async () => {
  await sql`delete from users`.execute(db)
})

test('without an operator’s choice an admin is made with a random password', async () => {
  const first = await ensureFirstAdmin(parts, undefined)
  expect(first).toEqual({
    username: 'admin',
    generatedPassword: expect.stringMatching(/^[a-zA-Z2-9]{20}$/),
    weakness: undefined,
  })
  const [admin] = await people()
  // It was printed, so others may have read it.
  expect(admin).toMatchObject({ username: 'admin', role: 'admin', must_change_password: true })
  expect(
    await parts.passwords.inTurn((hasher) => hasher.verify(admin?.password_hash, first!.generatedPassword!)),
  ).toBe(true)
  expect(await ensureFirstAdmin(parts, undefined)).toBeUndefined()
})

test('the operator’s admin is made as chosen; a weak password is accepted with a warning', async () => {
  const first = await ensureFirstAdmin(parts, { username: 'owner', password: 'short' })
  expect(first).toEqual({
    username: 'owner',
    generatedPassword: undefined,
    weakness: 'Password must be at least 12 characters',
  })
  expect(await people()).toMatchObject([{ username: 'owner', role: 'admin', must_change_password: false }])
})

test('nodes that start together make one admin', async () => {
  const made = await Promise.all(
    Array.from({ length: 5 }, () =>
      ensureFirstAdmin(parts, { username: 'owner', password: 'a fine long password' }),
    ),
  )
  expect(made.filter((admin) => admin !== undefined)).toHaveLength(1)
  expect(await people()).toHaveLength(1)
})

test('a username that belongs to a user stops the start with one line', async () => {
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('Owner', '', 'A', 'B', 'x', 'user')`.execute(db)
  const attempt = ensureFirstAdmin(parts, { username: 'owner', password: 'a fine long password' })
  await expect(attempt).rejects.toThrow('ADMIN_USERNAME=owner belongs to an account that is not an admin')
})
