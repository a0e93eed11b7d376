// The commonest question of support: "my message of 14:05 from 4477… never arrived".
import type { Locator } from '@playwright/test'
import { violationsOn } from './axe.ts'
import { expect, sidebar, signIn, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

/** Counts what a person does: a click, a field, a key. */
function person() {
  let acts = 0
  return {
    count: () => acts,
    click: async (on: Locator) => ((acts += 1), on.click()),
    type: async (into: Locator, text: string) => ((acts += 1), into.fill(text)),
    press: async (on: Locator, key: string) => ((acts += 1), on.press(key)),
  }
}

test('support answers why a message never arrived within four acts and ten seconds', async ({
  page,
  gateway,
}) => {
  const { id, username } = await gateway.person('user', { smppAccess: true })
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`)
  const supplier = await bindSupplier(gateway.smppPort, credentials)
  await gateway.api('POST', '/api/premium-numbers', { number: '447700900877', rate: '1.50' })
  expect((await supplier.send('447700900877', 'arrived')).status).toBe(0)
  expect((await supplier.send('447700900878', 'never arrived')).status).toBe(0x0b)
  supplier.close()
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, '/')
  const { click, type, press, count } = person()
  const startedMs = Date.now()
  await click(sidebar(page).getByRole('link', { name: 'SMS Records' }))
  await type(page.getByLabel('Time', { exact: true }), new Date().toISOString().slice(11, 16))
  const sender = page.getByLabel('Sender', { exact: true })
  await type(sender, '447700900318')
  await press(sender, 'Enter')
  const refused = page.getByRole('table', { name: 'Refused messages' })
  await expect(refused.getByRole('row').filter({ hasText: '+44 7700 900878' })).toContainText(username)
  await expect(refused).toContainText('Not one of our numbers')
  await expect(refused).toContainText('Add the number')
  // What did arrive stands below, with its sender.
  const records = page.getByRole('table', { name: 'SMS Records' })
  await expect(records.getByRole('row').filter({ hasText: '+44 7700 900877' })).toContainText(
    '+44 7700 900318',
  )
  expect(count()).toBeLessThanOrEqual(4)
  expect(Date.now() - startedMs).toBeLessThan(10_000)
  expect(await violationsOn(page, 'main')).toEqual([])
  await page.getByLabel('Time', { exact: true }).fill('03:33')
  await page.getByLabel('Tolerance').selectOption('5')
  await press(sender, 'Enter')
  await expect(refused).toHaveCount(new Date().toISOString().startsWith('03:3', 11) ? 1 : 0)
})
