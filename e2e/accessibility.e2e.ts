// Every page and every tab of it, full of the demo's rows, in light and dark, breaks no rule of accessibility, and is cut
// nowhere at the widths of laptops.
import { expect, type Locator, type Page } from '@playwright/test'
import { objectPath, objectPaths, paths, type ObjectKind } from '../web/src/paths.ts'
import { violationsOn } from './axe.ts'
import { test } from './demo.ts'
import { walkTo } from './harness.ts'
import { checkWidths } from './widths.ts'

// The frame around the pages is the same on all: the dashboard is checked with it.
const inside = 'main'

async function settled(page: Page): Promise<void> {
  await expect(page.locator('h1:not([data-left])')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

/** Goes to another page inside the console, and waits until it is complete. */
async function visit(page: Page, path: string): Promise<void> {
  await walkTo(page, path)
  await settled(page)
}

/** All rules and the widths. */
async function checkRules(page: Page): Promise<void> {
  expect.soft(await violationsOn(page, inside), page.url()).toEqual([])
  await checkWidths(page)
}

/** The same with the frame around the page. */
async function checkFrame(page: Page): Promise<void> {
  expect.soft(await violationsOn(page), page.url()).toEqual([])
  await checkWidths(page)
}

/** All rules and the widths for the page of one object, whose rows lead to other pages. */
async function checkObject(page: Page): Promise<void> {
  expect.soft(await violationsOn(page, inside), page.url()).toEqual([])
  await checkWidths(page, false)
}

/** Checks the page, and then each of its other tabs but those with these names. */
async function checkTabs(page: Page, known: readonly string[] = [], check = checkRules): Promise<void> {
  await check(page)
  const list = page.locator(inside).getByRole('tablist')
  if ((await list.count()) === 0) return
  const others = list.first().getByRole('tab', { selected: false })
  const ids = await others.evaluateAll(
    (tabs, skipped) => tabs.filter((tab) => !skipped.includes(tab.textContent ?? '')).map(({ id }) => id),
    known,
  )
  for (const id of ids) {
    const tab = page.locator(`[id="${id}"]`)
    await tab.click()
    await expect(tab).toHaveAttribute('aria-selected', 'true')
    await settled(page)
    await check(page)
  }
}

/** Checks the dialog that a button opens, and closes it. */
async function checkDialog(page: Page, opener: Locator): Promise<void> {
  await opener.click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await settled(page)
  expect.soft(await violationsOn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** The address of the page of a kind's first object in a list of the API that has this text in its row. */
async function objectFrom(page: Page, kind: ObjectKind, list: string, text = ''): Promise<string> {
  const answer = await page.request.get(new URL(list, page.url()).href)
  const rows = (await answer.json()) as readonly { id: number | string }[]
  const row = rows.find((one) => JSON.stringify(one).includes(text))
  if (row === undefined) throw new Error(`${list} has no row with ${text}`)
  return objectPath(kind, row.id)
}

const objects = (page: Page) =>
  Promise.all([
    objectFrom(page, 'person', '/api/users', '"client1"'),
    objectFrom(page, 'number', '/api/premium-numbers'),
    objectFrom(page, 'range', '/api/ranges'),
    objectFrom(page, 'connection', '/api/smpp-connections', '"demo-backup"'),
    objectFrom(page, 'provider', '/api/providers'),
    objectFrom(page, 'bill', '/api/billing/all-periods?status=paid'),
  ])

const { auth, dashboard: _, ...rest } = paths
const money = [paths.books, paths.paymentManagement, `${paths.books}?account=1`, paths.payment]
const links = [
  paths.interconnectionApi,
  paths.smppControl,
  paths.httpProviders,
  paths.webhooks,
  paths.trouble,
]
const others = Object.values(rest).filter((path) => ![...money, ...links].includes(path))
const phone = { width: 390, height: 844 }

test('the sign-in page breaks no rule, on a phone too', async ({ page, demo }) => {
  await page.goto(`${demo.url}${auth}`)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  expect(await violationsOn(page)).toEqual([])
  await page.setViewportSize(phone)
  expect(await violationsOn(page)).toEqual([])
})

for (const [name, group] of Object.entries({ money, links, 'people, numbers and records': others }))
  test(`no page of an admin about ${name} breaks a rule`, async ({ page, demo }) => {
    await demo.signIn(page, 'admin')
    await settled(page)
    for (const path of group) {
      await visit(page, path)
      await checkTabs(page, [], path === paths.home ? checkFrame : checkRules)
    }
  })

test('no page of one object breaks a rule', async ({ page, demo }) => {
  await demo.signIn(page, 'admin')
  await settled(page)
  const addresses = await objects(page)
  expect(addresses).toHaveLength(Object.keys(objectPaths).length)
  for (const [index, path] of addresses.entries()) {
    await visit(page, path)
    // The same on every object.
    await checkTabs(page, index === 0 ? [] : ['Notes', 'History'], checkObject)
  }
})

test('the bell, the alert rule and the preferences break no rule', async ({ page, demo }) => {
  await demo.signIn(page, 'admin', `${paths.trouble}?tab=rules`)
  await settled(page)
  await checkDialog(page, page.getByRole('button', { name: /^Alerts/ }))
  await checkDialog(page, page.getByRole('button', { name: 'Add Rule' }).first())
  await page
    .getByRole('button', { name: /account/i })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Preferences' }).click()
  await settled(page)
  expect(await violationsOn(page)).toEqual([])
})

test('no page of a client breaks a rule, wide and on a phone', async ({ page, demo }) => {
  await demo.signIn(page, 'client1')
  await settled(page)
  const own = [paths.home, paths.numbers, paths.payment, paths.records, paths.numberStock]
  const bill = await objectFrom(page, 'bill', '/api/billing/periods')
  for (const path of [...own, bill]) {
    await visit(page, path)
    await checkTabs(page)
  }
  await page.setViewportSize(phone)
  for (const path of [bill, ...own.toReversed()]) {
    await visit(page, path)
    expect.soft(await violationsOn(page, path === bill ? 'body' : inside), `${path} on a phone`).toEqual([])
  }
})

for (const role of ['support', 'supplier1', 'test'])
  test(`no page of ${role} is cut at 1280 and 1440 px`, async ({ page, demo }) => {
    await demo.signIn(page, role)
    await settled(page)
    for (const path of [paths.home, ...Object.values(rest)]) {
      await visit(page, path)
      // What the role may not open says so in one line.
      if ((await page.getByText('Access Denied').count()) === 0) await checkTabs(page, [], checkWidths)
    }
  })

test('no page breaks a rule from right to left', async ({ page, demo }) => {
  await demo.signIn(page, 'support')
  await settled(page)
  const kept = page.waitForURL('**')
  await page.request.patch(`${demo.url}/api/user/preferences`, {
    headers: { origin: demo.url },
    data: { language: 'he' },
  })
  await kept
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await settled(page)
  for (const path of [paths.home, paths.records, paths.users, paths.trouble, paths.paymentManagement]) {
    await visit(page, path)
    expect
      .soft(await violationsOn(page, path === paths.home ? 'body' : inside), `${path} in Hebrew`)
      .toEqual([])
  }
})
