import { violationsOn } from './axe.ts'
import { expect, sidebar, signIn, test } from './harness.ts'

test('a supplier begins with its traffic, and sees money and numbers once it holds one', async ({
  page,
  gateway,
}) => {
  const { id, username } = await gateway.person('user', { smppAccess: true })
  await signIn(page, gateway, username, '/')
  await expect(page.getByRole('heading', { level: 1, name: 'SMPP Traffic' })).toBeVisible()
  const entries = sidebar(page).getByRole('link')
  await expect(entries).toHaveText(['SMPP Traffic'])
  await expect(page.getByText('No SMS records found')).toHaveCount(0)
  await expect(page.getByText(/^Never send again after 0x0B/)).toBeVisible()
  expect(await violationsOn(page, 'main')).toEqual([])
  // The other pages still open.
  await page.goto(`${gateway.url}/payment`)
  await expect(page.getByRole('heading', { level: 1, name: 'Payment & Billing' })).toBeVisible()
  const number = '447700900879'
  await gateway.api('POST', '/api/number-inventory', { number, pricePerSms: '0.50' })
  const [item] = await gateway.api<{ id: string }[]>('GET', `/api/number-inventory?search=${number}`)
  await gateway.api('PUT', `/api/number-inventory/${item?.id}/assign`, { userId: id })
  await page.goto(`${gateway.url}/`)
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  await expect(entries.filter({ hasText: 'Payment' })).toBeVisible()
})
