// The main job of the product, by hand: from an empty gateway to a message that earns, along the first steps.
import { expect, password, signInAsAdmin, test } from './harness.ts'
import { addPerson, clickCounter } from './jobs.ts'
import { bindSupplier } from './supplier.ts'

// The test needs an empty gateway.
test.use({ gatewayName: 'first message' })

const { press, count } = clickCounter()

test('an admin is led from an empty gateway to a message that earns, and the client is invited', async ({
  page,
  browser,
  gateway,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInAsAdmin(page, gateway)
  const steps = page.getByRole('list', { name: 'First steps' })
  await expect(steps.getByText('First add a number.')).toHaveCount(2)

  await press(steps.getByRole('button', { name: 'Add Number' }))
  const addNumber = page.getByRole('dialog', { name: 'Add Premium Number' })
  await addNumber.getByLabel('Number', { exact: true }).fill('+44 909 879 0191')
  await addNumber.getByLabel('Rate (₪)').fill('1.50')
  await press(addNumber.getByRole('button', { name: 'Add Number' }))
  await expect(page.getByText('Number added successfully', { exact: true })).toBeVisible()
  await expect(steps.getByText('First add a client.')).toBeVisible()

  const client = await addPerson(page, press, 'Add a client', 'clara1')

  await press(steps.getByRole('button', { name: 'Assign' }))
  const assign = page.getByRole('dialog', { name: 'Assign Number' })
  await press(assign.getByText('clara1', { exact: true }))
  await press(assign.getByRole('button', { name: /^Assign/ }))
  await expect(page.getByText('Number assigned successfully', { exact: true })).toBeVisible()

  await press(steps.getByRole('button', { name: 'Send a test message' }))
  const test = page.getByRole('dialog', { name: 'Send a test message' })
  await expect(test.getByLabel('To')).toHaveValue('449098790191')
  await press(test.getByRole('button', { name: 'Send', exact: true }))
  await expect(
    test.getByText('From a supplier it would earn clara1 0.050 USD, the global rate'),
  ).toBeVisible()
  // Half of the 24 clicks that it took before there were these steps.
  expect(count()).toBeLessThanOrEqual(12)
  await press(test.getByRole('button', { name: 'Close' }).last())

  const credentials = await addPerson(page, press, 'Add a supplier', 'sam1')
  await press(steps.getByRole('link', { name: 'SMS Records' }))
  // The test message, which earns nothing.
  await expect(page.getByRole('row').filter({ hasText: 'Simulator' })).toContainText('₪0.00')
  await expect(page.getByText('live', { exact: true })).toBeVisible()

  const supplier = await bindSupplier(gateway.smppPort, credentials)
  const { status, messageId } = await supplier.send('449098790191', 'VOTE 7')
  expect(status).toBe(0)
  expect(messageId).toHaveLength(26)

  // Contract: a record shows within a second of its commit. The feed's own test measures that; the list asks for nothing by
  // itself.
  const row = page.getByRole('row').filter({ hasText: '₪1.50' })
  // Rows stand still for who reads them, below a pointer and where the page is scrolled.
  const waiting = page.getByRole('button', { name: '1 new' })
  await expect(row.or(waiting)).toBeVisible()
  if (await waiting.isVisible()) await waiting.click()
  await expect(row).toContainText('clara1')
  // The actions of a row show below the pointer.
  await row.hover()
  await row.getByRole('button', { name: /^Details/ }).click()
  const details = page
    .getByRole('dialog', { name: /^Record/ })
    .or(page.getByRole('complementary', { name: /^Record/ }))
  await expect(details).toContainText('0.050 USD')
  await expect(details).toContainText('Priced')

  const refused = await supplier.send('449098790199', 'VOTE 7')
  expect(refused.status).toBe(0x0b)
  supplier.close()

  // The client chooses a password by the link, and signs in with it.
  const guest = await (await browser.newContext()).newPage()
  await guest.goto(client.link)
  await expect(guest.getByRole('heading', { name: 'Choose your password' })).toBeVisible()
  await expect(guest.getByLabel('New password')).toBeFocused()
  await guest.keyboard.type(password)
  await guest.keyboard.press('Enter')
  await expect(guest.getByLabel('Username')).toHaveValue('clara1')
  await expect(guest.getByLabel('Password', { exact: true })).toBeFocused()
  await guest.keyboard.type(password)
  await guest.keyboard.press('Enter')
  await expect(guest.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  await guest.context().close()
})
