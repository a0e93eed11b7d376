import { expect, signIn, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

// As in smpp-control, nothing else sends here.
test.use({ gatewayName: 'smpp control' })

test('a refused message is an alert for support, and is gone once its number is added', async ({
  page,
  gateway,
}) => {
  const { id } = await gateway.person('user', { smppAccess: true })
  const { username } = await gateway.person('support')
  const supplier = await bindSupplier(
    gateway.smppPort,
    await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`),
  )
  expect((await supplier.send('447700900871', 'hello')).status).toBe(0x0b)
  supplier.close()
  await signIn(page, gateway, username, '/alerts')
  const row = page.getByRole('listitem', { name: /^Refused number: \+44/ })
  await expect(row).toContainText('It is not one of our numbers')
  await row.getByRole('button', { name: /^Add this number/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Premium Number' })
  await dialog.getByLabel('Rate (₪)').fill('1.50')
  await dialog.getByRole('button', { name: 'Add Number' }).click()
  await expect(row).toHaveCount(0)
})
