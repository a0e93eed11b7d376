// What the rules would hold: messages come in, the judge finds a case, and support opens it. Nothing is held.
import { violationsOn } from './axe.ts'
import { expect, signIn, signInAsAdmin, test } from './harness.ts'
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

test('a new version of the thresholds is tried, then waits for a second admin, and a stricter one is live at once', async ({
  page,
  gateway,
}) => {
  const second = await gateway.person('admin')
  const rules = '/payment-management?tab=review&review=rules'
  await signInAsAdmin(page, gateway, rules)
  const versions = page.getByRole('table', { name: 'Versions of the thresholds' })
  const form = page.getByRole('dialog', { name: 'New version of the thresholds' })
  const drawer = page.getByRole('dialog', { name: /^Version \d/ })
  const clients = form.getByLabel('Clients to which one sender wrote on a day')
  const make = async (figure: string, note: string) => {
    await page.getByRole('button', { name: 'New version', exact: true }).click()
    await clients.fill(figure)
    if (figure === '9') expect(await violationsOn(page, '[role=dialog]')).toEqual([])
    await form.getByLabel('Note').fill(note)
    await form.getByRole('button', { name: 'Make version' }).click()
    await expect(form).toBeHidden()
    const row = versions.getByRole('row').filter({ hasText: note })
    await expect(row).toContainText('Needs a back-test')
    await expect(drawer).toContainText('A back-test comes first')
    if (figure === '9') expect(await violationsOn(page)).toEqual([])
    await drawer.getByRole('button', { name: 'Start back-test' }).click()
    await drawer.getByRole('button', { name: 'Make live' }).click({ timeout: 60_000 })
    return row
  }
  const asked = page.getByRole('alertdialog')

  const looser = await make('9', 'A service of schools')
  await expect(asked).toContainText('A second admin must approve it, and it begins in 24 hours')
  await asked.getByRole('button', { name: 'Ask for approval' }).click()
  await expect(looser).toContainText('Waits for a second admin')
  await signIn(page, gateway, second.username, rules)
  await page.getByRole('button', { name: 'Approve change of the version of the thresholds' }).click()
  await asked.getByRole('button', { name: 'Approve' }).click()
  await expect(looser).toContainText('Begins')
  await page.getByRole('button', { name: 'Cancel change of the version of the thresholds' }).click()
  await asked.getByRole('button', { name: 'Cancel change' }).click()
  await expect(looser).toContainText('Back-tested')

  const stricter = await make('4', 'One sender at four clients')
  await expect(asked).toContainText('so it judges at once')
  await asked.getByRole('button', { name: 'Make live' }).click()
  await expect(asked).toBeHidden()
  await expect(stricter).toContainText('Live')
})
