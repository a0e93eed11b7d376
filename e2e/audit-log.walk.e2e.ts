import { expect, signInAsAdmin, test } from './harness.ts'

test('what was done is found, opened and proven unaltered', async ({ page, gateway }) => {
  const { id } = await gateway.person('user')
  await gateway.api('PUT', `/api/users/${id}/status`, { status: 'suspended' })
  await signInAsAdmin(page, gateway, '/admin-settings')
  await page.getByRole('link', { name: 'Audit Log' }).click()
  await page.getByLabel('Action', { exact: true }).selectOption('user.suspend')
  const entry = page.getByRole('row', { name: /User: suspend/ })
  await expect(entry).toHaveCount(1)
  await expect(entry).toContainText('Status: active → suspended')
  await expect(entry.getByRole('link', { name: 'admin' })).toBeVisible()
  await entry.getByText('User: suspend').click()
  const drawer = page.getByRole('dialog', { name: /^Entry/ })
  await expect(drawer.getByRole('row', { name: /^Status/ })).toContainText('suspended')
  await page.getByRole('button', { name: 'Check the chain' }).click()
  await expect(page.getByText('The audit log is intact').first()).toBeVisible()
  // A worker signs the head when it starts. A person who keeps the line can prove that the log was rewritten.
  await page.getByText('Proof of the log').click()
  await expect(page.getByText('Key fingerprint')).toBeVisible()
  const file = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export for checking' }).click()
  expect((await file).suggestedFilename()).toBe('audit-chain.jsonl')
})
