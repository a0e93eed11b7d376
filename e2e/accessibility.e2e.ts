// Checks every page, in light and dark, against the rules of WCAG 2.2 AA that a program can check.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, signInAsAdmin, test } from './harness.ts'

const paths = [
  '/',
  '/sms-records',
  '/ranges',
  '/numbers',
  '/number-requests',
  '/numbers-management',
  '/number-inventory',
  '/payment',
  '/payment?tab=billing',
  '/payment-management',
  '/payment-management?tab=history',
  '/users',
  '/interconnection-api',
  '/interconnection-api?tab=endpoints',
  '/interconnection-api?tab=monitoring',
  '/smpp-control',
  '/smpp-control?tab=connections',
  '/smpp-control?tab=monitoring',
  '/http-providers',
  '/http-providers?tab=workers',
  '/http-providers?tab=statistics',
  '/admin-settings',
  '/admin-settings?tab=settings',
  '/audit-log',
]
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** One line for each violation: the rule and the first element. */
async function violationsOn(page: Page): Promise<string[]> {
  // Legacy mode runs axe in the page itself. No page has frames, and it takes a quarter less time than a second page.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().withTags(rules).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the sign-in page and every page of an admin break no rule of accessibility, ${colorScheme}`, async ({
    page,
    gateway,
  }) => {
    // The time limit grows with the number of pages.
    test.setTimeout(paths.length * 15_000)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto(`${gateway.url}/auth`)
    await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
    expect(await violationsOn(page)).toEqual([])
    await gateway.api('POST', '/api/premium-numbers', {
      number: colorScheme === 'light' ? '449098790151' : '449098790152',
    })
    await signInAsAdmin(page, gateway)
    for (const path of paths) {
      await page.goto(`${gateway.url}${path}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      expect.soft(await violationsOn(page), path).toEqual([])
    }
  })
}
