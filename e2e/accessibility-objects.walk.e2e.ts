// The pages of single objects, dialogs and menus break no rule of accessibility, in light and dark.
import { expect, type Page } from '@playwright/test'
import { objectPaths, paths } from '../web/src/paths.ts'
import { violationsOn } from './axe.ts'
import { test } from './demo.ts'
import { checkDialog, checkObject, checkTabs, objectFrom, settled, visit } from './walk-rules.ts'

const objects = (page: Page) =>
  Promise.all([
    objectFrom(page, 'person', '/api/users', '"client1"'),
    objectFrom(page, 'number', '/api/premium-numbers'),
    objectFrom(page, 'range', '/api/ranges'),
    objectFrom(page, 'connection', '/api/smpp-connections', '"demo-backup"'),
    objectFrom(page, 'provider', '/api/providers'),
    objectFrom(page, 'endpoint', '/api/endpoints'),
    objectFrom(page, 'bill', '/api/billing/all-periods?status=paid'),
  ])

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

test('the notifications, the alert rule and the preferences break no rule', async ({ page, demo }) => {
  await demo.signIn(page, 'admin', `${paths.alerts}?tab=rules`)
  await settled(page)
  await checkDialog(page, page.getByRole('button', { name: /^Notifications/ }))
  await checkDialog(page, page.getByRole('button', { name: 'Add Rule' }).first())
  await page.getByRole('button', { name: 'your account' }).click()
  expect(await violationsOn(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Language and preferences' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await settled(page)
  expect(await violationsOn(page)).toEqual([])
})
