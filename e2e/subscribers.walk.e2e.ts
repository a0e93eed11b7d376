// Answering a person who asks what is stored of his number.
import { readFile } from 'node:fs/promises'
import { violationsOn } from './axe.ts'
import { expect, signInAsAdmin, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

test('an admin looks a number up, and exports what stands under it', async ({ page, gateway }) => {
  await gateway.api('POST', '/api/premium-numbers', { number: '447700900881', rate: '1.50' })
  const { id } = await gateway.person('user', { smppAccess: true })
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`)
  const supplier = await bindSupplier(gateway.smppPort, credentials)
  await supplier.send('447700900881', 'what I wrote')
  supplier.close()
  await signInAsAdmin(page, gateway, '/admin-settings?tab=settings')
  const number = page.getByLabel('Number of who sent messages here')
  const lookUp = page.getByRole('button', { name: 'Look up' })
  await number.fill('12345')
  await lookUp.click()
  await expect(number).toHaveAttribute('aria-invalid', 'true')
  await number.fill('+44 7700 900999')
  await lookUp.click()
  await expect(page.getByText('Nothing is stored under this number')).toBeVisible()
  await number.fill('+44 7700 900318')
  await lookUp.click()
  await expect(page.getByText('Stored under')).toBeVisible()
  await expect(page.getByText('Messages', { exact: true })).toBeVisible()
  expect(await violationsOn(page, 'main')).toEqual([])
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export everything' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toMatch(/^subscriber-0318-.*\.jsonl$/)
  expect(await readFile(await file.path(), 'utf8')).toContain('what I wrote')
  const [entry] = await gateway.api<{ objectId: string }[]>('GET', '/api/audit?action=subscriber.export')
  expect(entry?.objectId).toBe('••••••••0318')
})
