// What each role sees of every page: the sidebar of the specification, the page itself, or Access Denied. Spec §2, §6.
import type { Locator } from '@playwright/test'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { dashboard, expect, signIn, test, walkTo } from './harness.ts'

const everyone: readonly Role[] = ['test', 'user', 'support', 'admin']
const clients: readonly Role[] = ['user', 'support', 'admin']
const staff: readonly Role[] = ['support', 'admin']

interface Screen {
  readonly path: string
  readonly heading: string
  readonly roles: readonly Role[]
  /** Its label in the sidebar, if it has an entry. */
  readonly entry?: string
  /** The specification's text for a role without access. */
  readonly denied?: string
  /** Instead, for a role that can give the access. */
  readonly deniedToManagers?: string
}

const screens: readonly Screen[] = [
  { path: '/', heading: 'Dashboard', entry: 'Dashboard', roles: everyone },
  { path: '/sms-records', heading: 'SMS Records', entry: 'SMS Records', roles: everyone },
  { path: '/numbers', heading: 'Premium Numbers', entry: 'Premium Numbers', roles: everyone },
  { path: '/ranges', heading: 'Number Ranges', entry: 'Number Ranges', roles: clients },
  { path: '/number-requests', heading: 'Number Requests', entry: 'Number Requests', roles: clients },
  { path: '/payment', heading: 'Payment & Billing', entry: 'Payment', roles: clients },
  { path: '/numbers-management', heading: 'Numbers Management', entry: 'Numbers Management', roles: staff },
  { path: '/payment-management', heading: 'Payment Management', entry: 'Payment Management', roles: staff },
  { path: '/books', heading: 'Books', entry: 'Books', roles: staff },
  {
    path: '/users',
    heading: 'Users Management',
    entry: 'Users Management',
    roles: staff,
    denied: "You don't have permission to access user management.",
  },
  {
    path: '/interconnection-api',
    heading: 'Interconnection API',
    entry: 'Interconnection API',
    roles: staff,
  },
  {
    path: '/number-inventory',
    heading: 'Number Inventory Management',
    roles: staff,
    denied: 'Only admin and support users can access number inventory management.',
  },
  { path: '/smpp-control', heading: 'SMPP Control', entry: 'SMPP Control', roles: ['admin'] },
  { path: '/http-providers', heading: 'HTTP Providers', entry: 'HTTP Providers', roles: ['admin'] },
  { path: '/admin-settings', heading: 'Admin Settings', entry: 'Admin Settings', roles: ['admin'] },
  { path: '/audit-log', heading: 'Audit Log', roles: ['admin'] },
  {
    path: '/alerts',
    heading: 'Alerts',
    entry: 'Alerts',
    roles: staff,
    denied: "You don't have permission to see what is wrong with the gateway.",
  },
  // In the sidebar only of accounts that may bind.
  {
    path: '/smpp-traffic',
    heading: 'SMPP Traffic',
    roles: [],
    denied: 'Your account has no SMPP access. Ask support for it.',
    deniedToManagers: 'Your account has no SMPP access. Switch it on in Users Management.',
  },
  { path: '/number-stock', heading: 'Number Stock', roles: clients },
]

for (const role of everyone) {
  test(`the role ${role} finds its own pages in the sidebar, and Access Denied on the others`, async ({
    page,
    gateway,
  }) => {
    const { username } = await gateway.person(role)
    await signIn(page, gateway, username)
    await expect(dashboard(page)).toBeVisible()
    const entries = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    const words = (await entries.allInnerTexts()).map((text) => text.split('\n')[0])
    const own = screens.filter(({ entry, roles }) => entry !== undefined && roles.includes(role))
    expect(new Set(words)).toEqual(new Set(own.map(({ entry }) => entry)))
    expect(words).toHaveLength(own.length)
    const word = role.charAt(0).toUpperCase() + role.slice(1)
    await expect(page.getByText(`Logged in as: ${word}`)).toBeVisible()
    const typed = screens.find(({ entry, roles }) => entry === undefined || !roles.includes(role))?.path
    for (const { path, heading, roles, entry, denied, deniedToManagers } of screens) {
      const isAllowed = roles.includes(role)
      // Pages with an entry are opened by the sidebar, the others by their address: one as it is typed, the rest inside the
      // console.
      if (isAllowed && entry !== undefined)
        await entries.filter({ hasText: new RegExp(`^${entry}(\\d|$)`) }).click()
      else if (path === typed) await page.goto(`${gateway.url}${path}`)
      else await walkTo(page, path)
      await expect(
        page.getByRole('heading', { level: 1, name: isAllowed ? heading : 'Access Denied', exact: true }),
      ).toBeVisible()
      await expect(page.getByRole('alert')).toHaveCount(0)
      const why = (staff.includes(role) ? deniedToManagers : undefined) ?? denied
      if (!isAllowed && why !== undefined) await expect(page.getByText(why)).toBeVisible()
      if (isAllowed && entry !== undefined)
        await expect(entries.and(page.locator('[aria-current="page"]'))).toHaveText(new RegExp(`^${entry}`))
    }
  })
}

test('the test role finds nothing to add among its numbers, and no column of actions', async ({
  page,
  gateway,
}) => {
  const { username } = await gateway.person('test')
  await signIn(page, gateway, username, '/numbers')
  await expect(page.getByText('No account numbers found.')).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Actions' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Add Number' })).toHaveCount(0)
})

test('on a phone the title stands beside the menu, above the notices of the shell', async ({
  page,
  gateway,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username)
  await expect(page.getByText('Your account has no second factor')).toBeVisible()
  const topOf = async (locator: Locator) => (await locator.boundingBox())?.y ?? 0
  const title = await topOf(page.getByRole('heading', { level: 1, name: 'Dashboard' }))
  const menu = await page.getByRole('button', { name: 'menu' }).boundingBox()
  expect(title).toBeLessThan((menu?.y ?? 0) + (menu?.height ?? 0))
  expect(await topOf(page.getByText('Your account has no second factor'))).toBeGreaterThan(title)
})
