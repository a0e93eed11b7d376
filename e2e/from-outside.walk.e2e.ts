// What others say of our traffic: support puts a sender on the hot list, which becomes a case; looks up what a carrier
// disputes; and compares a carrier's counts.
import { expect, signIn, test, type TestGateway } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

const number = '449098791901'
const sender = '447700901234'

/** A client whose number has ten messages of this sender. */
async function aClientWithTraffic(gateway: TestGateway) {
  const client = await gateway.person('user')
  await gateway.api('POST', '/api/premium-numbers', { number })
  const [item] = await gateway.api<{ id: string }[]>('GET', `/api/number-inventory?search=${number}`)
  await gateway.api('PUT', `/api/number-inventory/${item?.id}/assign`, { userId: client.id })
  await gateway.api('PUT', `/api/admin/users/${client.id}/sms-rate`, { customSmsRate: '0.05' })
  const { id } = await gateway.person('user', { smppAccess: true })
  const supplier = await bindSupplier(
    gateway.smppPort,
    await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`),
  )
  for (let sent = 0; sent < 10; sent += 1) await supplier.send(number, `VOTE ${sent}`, sender)
  supplier.close()
  return client
}

test('a listed sender becomes a case, and a disputed file finds its messages, their client and what differs', async ({
  page,
  gateway,
}) => {
  const client = await aClientWithTraffic(gateway)
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, '/payment-management?tab=review&review=lists')
  await expect(page.getByText('Nobody is on the hot list')).toBeVisible()

  await page.getByRole('button', { name: 'Add Sender' }).click()
  const adding = page.getByRole('dialog', { name: 'Add to the hot list' })
  await adding.getByLabel('Sender or block').fill('+44*')
  await adding.getByLabel('Reason').fill('Cards of one batch')
  await adding.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(adding).toContainText('Enter a sender')
  await adding.getByLabel('Sender or block').fill('+44 7700 90*')
  await adding.getByRole('button', { name: 'Add', exact: true }).click()
  const list = page.getByRole('table', { name: 'Hot list' })
  await expect(list).toContainText('Cards of one batch')

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const importing = page.getByRole('dialog', { name: 'Import into the hot list' })
  const lines = importing.getByLabel('Lines, the first with the names of the columns')
  await lines.fill('sender,reason\n12,Too short\n447700905555,Reported by a carrier')
  await importing.getByRole('button', { name: 'Check' }).click()
  await expect(importing).toContainText('1 of 2 lines are faulty')
  await lines.fill('sender,reason\n447700905555,Reported by a carrier')
  await importing.getByRole('button', { name: 'Check' }).click()
  await expect(importing).toContainText('1 line can be imported')
  await importing.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(importing).toContainText('1 line is on the hot list')
  await importing.getByText('Close', { exact: true }).click()
  await expect(importing).toBeHidden()
  const entry = list.getByRole('row').filter({ hasText: 'Reported by a carrier' })
  await entry.getByRole('button', { name: 'Remove' }).click()
  const removing = page.getByRole('dialog', { name: 'off the hot list' })
  await removing.getByLabel('Reason').fill('It was another number')
  await removing.getByRole('button', { name: 'Remove' }).click()
  await expect(entry).toHaveCount(0)

  await page.goto(`${gateway.url}/payment-management?tab=review&review=holds`)
  await page.getByLabel('Cases', { exact: true }).selectOption('Would be held')
  const found = page.getByRole('table', { name: 'Cases of the rules' })
  await expect(found).toContainText('Senders of the hot list', { timeout: 60_000 })
  await expect(found).toContainText('Cards of one batch')

  await page.goto(`${gateway.url}/payment-management?tab=review&review=disputes`)
  await page.getByRole('button', { name: 'Import dispute' }).click()
  const disputing = page.getByRole('dialog', { name: 'Import dispute' })
  const day = new Date().toISOString().slice(0, 10)
  await disputing.getByLabel('Carrier').fill('Example Telecom')
  await disputing
    .getByLabel('Lines, the first with the names of the columns')
    .fill(`B-number;date;CLI;qty\n${number};${day};${sender};12\n449098791999;${day};;1`)
  await disputing.getByRole('button', { name: 'Check' }).click()
  await expect(disputing).toContainText('2 lines can be imported')
  await expect(disputing).toContainText('never had: 1')
  await disputing.getByRole('button', { name: 'Import', exact: true }).click()
  const disputes = page.getByRole('table', { name: 'Disputes of carriers' })
  await expect(disputes).toContainText('10 of 13', { timeout: 60_000 })
  await disputes.getByRole('button', { name: 'Example Telecom' }).click()
  const drawer = page.getByRole('dialog', { name: 'of Example Telecom' })
  await expect(drawer).toContainText('10 of 12 messages')
  await expect(drawer).toContainText('Nothing found')
  await drawer.getByRole('button', { name: 'Make cases' }).click()
  await expect(drawer.getByRole('region', { name: 'Clients' })).toContainText('Case')
  await expect(drawer.getByRole('region', { name: 'Clients' })).toContainText(client.username)
  await drawer.getByRole('link', { name: 'Messages of line 2' }).click()
  await expect(page).toHaveURL(/sms-records\?.*sender=447700901234/)
  await expect(page.getByRole('table').first()).toContainText('+44 7700 901234')

  await page.goto(`${gateway.url}/payment-management?tab=review&review=disputes`)
  await page.getByRole('button', { name: 'Compare counts' }).click()
  const comparing = page.getByRole('dialog', { name: "Our counts against a carrier's" })
  await comparing
    .getByLabel('Lines, the first with the names of the columns')
    .fill(`day,number,count\n${day},${number},8`)
  // The counters of numbers follow some seconds behind.
  await expect(async () => {
    await comparing.getByRole('button', { name: 'Compare' }).click()
    await expect(comparing).toContainText('theirs 8, ours 10', { timeout: 2_000 })
  }).toPass({ timeout: 60_000 })
  await expect(comparing.getByRole('link', { name: /^Messages of/ })).toHaveAttribute(
    'href',
    new RegExp(`number=${number}`),
  )
})
