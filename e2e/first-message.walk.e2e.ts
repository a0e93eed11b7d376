// The main job of the product, by hand: from an empty gateway to a priced record on the screen.
import { expect, password, sidebar, signInAsAdmin, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

// The test needs an empty gateway.
test.use({ gatewayName: 'first message' })

test('an admin makes a client and a number, a supplier sends, and the priced record appears live', async ({
  page,
  gateway,
}) => {
  await signInAsAdmin(page, gateway)

  await sidebar(page).getByRole('link', { name: 'Users Management' }).click()
  await page.getByRole('button', { name: 'Add User' }).click()
  const addUser = page.getByRole('dialog', { name: 'Add User' })
  await addUser.getByLabel('First Name').fill('Clara')
  await addUser.getByLabel('Last Name').fill('Client')
  await addUser.getByLabel('Username').fill('clara1')
  await addUser.getByLabel('Email').fill('clara@example.com')
  await addUser.getByLabel('Password', { exact: true }).fill(password)
  await addUser.getByLabel('SMPP Access').check({ force: true })
  await addUser.getByRole('button', { name: 'Add User' }).click()
  await expect(page.getByText('User added successfully', { exact: true })).toBeVisible()

  await sidebar(page).getByRole('link', { name: 'Numbers Management' }).click()
  await page.getByRole('button', { name: 'Add Number' }).first().click()
  const addNumber = page.getByRole('dialog', { name: 'Add Premium Number' })
  await addNumber.getByLabel('Number', { exact: true }).fill('+44 909 879 0191')
  await addNumber.getByLabel('Rate (₪)').fill('1.50')
  await addNumber.getByRole('button', { name: 'Add Number' }).click()
  await expect(page.getByText('Number added successfully', { exact: true })).toBeVisible()

  await page.getByRole('link', { name: 'Number Inventory' }).click()
  await page.getByRole('button', { name: 'Assign +44 909 879 0191' }).click()
  const assign = page.getByRole('dialog', { name: 'Assign Number' })
  await assign.getByText('clara1').click()
  await assign.getByRole('button', { name: /^Assign/ }).click()
  await expect(page.getByText('Number assigned successfully', { exact: true })).toBeVisible()

  const [client] = await gateway.api<{ id: number }[]>('GET', '/api/users?search=clara')
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${client?.id}/smpp-credentials`)

  await page.getByRole('navigation').getByRole('link', { name: 'SMS Records' }).click()
  await expect(page.getByText('No records found for the selected criteria.')).toBeVisible()
  await expect(page.getByText('live', { exact: true })).toBeVisible()

  const supplier = await bindSupplier(gateway.smppPort, credentials)
  const { status, messageId } = await supplier.send('449098790191', 'VOTE 7')
  expect(status).toBe(0)
  expect(messageId).toHaveLength(26)

  // Contract: a record shows within a second of its commit. The feed's own test measures that; the list asks for nothing by
  // itself.
  const row = page.getByRole('row').filter({ hasText: '+44 909 879 0191' })
  await expect(row).toBeVisible()
  await expect(row).toContainText('₪1.50')
  await expect(row).toContainText('clara1')
  await expect(page.getByText('Total Bill Amount').locator('..')).toContainText('₪1.50')

  await row.getByRole('button', { name: /^Details/ }).click()
  const details = page
    .getByRole('dialog', { name: /^Record/ })
    .or(page.getByRole('complementary', { name: /^Record/ }))
  await expect(details).toContainText('0.050 USD')
  await expect(details).toContainText('Priced')

  const refused = await supplier.send('449098790199', 'VOTE 7')
  expect(refused.status).toBe(0x0b)
  supplier.close()
})
