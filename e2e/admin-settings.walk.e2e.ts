import { expect, sidebar, signInAsAdmin, test } from './harness.ts'
import { clickCounter } from './jobs.ts'

test('the global rate is changed, and its history says by whom', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway, '/admin-settings')
  await expect(page.getByText('0.050 USD').first()).toBeVisible()
  const box = page.getByLabel('New rate (USD per SMS)')
  await box.fill('0')
  await page.getByRole('button', { name: 'Update Rate' }).click()
  await expect(box).toHaveAttribute('aria-invalid', 'true')
  await box.fill('0.061')
  await page.getByRole('button', { name: 'Update Rate' }).click()
  await expect(page.getByText('Global SMS rate updated successfully').first()).toBeVisible()
  await page.getByRole('button', { name: 'History', exact: true }).click()
  const newest = page.getByRole('dialog').getByRole('row').nth(1)
  await expect(newest).toContainText('admin')
  await expect(newest).toContainText('0.061 USD')
})

test("a user's own rate is set and removed", async ({ page, gateway }) => {
  const { username } = await gateway.person('user')
  await signInAsAdmin(page, gateway, `/admin-settings?search=${username}`)
  const row = page.getByRole('row', { name: new RegExp(username) })
  await row.getByRole('button', { name: `Set rate of ${username}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Set Rate' })
  await dialog.getByLabel('Rate (USD per SMS)').fill('0.03')
  await dialog.getByRole('button', { name: 'Set Rate' }).click()
  await expect(page.getByText('User SMS rate updated successfully').first()).toBeVisible()
  await expect(row).toContainText('0.030 USD')
  await row.getByRole('button', { name: `Remove rate of ${username}` }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toContainText('global')
})

test('a setting is changed and stays, and two clicks say by whom', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway, '/')
  const { press, count } = clickCounter()
  await press(sidebar(page).getByRole('link', { name: 'Admin Settings' }))
  await press(page.getByRole('tab', { name: 'Settings', exact: true }))
  await page.getByLabel('who may sign up').selectOption('approval')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Setting updated successfully').first()).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('who may sign up')).toHaveValue('approval')
  const change = page.getByText(/^Default: open · Changed .* by admin$/).getByRole('link')
  await expect(change).toBeVisible()
  // It took 4, by way of the audit log, which has the values before.
  expect(count()).toBeLessThanOrEqual(2)
  await press(change)
  await expect(page.getByRole('row').filter({ hasText: 'who may sign up' }).first()).toContainText(
    'open → approval',
  )
  // Other tests sign up on this gateway.
  await gateway.api('PUT', '/api/admin/settings/registration', { settingValue: 'open' })
})

test('on a tablet a setting is described beside its field, not squeezed by it', async ({ page, gateway }) => {
  await page.setViewportSize({ width: 768, height: 1024 })
  await signInAsAdmin(page, gateway, '/admin-settings?tab=settings')
  for (const words of ['Hours before a changed USDT address is used', 'Days between the close'])
    expect((await page.getByText(words).boundingBox())?.width).toBeGreaterThan(250)
})
