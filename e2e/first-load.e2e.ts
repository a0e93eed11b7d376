// What a browser really fetches for the first screen, until it is at rest: also what scripts ask for once they run.
import type { Page } from '@playwright/test'
import { dashboard, expect, signIn, test } from './harness.ts'

/** The bytes of all scripts as they were sent, once none has come for a second and a half. */
async function scriptBytes(page: Page): Promise<number> {
  const scripts = () =>
    page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => /\.js(\?|$)/.test(name))
        .map(({ name, encodedBodySize }) => [name.replace(/.*\//, ''), encodedBodySize] as const),
    )
  let found = await scripts()
  for (;;) {
    await page.waitForTimeout(1_500)
    const next = await scripts()
    if (next.length === found.length) break
    found = next
  }
  if (process.env['SHOW_FIGURES'] !== undefined)
    for (const [name, bytes] of found) console.log(String(bytes).padStart(7), name)
  return found.reduce((sum, [, bytes]) => sum + bytes, 0)
}

test('a visitor loads at most 150 kB of script', async ({ page, gateway }) => {
  await page.goto(`${gateway.url}/auth`)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  const bytes = await scriptBytes(page)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(150_000)
})

for (const role of ['admin', 'user'] as const)
  test(`the dashboard of a signed-in ${role} loads at most 200 kB of script`, async ({ page, gateway }) => {
    const { username } = await gateway.person(role)
    await signIn(page, gateway, username)
    await expect(dashboard(page)).toBeVisible()
    const bytes = await scriptBytes(page)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(200_000)
  })
