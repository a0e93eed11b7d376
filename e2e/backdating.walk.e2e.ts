// A number that was assigned too late: what it received meanwhile is credited by two admins, and leads to its messages.
import { expect, signIn, signInAsAdmin, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

test('one admin backdates a number, another accepts, and the figure leads to exactly its messages', async ({
  page,
  gateway,
}) => {
  const client = await gateway.person('user')
  const second = await gateway.person('admin')
  const number = '449098790987'
  // Other tests of this gateway change the rate.
  await gateway.api('PUT', '/api/admin/settings/global_sms_rate', { settingValue: '0.05' })
  await gateway.api('POST', '/api/premium-numbers', { number, rate: '1.50' })
  const { id } = await gateway.person('user', { smppAccess: true })
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`)
  const supplier = await bindSupplier(gateway.smppPort, credentials)
  for (let sent = 0; sent < 3; sent += 1) await supplier.send(number, 'VOTE 7')
  supplier.close()

  await signInAsAdmin(page, gateway, '/payment-management?tab=review&review=unowned')
  const unowned = page.getByRole('table', { name: 'Unowned SMS' }).getByRole('row')
  await expect(unowned.filter({ hasText: '0987' })).toContainText('0.15 USD')

  await page.goto(`${gateway.url}/number-inventory?search=${number}`)
  await page.getByRole('button', { name: 'Assign +44 909 879 0987' }).click()
  const dialog = page.getByRole('dialog', { name: 'Assign Number' })
  await dialog.getByRole('searchbox', { name: 'User' }).fill(client.username)
  await dialog.getByRole('radio', { name: new RegExp(`^${client.username}`) }).check()
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 16)
  await dialog.getByLabel('Held from (UTC)').fill(yesterday)
  await expect(dialog).toContainText('3 SMS, 0.15 USDT')
  await dialog.getByRole('button', { name: 'Assign' }).click()
  await expect(page.getByText('Waits for a second admin').first()).toBeVisible()

  await signIn(page, gateway, second.username, '/books?tab=adjustments')
  const row = page
    .getByRole('table', { name: 'Adjustments' })
    .getByRole('row')
    .filter({ hasText: client.username })
  await row.getByRole('button', { name: /Decide/ }).click()
  const decision = page.getByRole('dialog', { name: 'Decide on Adjustment' })
  await expect(decision).toContainText('Held from')
  await decision.getByLabel('Reason').fill('forgotten on Monday')
  await decision.getByRole('button', { name: 'Save decision' }).click()
  await expect(row).toContainText('Posted')
  await row.getByRole('link', { name: /The SMS of this adjustment/ }).click()
  await expect(page.getByText('Total Records')).toBeVisible()
  await expect(page.getByRole('table', { name: 'SMS Records' }).getByRole('row')).toHaveCount(4)
})
