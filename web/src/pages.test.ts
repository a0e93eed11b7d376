import { permissions, roles, type Role } from '@tollgate/contract/vocabulary.ts'
import { expect, test } from 'vitest'
import { navGroups } from './nav.ts'
import { pages } from './pages.tsx'
import { paths } from './paths.ts'

// Spec §2: the table of the sidebar.
const everyone: readonly Role[] = ['test', 'user', 'support', 'admin']
const clients: readonly Role[] = ['user', 'support', 'admin']
const staff: readonly Role[] = ['support', 'admin']
const visibleTo: Record<string, readonly Role[]> = {
  [paths.home]: everyone,
  [paths.smppControl]: ['admin'],
  // Not of the specification: whoever may bind sees here what it sent.
  [paths.smppTraffic]: everyone,
  [paths.httpProviders]: ['admin'],
  [paths.records]: everyone,
  [paths.numbers]: everyone,
  [paths.ranges]: clients,
  [paths.numberRequests]: clients,
  [paths.numbersManagement]: staff,
  [paths.payment]: clients,
  [paths.paymentManagement]: staff,
  [paths.users]: staff,
  [paths.interconnectionApi]: staff,
  [paths.adminSettings]: ['admin'],
  // Not of the specification: staff see here what is refused.
  [paths.alerts]: staff,
  // Nor this: what stands beside the payments.
  [paths.books]: staff,
}

test("the sidebar holds exactly the specification's entries", () => {
  const listed = navGroups.flatMap((group) => group.rows.map((row) => row.path))
  expect(listed.toSorted()).toEqual(Object.keys(visibleTo).toSorted())
})

test.each(pages.filter((page) => page.path in visibleTo).map((page) => [page.path, page] as const))(
  '%s is for the roles that the specification names',
  (path, page) => {
    const allowed = roles.filter((role) => (permissions[page.permission] as readonly Role[]).includes(role))
    expect(allowed.toSorted()).toEqual([...(visibleTo[path] ?? [])].toSorted())
  },
)

test('no two pages stand at one address', () => {
  const addresses = pages.map((page) => page.path)
  expect(new Set(addresses).size).toBe(addresses.length)
})
