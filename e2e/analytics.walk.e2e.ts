import { makeEarner } from './earner.ts'
import { expect, signIn, test } from './harness.ts'

test('Analytics groups the messages of a client, on a phone as cards, and leads to them', async ({
  page,
  gateway,
}) => {
  // Its own price: another test of this gateway may change everybody's.
  const { client, ownPriced: number } = await makeEarner(gateway)
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, gateway, client.username, '/?tab=analytics&by=number&andBy=day')
  const card = page
    .getByRole('list', { name: 'By Number and Day' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: new RegExp(`${number.slice(-4)},`) }) })
  await expect(card).toContainText('1.00 USD')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await card.getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1, name: 'SMS Records' })).toBeVisible()
  await expect(page.getByText('VOTE 7').or(page.getByText('Total Records')).first()).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`number=${number}`))
})
