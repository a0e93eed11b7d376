// Corrections of what a client is owed. An admin makes them, they count once, and the client reads the reason.
import { expect, signIn, signInAsAdmin, test } from './harness.ts'

test('an admin gives an amount; a double click gives it once, and the client reads why', async ({
  page,
  gateway,
}) => {
  const client = await gateway.person('user')
  await signInAsAdmin(page, gateway, '/books?tab=adjustments')
  await page.getByRole('button', { name: 'Add Adjustment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Adjustment' })
  await dialog.getByLabel('Client').fill(client.username)
  await dialog.getByRole('radio', { name: new RegExp(`^${client.username}`) }).check()
  await dialog.getByLabel('Amount (USDT)').fill('12.5')
  await dialog.getByLabel('Reason').fill('goodwill for the outage')
  await dialog.getByLabel('Reference').fill('999-1')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const confirm = page.getByRole('alertdialog', { name: `Credit 12.50 USDT to ${client.username}?` })
  await confirm.getByRole('button', { name: 'Give' }).click()
  await expect(dialog.getByText(/No bill \(3-17\)/)).toBeVisible()
  await dialog.getByLabel('Reference').fill('')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await confirm.getByRole('button', { name: 'Give' }).dblclick()
  await expect(page.getByText('It counts in the client’s open period.').first()).toBeVisible()
  const rows = page
    .getByRole('table', { name: 'Adjustments' })
    .getByRole('row')
    .filter({ hasText: client.username })
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('+12.50 USDT')
  await expect(rows).toContainText('goodwill for the outage')
  await expect(rows).toContainText('Posted')

  const [period] = await gateway.api<{ id: string }[]>(
    'GET',
    `/api/billing/all-periods?userId=${client.id}&status=pending`,
  )
  await signIn(page, gateway, client.username, `/payment?tab=billing&open=${period?.id}`)
  const drawer = page.getByRole('dialog', { name: /^Bill/ })
  await expect(drawer).toContainText('goodwill for the outage')
  await expect(drawer).toContainText('12.50')
})

test('above the limit a second admin accepts; support sees the list and makes none', async ({
  page,
  gateway,
}) => {
  const client = await gateway.person('user')
  const [second, support] = [await gateway.person('admin'), await gateway.person('support')]
  await gateway.api('POST', '/api/billing/adjustments', {
    userId: client.id,
    amount: '-250',
    reason: 'carrier dispute 17',
  })
  await signIn(page, gateway, support.username, '/books?tab=adjustments')
  const row = page
    .getByRole('table', { name: 'Adjustments' })
    .getByRole('row')
    .filter({ hasText: client.username })
  await expect(row).toContainText('Awaits approval')
  await expect(page.getByRole('button', { name: 'Add Adjustment' })).toHaveCount(0)
  await expect(row.getByRole('button', { name: /Decide/ })).toHaveCount(0)
  await signIn(page, gateway, second.username, '/books?tab=adjustments')
  await row.getByRole('button', { name: /Decide/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Decide on Adjustment' })
  await dialog.getByLabel('Reason').fill('seen the carrier’s letter')
  await dialog.getByRole('button', { name: 'Save decision' }).click()
  await expect(row).toContainText('Posted')
  await expect(row).toContainText(`admin, then ${second.username}`)
  await expect(row).toContainText('−250.00 USDT')
})
