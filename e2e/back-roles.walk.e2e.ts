// Back, as each role: through its own pages, the pages of single objects, and all of their tabs. The pages of an admin are
// in back.walk.e2e.ts, and the objects of staff apart: a browser keeps fifty entries, and all together are more.
import { expect, type Page } from '@playwright/test'
import type { ObjectKind } from '../web/src/paths.ts'
import { goBackThrough, visitTabs, type Place } from './back-walk.ts'
import { test } from './demo.ts'
import { sidebar, walkTo } from './harness.ts'
import { objectFrom, settled } from './walk-rules.ts'

type ObjectOf = readonly [kind: ObjectKind, list: string, text?: string]

const range: ObjectOf = ['range', '/api/ranges']
const ofStaff: readonly ObjectOf[] = [
  ['person', '/api/users', '"client1"'],
  ['number', '/api/premium-numbers'],
  range,
  ['connection', '/api/smpp-connections', '"demo-backup"'],
  ['endpoint', '/api/endpoints'],
  ['bill', '/api/billing/all-periods?status=paid'],
]
const objects: Readonly<Record<string, readonly ObjectOf[]>> = {
  test: [],
  client1: [
    ['number', '/api/numbers'],
    range,
    ['endpoint', '/api/user/endpoints'],
    ['bill', '/api/billing/periods'],
  ],
  supplier1: [],
  // Those of staff have a test of their own.
  support: [],
}

async function visitPages(page: Page, visited: Place[]): Promise<void> {
  const links = sidebar(page).getByRole('link')
  for (const path of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')))
    await visitTabs(page, visited, async () => {
      await links.and(page.locator(`[href="${path}"]`)).click()
      await expect(page).toHaveURL((url) => url.pathname === path)
    })
}

async function visitObjects(page: Page, visited: Place[], own: readonly ObjectOf[]): Promise<void> {
  for (const [kind, list, text] of own) {
    const path = await objectFrom(page, kind, list, text)
    await visitTabs(page, visited, () => walkTo(page, path))
  }
}

for (const [username, own] of Object.entries(objects))
  test(`Back goes through all that ${username} may open`, async ({ page, demo }) => {
    await demo.signIn(page, username)
    await settled(page)
    const visited: Place[] = []
    await visitPages(page, visited)
    await visitObjects(page, visited, own)
    // A supplier's one page has no tabs.
    expect(visited.length).toBeGreaterThan(username === 'supplier1' ? 0 : own.length + 2)
    await goBackThrough(page, visited)
  })

for (const [username, own] of [
  ['support', ofStaff],
  ['admin', [...ofStaff, ['provider', '/api/providers']]],
] as const)
  test(`Back goes through the objects of ${username}`, async ({ page, demo }) => {
    await demo.signIn(page, username)
    await settled(page)
    const visited: Place[] = []
    await visitObjects(page, visited, own)
    expect(visited.length).toBeGreaterThan(20)
    await goBackThrough(page, visited)
  })
