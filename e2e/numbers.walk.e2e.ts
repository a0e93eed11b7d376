// Premium Numbers as a client sees them: only its own.
import { expect, signIn, test } from './harness.ts'

test('a client sees the numbers it holds and follows one to its records', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  const { id } = await gateway.api<{ id: string }>('POST', '/api/premium-numbers', {
    number: '+44 909 879 0331',
    rate: '1.50',
  })
  await gateway.api('POST', '/api/premium-numbers', { number: '+44 909 879 0332' })
  await gateway.api('PUT', `/api/number-inventory/${id}/assign`, { userId: client.id })

  await signIn(page, gateway, client.username)
  await page.getByRole('navigation').getByRole('link', { name: 'Premium Numbers' }).click()
  const row = page.getByRole('row').filter({ hasText: '+44 909 879 0331' })
  await expect(row).toContainText('₪1.50')
  await expect(page.getByRole('row').filter({ hasText: '0332' })).toHaveCount(0)
  await page.getByLabel('Number Type').selectOption('toll-free')
  await expect(page.getByText('No account numbers found.')).toBeVisible()
  await page.getByRole('button', { name: 'Reset filters' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^account-numbers.*\.csv$/)
  await row.getByRole('link', { name: 'Records of +44 909 879 0331' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'SMS Records' })).toBeVisible()
})
