// Holds: a message that came twice is shown beside the first one, and released or refused by support.
import { setTimeout as sleep } from 'node:timers/promises'
import type { User } from '@tollgate/contract/users/users.ts'
import { expect, signIn, test, type TestGateway } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

let lastNumber = 449_098_791_400

interface Held {
  readonly client: User
  readonly number: string
}

/** A client's number with a hold: the same message was sent again because its answer was lost. */
async function makeHold(gateway: TestGateway): Promise<Held> {
  const client = await gateway.person('user')
  // Sets the client's own rate, because other tests change the global one.
  await gateway.api('PUT', `/api/admin/users/${client.id}/sms-rate`, { customSmsRate: '0.05' })
  const number = String((lastNumber += 1))
  await gateway.api('POST', '/api/premium-numbers', { number, rate: '1.50' })
  const [item] = await gateway.api<{ id: string }[]>('GET', `/api/number-inventory?search=${number}`)
  await gateway.api('PUT', `/api/number-inventory/${item?.id}/assign`, { userId: client.id })
  const { id } = await gateway.person('user', { smppAccess: true })
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`)
  // Whether the answer is lost is a race, so this repeats until it was.
  for (let tried = 0; tried < 20; tried += 1) {
    const text = `VOTE ${tried}`
    const first = await bindSupplier(gateway.smppPort, credentials)
    first.sendAndLeave(number, text)
    await sleep(300)
    const again = await bindSupplier(gateway.smppPort, credentials)
    await again.send(number, text)
    again.close()
    const held = await gateway.api<unknown[]>('GET', `/api/holds?search=${number}`)
    if (held.length > 0) return { client, number }
  }
  throw new Error('no answer was lost')
}

test('support sees the held message beside its original, and releases it with a reason', async ({
  page,
  gateway,
}) => {
  const { client, number } = await makeHold(gateway)
  const support = await gateway.person('support')
  const total = async () => {
    const [open] = await gateway.api<{ totalCost: string }[]>(
      'GET',
      `/api/billing/all-periods?userId=${client.id}&status=pending`,
    )
    return Number(open?.totalCost ?? 0)
  }
  const before = await total()
  await signIn(page, gateway, support.username, '/payment-management')
  await page.getByRole('tab', { name: /^Review/ }).click()
  await page.getByRole('searchbox', { name: 'Search' }).fill(number)
  const row = page
    .getByRole('table', { name: 'Held for review' })
    .getByRole('row')
    .filter({ hasText: client.username })
  await expect(row.getByRole('link', { name: /, Record / })).toHaveCount(2)
  await expect(row).toContainText('its answer may not have reached the sender')
  await expect(row).toContainText('0.05 USDT')
  await row.getByRole('button', { name: /^Release/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Release held message' })
  await dialog.getByRole('button', { name: 'Release' }).click()
  await expect(dialog.getByText('Enter the reason')).toBeVisible()
  await dialog.getByLabel('Reason').fill('two votes, says the supplier')
  await dialog.getByRole('button', { name: 'Release' }).dblclick()
  await expect(page.getByText('1 held message is released').first()).toBeVisible()
  await expect(row).toHaveCount(0)
  expect(await total()).toBeCloseTo(before + 0.05)
})

test('a client reads that a record is held, then refused in bulk', async ({ page, gateway }) => {
  const { client, number } = await makeHold(gateway)
  const [hold] = await gateway.api<{ messageIds: string[] }[]>('GET', `/api/holds?search=${number}`)
  const record = `/sms-records?open=${hold?.messageIds[0]}`
  await signIn(page, gateway, client.username, record)
  await expect(page.getByText('Its amount stays out of the bill until the hold is released.')).toBeVisible()
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, `/payment-management?tab=review&held=${number}`)
  const row = page
    .getByRole('table', { name: 'Held for review' })
    .getByRole('row')
    .filter({ hasText: client.username })
  await row.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Refuse (1)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Refuse held message' })
  await dialog.getByLabel('Reason').fill('sent twice')
  await dialog.getByRole('button', { name: 'Refuse' }).click()
  await expect(page.getByText('1 held message is refused').first()).toBeVisible()
  await page.getByLabel('Status').selectOption('confirmed')
  await expect(row).toContainText('sent twice')
  await expect(row).toContainText('Refused')
  await page.goto(`${gateway.url}${record}`)
  await expect(page.getByText('Its amount is not paid.').first()).toBeVisible()
})
