// What the rules would hold: messages come in, the judge finds a case, and support opens it. Nothing is held.
import { expect, signIn, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

const [number, circling] = ['449098791801', '449098791802']

test('a number of the gateway that sends itself becomes a case, with its senders in a drawer', async ({
  page,
  gateway,
}) => {
  const client = await gateway.person('user')
  for (const each of [number, circling]) await gateway.api('POST', '/api/premium-numbers', { number: each })
  const [item] = await gateway.api<{ id: string }[]>('GET', `/api/number-inventory?search=${number}`)
  await gateway.api('PUT', `/api/number-inventory/${item?.id}/assign`, { userId: client.id })
  await gateway.api('PUT', `/api/admin/users/${client.id}/sms-rate`, { customSmsRate: '0.05' })
  const { id } = await gateway.person('user', { smppAccess: true })
  const supplier = await bindSupplier(
    gateway.smppPort,
    await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`),
  )
  for (let sent = 0; sent < 30; sent += 1) await supplier.send(number, `VOTE ${sent}`, circling)
  supplier.close()
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, '/payment-management?tab=holds')
  await expect(page.getByText('No case waits')).toBeVisible()
  await page.getByLabel('Cases', { exact: true }).selectOption('Would be held')
  const row = page
    .getByRole('table', { name: 'Cases of the rules' })
    .getByRole('row')
    .filter({ hasText: client.username })
  await expect(row).toContainText('Numbers of this gateway that were senders themselves', { timeout: 60_000 })
  await expect(row).toContainText('Would be held')
  await row.getByRole('button', { name: client.username }).click()
  const drawer = page.getByRole('dialog', { name: `of ${client.username}` })
  await expect(drawer).toContainText('+44 909 879 1802')
  await expect(drawer).toContainText('30 messages, 1.50 USDT')
  expect(await gateway.api<unknown[]>('GET', `/api/holds?userId=${client.id}`)).toEqual([])
})
