// The pages as other roles see them, on a phone and from right to left, break no rule of accessibility and are not cut.
import { expect } from '@playwright/test'
import { paths } from '../web/src/paths.ts'
import { violationsOn } from './axe.ts'
import { test } from './demo.ts'
import { sidebar } from './harness.ts'
import { checkWidths, phone } from './widths.ts'
import { checkTabs, inside, objectFrom, settled, visit } from './walk-rules.ts'

const { auth: _, dashboard: _dashboard, ...rest } = paths

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
    for (const path of Object.values(rest)) {
      await visit(page, path)
      // What the role may not open says so in one line.
      if ((await page.getByText('Access Denied').count()) === 0) await checkTabs(page, [], checkWidths)
    }
  })

interface Moved extends PerformanceEntry {
  readonly value: number
  readonly hadRecentInput: boolean
}

for (const role of ['admin', 'support', 'client1', 'supplier1'])
  test(`no page of ${role} moves while it loads on a phone, or is overloaded`, async ({ page, demo }) => {
    await page.addInitScript(() => {
      const seen = window as unknown as { moved: number }
      seen.moved = 0
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries() as Moved[])
          if (!hadRecentInput) seen.moved += value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.setViewportSize(phone)
    await demo.signIn(page, role)
    let tabCount = 0
    for (const path of Object.values(rest)) {
      await page.goto(`${demo.url}${path}`)
      await settled(page)
      // Rows stand still while messages come.
      if (path === paths.records && role === 'admin')
        await expect(page.getByRole('button', { name: /^\d+ new$/ })).toBeVisible()
      // Above 0.1 a layout needs improvement, by the Core Web Vitals.
      const moved = await page.evaluate(() => (window as unknown as { moved: number }).moved)
      expect.soft(moved, `layout shift of ${path}`).toBeLessThanOrEqual(0.1)
      const strip = page.locator('main [data-figures]').first()
      expect.soft(await strip.locator('dt').count(), `figures of ${path}`).toBeLessThanOrEqual(4)
      tabCount += await page.getByRole('main').getByRole('tab').count()
    }
    expect(tabCount, 'tabs of all pages').toBeLessThanOrEqual(24)
    await page.setViewportSize({ width: 1440, height: 900 })
    await visit(page, paths.home)
    expect(await sidebar(page).getByRole('link').count()).toBeLessThanOrEqual(15)
    await visit(page, paths.records)
    const buttons = page.locator('main').getByRole('button').filter({ visible: true })
    expect(await buttons.count(), 'buttons of SMS Records').toBeLessThanOrEqual(40)
  })

test('no page breaks a rule from right to left', async ({ page, demo }) => {
  await demo.signIn(page, 'support')
  await settled(page)
  const choose = (language: 'en' | 'he') =>
    page.request.patch(`${demo.url}/api/user/preferences`, {
      headers: { origin: demo.url },
      data: { language },
    })
  const kept = page.waitForURL('**')
  await choose('he')
  await kept
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await settled(page)
  for (const path of [paths.home, paths.records, paths.users, paths.alerts, paths.paymentManagement]) {
    await visit(page, path)
    expect
      .soft(await violationsOn(page, path === paths.home ? 'body' : inside), `${path} in Hebrew`)
      .toEqual([])
  }
  await choose('en')
})
