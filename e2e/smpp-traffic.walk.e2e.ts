import { violationsOn } from './axe.ts'
import { expect, sidebar, signIn, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

test('a supplier sees what was refused with its status, its bind, and a message by the id that it got', async ({
  page,
  gateway,
}) => {
  const { id, username } = await gateway.person('user', { smppAccess: true })
  const supplier = await bindSupplier(
    gateway.smppPort,
    await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`),
  )
  await gateway.api('POST', '/api/premium-numbers', { number: '447700900872', rate: '1.50' })
  const { messageId } = await supplier.send('447700900872', 'hello')
  expect((await supplier.send('447700900873', 'hello')).status).toBe(0x0b)
  await signIn(page, gateway, username, '/')
  await sidebar(page).getByRole('link', { name: 'SMPP Traffic' }).click()
  const refused = page.getByRole('table', { name: 'Refused messages' })
  await expect(refused.getByText('0x0000000B')).toBeVisible()
  await expect(refused.getByText('Invalid destination address')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Destinations that were refused' })).toContainText(
    '+44 7700 900873',
  )
  expect(await violationsOn(page, 'main')).toEqual([])
  await expect(page.getByRole('table', { name: 'Binds', exact: true }).getByText('Transceiver')).toBeVisible()
  expect(await violationsOn(page, 'main')).toEqual([])
  await page.getByLabel('Message ID').fill(messageId)
  await page.getByRole('button', { name: 'Find' }).click()
  const found = page.getByRole('table', { name: 'Messages with this id' })
  await expect(found.getByText('+44 7700 900872')).toBeVisible()
  expect(await violationsOn(page, 'main')).toEqual([])

  // Support sees the same on the supplier's page.
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, `/users/${id}`)
  await page.getByRole('tab', { name: 'SMPP Traffic' }).click()
  await expect(refused.getByText('0x0000000B')).toBeVisible()
  expect(await violationsOn(page, 'main')).toEqual([])
  await expect(page.getByRole('table', { name: 'Binds', exact: true }).getByText('Transceiver')).toBeVisible()
  await page.getByLabel('Message ID').fill(messageId)
  await page.getByRole('button', { name: 'Find' }).click()
  await expect(found.getByText('+44 7700 900872')).toBeVisible()
  await page.goBack()
  await expect(found).toHaveCount(0)
  supplier.close()
})
