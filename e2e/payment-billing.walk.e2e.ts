// A client's money by hand: the address, the live period, the bill down to its records, and the statement.
import { readFile } from 'node:fs/promises'
import { expect, signIn, test } from './harness.ts'
import { makeEarner, shortCycles, someAddress } from './earner.ts'

test.use(shortCycles)

test('a client gives an address, watches the period, and opens the bill down to its records', async ({
  page,
  gateway,
}) => {
  const { client, number } = await makeEarner(gateway)
  await signIn(page, gateway, client.username)
  await page.getByRole('navigation').getByRole('link', { name: 'Payment', exact: true }).click()
  await page.getByLabel('Full Name').fill('Clara Client')
  const address = page.getByLabel('USDT TRC20 Address')
  await address.fill(`${someAddress.slice(0, -1)}g`)
  await page.getByRole('button', { name: 'Save Payment Profile' }).click()
  await expect(page.getByText('The checksum does not match')).toBeVisible()
  await address.fill(someAddress)
  await page.getByRole('button', { name: 'Save Payment Profile' }).click()
  await expect(page.getByText('Your payment information has been saved successfully.').first()).toBeVisible()

  await page.getByRole('tab', { name: 'Automated Billing' }).click()
  const history = page.getByRole('list', { name: 'Billing History' })
  const bill = history.getByRole('listitem').filter({ hasText: '3 SMS × 0.05 USDT' })
  // The cycle lasts 12 s, the close up to 5 s, and the page polls.
  await expect(bill).toContainText('Sent to Support')
  await expect(bill).toContainText('0.15 USDT')
  await expect(bill).toContainText('not paid yet')
  await expect(page.getByRole('region', { name: 'Current Period' })).toContainText('Pending')
  // Earnings of the own-price number are a payout.
  await expect(page.getByRole('table', { name: 'Payouts' })).toContainText('1.00 USDT')

  await bill.getByRole('button', { name: /^Show bill/ }).click()
  const drawer = page.getByRole('dialog', { name: /^Bill/ })
  await expect(drawer).toBeVisible()
  // Beside the drawer a bill of the history takes two lines, not one for each of its facts.
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect.poll(async () => (await bill.boundingBox())?.height).toBeLessThan(160)
  const downloading = page.waitForEvent('download')
  await drawer.getByRole('link', { name: /^Download PDF/ }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^statement-\d+-\d+\.pdf$/)
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-')
  await drawer.getByRole('link', { name: /^Records of \+/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'SMS Records' })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`number=${number}`))
  await expect(page.getByText('Total Records').locator('..')).toContainText('3')
})

test('a changed address waits, and can be taken back', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  await signIn(page, gateway, client.username, '/payment')
  await page.getByLabel('Full Name').fill('Clara Client')
  await page.getByLabel('USDT TRC20 Address').fill(someAddress)
  await page.getByRole('button', { name: 'Save Payment Profile' }).click()
  await expect(page.getByText('none yet')).toBeHidden()
  await page.getByLabel('USDT TRC20 Address').fill('TWkBPh9EMbNn8Gqb1jYVBNzNh2HMgSbr4G')
  await page.getByRole('button', { name: 'Save Payment Profile' }).click()
  await expect(page.getByText(/A new address is waiting until/)).toBeVisible()
  await page.getByRole('button', { name: 'Keep the current address' }).click()
  await expect(page.getByText(/A new address is waiting until/)).toBeHidden()
  await expect(page.getByLabel('USDT TRC20 Address')).toHaveValue(someAddress)
})

test('without bills the history says so, and the test role is denied', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  await signIn(page, gateway, client.username, '/payment?tab=billing')
  await expect(page.getByText('No billing history yet')).toBeVisible()
  const tester = await gateway.person('test')
  await signIn(page, gateway, tester.username, '/payment')
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
})
