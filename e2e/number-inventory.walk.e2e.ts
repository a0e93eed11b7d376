// The inventory: a number with its own price is added, assigned, suspended, resumed and unassigned.
import { expect, signIn, signInAsAdmin, test } from './harness.ts'

// The drawer of a number stands beside its list.
test.use({ viewport: { width: 1800, height: 900 } })

test('an admin adds a number to stock, assigns it, suspends it and takes it back', async ({
  page,
  gateway,
}) => {
  const client = await gateway.person('user')
  await signInAsAdmin(page, gateway, '/number-inventory')
  await page.getByRole('button', { name: 'Add Number' }).first().click()
  const add = page.getByRole('dialog', { name: 'Add New Premium Number' })
  await add.getByLabel('Phone Number').fill('+44 909 879 0311')
  await expect(add.getByLabel('Price per SMS (USD)')).toHaveValue('0.50')
  await add.getByRole('button', { name: 'Add Number' }).click()
  await expect(page.getByText('Number added to inventory', { exact: true })).toBeVisible()

  const row = page.getByRole('row').filter({ hasText: '+44 909 879 0311' })
  await expect(row).toContainText('0.500 USD')
  await row.getByRole('button', { name: 'Assign +44 909 879 0311' }).click()
  const assign = page.getByRole('dialog', { name: 'Assign Number' })
  await assign.getByRole('searchbox', { name: 'User' }).fill(client.username)
  await assign.getByRole('radio', { name: new RegExp(client.username) }).check()
  await assign.getByRole('button', { name: 'Assign' }).click()
  await expect(page.getByText('Number assigned successfully', { exact: true })).toBeVisible()
  await expect(row).toContainText(`User ${client.id}`)

  await row.getByRole('button', { name: '+44 909 879 0311', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Number +44 909 879 0311' })
  await drawer.getByRole('button', { name: /^More actions/ }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  await expect(row).toContainText('Suspended')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row).toContainText('Assigned')

  await drawer.getByRole('button', { name: /^More actions/ }).click()
  await page.getByRole('menuitem', { name: 'Unassign' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unassign' }).click()
  await expect(row).toContainText('Unassigned')
})

test('a price starts with the next period, and its holder reads it beside the number and above the list', async ({
  page,
  gateway,
}) => {
  const client = await gateway.person('user')
  const item = await gateway.api<{ id: string }>('POST', '/api/number-inventory', { number: '449098790312' })
  await gateway.api('PUT', `/api/number-inventory/${item.id}/assign`, { userId: client.id })
  await signInAsAdmin(page, gateway, '/number-inventory?search=449098790312')
  const row = page.getByRole('row').filter({ hasText: '+44 909 879 0312' })
  await row.getByRole('button', { name: '+44 909 879 0312', exact: true }).click()
  await page
    .getByRole('dialog', { name: 'Number +44 909 879 0312' })
    .getByRole('button', { name: 'Edit' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Edit Number' })
  await dialog.getByLabel('Price per SMS (USD)').fill('0.45')
  const next = await dialog.getByRole('option', { name: /^With the next period/ }).textContent()
  await dialog.getByLabel('Starts').selectOption(next)
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText(/^The rate starts/).first()).toBeVisible()
  const day = next?.match(/\d\d\/\d\d\/\d{4}/)?.[0] ?? ''
  await expect(row).toContainText(`0.450 USD from ${day}`)

  await page.context().clearCookies()
  await signIn(page, gateway, client.username, '/numbers')
  await expect(row).toContainText(`0.450 USD from ${day}`)
  await expect(
    page.getByText(`+44 909 879 0312: 0.500 USD → 0.450 USD per SMS from ${day}`).first(),
  ).toBeVisible()
})

test('a client is denied the inventory', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  await signIn(page, gateway, client.username, '/number-inventory')
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  await expect(
    page.getByText('Only admin and support users can access number inventory management.'),
  ).toBeVisible()
})
