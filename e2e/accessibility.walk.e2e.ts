// Every page and every tab of it, full of the demo's rows, in light and dark, breaks no rule of accessibility, and is cut
// nowhere at the widths of laptops. The objects' pages and other roles are in files of their own.
import { expect } from '@playwright/test'
import { paths } from '../web/src/paths.ts'
import { violationsOn } from './axe.ts'
import { test } from './demo.ts'
import { phone } from './widths.ts'
import { checkFrame, checkRules, checkTabs, settled, visit } from './walk-rules.ts'

const { auth, dashboard: _, ...rest } = paths
const money = [paths.books, paths.paymentManagement, `${paths.books}?account=1`, paths.payment]
const links = [paths.interconnectionApi, paths.smppControl, paths.httpProviders, paths.webhooks, paths.alerts]
const numbers = Object.values(rest).filter((path) => /number|range/.test(path))
const others = Object.values(rest).filter((path) => ![...money, ...links, ...numbers].includes(path))

test('the sign-in page breaks no rule, on a phone too', async ({ page, demo }) => {
  await page.goto(`${demo.url}${auth}`)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  expect(await violationsOn(page)).toEqual([])
  await page.setViewportSize(phone)
  expect(await violationsOn(page)).toEqual([])
})

for (const [name, group] of Object.entries({ money, links, numbers, 'people, records and the rest': others }))
  test(`no page of an admin about ${name} breaks a rule`, async ({ page, demo }) => {
    await demo.signIn(page, 'admin')
    await settled(page)
    for (const path of group) {
      await visit(page, path)
      await checkTabs(page, [], path === paths.home ? checkFrame : checkRules)
    }
  })
