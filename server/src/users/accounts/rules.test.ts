import { expect, test } from 'vitest'
import { englishOf } from '@tollgate/contract/sentences.ts'
import { roles, type Role } from '@tollgate/contract/vocabulary.ts'
import { commonPasswords } from './common-passwords.ts'
import { passwordFault, refuseAdminTarget, refuseNewRole, refuseRoleChange } from './rules.ts'

const faultOf = (...args: Parameters<typeof passwordFault>) => {
  const fault = passwordFault(...args)
  return fault && englishOf(fault)
}

const longEnough: Record<Role, number> = { test: 6, user: 6, support: 12, admin: 12 }

test.each(roles)('a password of %s may be as short as the role allows and not shorter', (role) => {
  const password = (length: number) => 'qlwiekrjth01234567'.slice(0, length)
  const minLength = longEnough[role]
  expect(faultOf(password(minLength), role, 'anna')).toBeUndefined()
  expect(faultOf(password(minLength - 1), role, 'anna')).toBe(
    `Password must be at least ${minLength} characters`,
  )
})

test('characters are counted as people see them', () => {
  expect(faultOf('\u{1F600}\u{1F601}\u{1F602}', 'user', 'anna')).toMatch('at least 6')
})

test('common passwords are refused whatever their case and the spaces around them', () => {
  // OWASP ASVS 5.0, 6.2.4: the first 3,000 of those that are long enough.
  expect([...commonPasswords].filter((password) => password.length >= 6).length).toBeGreaterThan(3_000)
  for (const password of [
    '123456',
    'Password123',
    ' qwerty ',
    'zzzzzzzz',
    'abcabcabc',
    '87654321',
    'Phoenix',
    'Tollgate1',
  ])
    expect(faultOf(password, 'user', 'anna')).toMatch('first that attackers try')
  expect(faultOf('PasswordPassword', 'admin', 'anna')).toMatch('first that attackers try')
})

const target = (role: Role, status: 'active' | 'inactive' | 'suspended' = 'active') => ({
  id: 7,
  role,
  status,
})
const admin = { userId: 1, role: 'admin' } as const
const support = { userId: 2, role: 'support' } as const

test('only admins choose roles', () => {
  for (const role of roles) {
    expect(() => refuseNewRole(admin, role)).not.toThrow()
    if (role !== 'user') expect(() => refuseNewRole(support, role)).toThrow('Only an admin')
    if (role !== 'user')
      expect(() => refuseRoleChange(support, target('user'), { role, status: 'active' }, 2)).toThrow(
        'Only an admin',
      )
  }
  expect(() => refuseNewRole(support, 'user')).not.toThrow()
})

test("support keeps away from admins' accounts", () => {
  expect(() => refuseAdminTarget(support, { role: 'admin' })).toThrow("Only an admin can change an admin's")
  expect(() => refuseAdminTarget(support, { role: 'support' })).not.toThrow()
  expect(() =>
    refuseRoleChange(support, target('admin'), { role: 'admin', status: 'suspended' }, 2),
  ).toThrow()
})

test('nobody changes their own role or suspends themselves', () => {
  const self = { userId: 7, role: 'admin' } as const
  const change = (role: Role, status: 'active' | 'inactive' | 'suspended') => () =>
    refuseRoleChange(self, target('admin'), { role, status }, 5)
  expect(change('support', 'active')).toThrow('your own role')
  expect(change('admin', 'inactive')).toThrow('your own account')
  expect(change('admin', 'suspended')).toThrow('your own account')
  expect(change('admin', 'active')).not.toThrow()
})

test('the last active admin stays, an inactive one may go', () => {
  const change = (role: Role, status: 'active' | 'suspended', admins: number) => () =>
    refuseRoleChange(admin, target('admin'), { role, status }, admins)
  expect(change('user', 'active', 1)).toThrow('last active admin')
  expect(change('admin', 'suspended', 1)).toThrow('last active admin')
  expect(change('user', 'active', 2)).not.toThrow()
  expect(() =>
    refuseRoleChange(admin, target('admin', 'suspended'), { role: 'user', status: 'suspended' }, 1),
  ).not.toThrow()
})
