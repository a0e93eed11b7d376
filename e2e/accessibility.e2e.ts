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
  '/payment?tab=account',
  '/payment-management',
  '/payment-management?tab=history',
  '/payment-management?tab=runs',
  '/payment-management?tab=transfers',
  '/payment-management?tab=aging',
  '/books',
  '/books?account=1',
  '/books?tab=accruals',
  '/books?tab=journal',
  '/books?tab=margin',
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
  '/webhooks',
  '/number-stock',
  '/users/1',
  '/users/1?tab=money',
  '/users/1?tab=access',
  '/users/1?tab=notes',
  '/users/1?tab=history',
  '/numbers/1',
  '/numbers/1?tab=traffic',
  '/ranges/1',
]

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
// Dark shows the same elements in other colours, so only the rules about colours can give another answer.
const colourRules = ['color-contrast', 'link-in-text-block']

/** One line for each violation, in light and then in dark: the rule and the first element. */
async function violationsOn(page: Page): Promise<string[]> {
  const lines: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
    // Legacy mode runs axe in the page itself. No page has frames, and it takes a quarter less time than a second page.
    const axe = new AxeBuilder({ page }).setLegacyMode()
    const chosen = colorScheme === 'light' ? axe.withTags(rules) : axe.withRules(colourRules)
    const { violations } = await chosen.analyze()
    lines.push(...violations.map(({ id, nodes }) => `${colorScheme}, ${id}: ${nodes[0]?.html ?? ''}`))
  }
  return lines
}

test('the sign-in page and every page of an admin break no rule of accessibility', async ({
  page,
  gateway,
}) => {
  // The time limit grows with the number of pages.
  test.setTimeout(paths.length * 30_000)
  await page.goto(`${gateway.url}/auth`)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  expect(await violationsOn(page)).toEqual([])
  const { id } = await gateway.api<{ id: string }>('POST', '/api/premium-numbers', { number: '449098790151' })
  await signInAsAdmin(page, gateway)
  for (const path of paths) {
    await page.goto(`${gateway.url}${path.replace('/numbers/1', `/numbers/${id}`)}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    expect.soft(await violationsOn(page), path).toEqual([])
  }
})
