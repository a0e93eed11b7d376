// Back leads through every page of the console and each of its tabs, in the reverse order, to where one was.
import { paths } from '../web/src/paths.ts'
import { goBackThrough, visitTabs, type Place } from './back-walk.ts'
import { expect, sidebar, signInAsAdmin, test } from './harness.ts'

// `home` and `dashboard` are one page, `auth` is no page of a signed-in person, and the admin may not bind.
const left: ReadonlySet<string> = new Set([paths.dashboard, paths.auth, paths.smppTraffic])
const addresses = Object.values(paths).filter((path) => !left.has(path))

test('Back goes through all pages and tabs to where one was', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway)
  const links = sidebar(page).getByRole('link')
  const visited: Place[] = []
  for (const address of addresses)
    await visitTabs(page, visited, async () => {
      const link = links.and(page.locator(`[href="${address}"]`))
      if ((await link.count()) === 1) await link.click()
      else await page.goto(`${gateway.url}${address}`)
      await expect(page).toHaveURL((url) => url.pathname === address)
    })
  expect(visited.length).toBeGreaterThan(addresses.length + 15)
  await goBackThrough(page, visited)
})

test('Back from another page leads to the list with its filters', async ({ page, gateway }) => {
  await gateway.api('POST', '/api/premium-numbers', { number: '449098790881' })
  await gateway.api('POST', '/api/simulator/messages', { from: 'Test', to: '449098790881', text: 'Hello' })
  await signInAsAdmin(page, gateway, '/sms-records')
  await page.getByLabel('Date From').fill('2020-01-01')
  await expect(page.getByText('Not searched yet')).toBeVisible()
  await page.getByRole('button', { name: 'Search Query' }).click()
  await expect(page.getByText('Not searched yet')).toHaveCount(0)
  const filtered = page.url()
  expect(filtered).toContain('dateFrom=2020-01-01')
  const numbers = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Premium Numbers' })
  await numbers.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Premium Numbers' })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(filtered)
  await expect(page.getByLabel('Date From')).toHaveValue('01/01/2020')
  await expect(page.getByRole('cell', { name: /^\+44 909 879 0881\s*Test$/ })).toBeVisible()
})

test('Back, a link and the end of the tab ask before they drop what was typed', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway, '/numbers-management')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'Admin Settings' }).click()
  const rate = page.getByLabel('New rate (USD per SMS)')
  await rate.fill('0.07')
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  const leaves = [
    () => page.evaluate(() => history.back()),
    () => navigation.getByRole('link', { name: 'SMS Records' }).click(),
  ]
  for (const leave of leaves) {
    await leave()
    await question.getByRole('button', { name: 'Stay' }).click()
    await expect(question).toHaveCount(0)
    await expect(page).toHaveURL(/\/admin-settings/)
    await expect(rate).toHaveValue('0.07')
  }
  const nextDialog = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const warning = await nextDialog
  expect(warning.type()).toBe('beforeunload')
  await warning.dismiss()

  await page.evaluate(() => history.back())
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL(/\/numbers-management/)
  // A dialog too: the page below it would go away.
  await page.getByRole('button', { name: 'Add Number' }).first().click()
  await page.getByRole('dialog').getByLabel('Operator').fill('typed')
  await page.evaluate(() => history.forward())
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(page.getByRole('dialog').getByLabel('Operator')).toHaveValue('typed')
})
