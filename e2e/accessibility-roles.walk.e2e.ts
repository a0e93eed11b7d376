// The pages as other roles see them, on a phone and from right to left, break no rule of accessibility and are not cut.
import { expect } from '@playwright/test'
import { paths } from '../web/src/paths.ts'
import { violationsOn } from './axe.ts'
import { test } from './demo.ts'
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
