// Payment Management: a bill is paid, a second person approves, a payment is recorded, a payout is processed.
import type { Page } from '@playwright/test'
import { expect, password, signIn, signInAsAdmin, test } from './harness.ts'
import { saveAddress, makeEarner, shortCycles, someAddress, type Earner } from './earner.ts'

test.use(shortCycles)

// All earn before the first test, so that the close of their bills is awaited once.
let billed: Earner, approved: Earner, paidOut: Earner, credited: Earner

test.beforeAll(async ({ gateway }) => {
  ;[billed, approved, paidOut, credited] = [
    await makeEarner(gateway),
    await makeEarner(gateway),
    await makeEarner(gateway),
    await makeEarner(gateway),
  ]
  for (const earner of [billed, approved, paidOut, credited]) await saveAddress(gateway, earner, password)
})

const rowOf = (page: Page, username: string) =>
  page
    .getByRole('table', { name: /^(Pending Bills|All bills)$/ })
    .getByRole('row')
    .filter({ hasText: username })

const show = (page: Page, view: string) =>
  page.getByRole('group', { name: 'What is shown' }).getByText(view).click()

/** 64 hexadecimal digits that no other test uses. */
const hashOf = (word: string) => Buffer.from(word.padEnd(32, '.')).toString('hex')

test('support pays a closed bill with the whole address and a hash, and finds it in the history', async ({
  page,
  gateway,
}) => {
  const { client } = billed
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username)
  await page.getByRole('link', { name: 'Payment Management' }).click()
  await page.getByRole('searchbox', { name: 'Search' }).fill(client.username)
  const row = rowOf(page, client.username).filter({ hasText: '0.15' })
  await row.getByRole('button', { name: /^Mark as Paid/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Mark as Paid' })
  await expect(dialog).toContainText('TWes WkJV JUWd joDc p8RM q2VR hLN5 KVRh TJ')
  await expect(dialog.getByRole('img', { name: `QR code of the address ${someAddress}` })).toBeVisible()
  await expect(dialog.getByText('No look-alike known')).toBeVisible()
  const hash = hashOf(`bill of ${client.username}`)
  await dialog.getByLabel('Transaction Hash').fill(hash)
  await dialog.getByRole('button', { name: 'Mark as Paid' }).click()
  await expect(page.getByText('Payment has been marked as paid successfully.').first()).toBeVisible()
  await expect(row).toHaveCount(0)
  await show(page, 'All bills')
  await page.getByRole('searchbox', { name: 'Search' }).fill(client.username)
  await expect(row).toContainText('Paid')
  await expect(row).toContainText('unverified')
  await expect(row.getByRole('button', { name: /^Mark as Paid/ })).toHaveCount(0)

  await page.getByRole('tab', { name: 'Payment History' }).click()
  await page.getByRole('searchbox', { name: 'Search' }).fill(hash)
  const payment = page.getByRole('table', { name: 'Payment History' }).getByRole('row').nth(1)
  await expect(payment).toContainText(client.username)
  await expect(payment).toContainText(support.username)
  await expect(payment).toContainText('Confirmed')
})

test('a payment outside the bills is written down', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  await signInAsAdmin(page, gateway, '/payment-management?tab=history')
  await page.getByRole('button', { name: 'Add Payment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create Payment Record' })
  await dialog.getByRole('searchbox', { name: 'User' }).fill(client.username)
  await dialog.getByRole('radio', { name: new RegExp(client.username) }).check()
  await dialog.getByLabel('Amount (USDT)').fill('12.5')
  await dialog.getByLabel('USDT Address').fill(someAddress)
  await dialog.getByRole('button', { name: 'Add Payment' }).click()
  await expect(page.getByText('New payment record has been created successfully.').first()).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: client.username }).filter({ hasText: '12.50 USDT' })
  await expect(row).toContainText('Pending')
})

test('a payout is processed once, and the cards follow', async ({ page, gateway }) => {
  const { ownPriced } = paidOut
  await signInAsAdmin(page, gateway, '/payment-management?view=payouts&payout=pending')
  const digits = new RegExp(`^Process \\+44 909 879 ${ownPriced.slice(-4)}`)
  await page.getByRole('button', { name: digits }).click()
  const dialog = page.getByRole('dialog', { name: 'Process Payout' })
  await dialog.getByLabel('Transaction Hash').fill(hashOf(`payout ${ownPriced}`))
  await dialog.getByRole('button', { name: 'Process' }).click()
  await expect(page.getByText('Payout processed successfully').first()).toBeVisible()
  await expect(page.getByRole('button', { name: digits })).toHaveCount(0)
  await page.getByLabel('Payout status').selectOption('completed')
  await expect(page.getByRole('table', { name: 'Payouts' })).toContainText(`879 ${ownPriced.slice(-4)}`)
  await page.goto(`${gateway.url}/number-inventory`)
  await expect(page.getByRole('region', { name: 'Inventory', exact: true })).toContainText(
    'Total Revenue1.00',
  )
})

test('a credit note lowers what is due, and the bill with its payout becomes a payment run', async ({
  page,
  gateway,
}) => {
  const { username } = credited.client
  await signInAsAdmin(
    page,
    gateway,
    `/payment-management?view=bills&billText=${username}&billStatus=sent_to_support`,
  )
  const row = rowOf(page, username)
  await row.getByRole('button', { name: /^More actions/ }).click()
  await page.getByRole('menuitem', { name: 'Credit note' }).click()
  const note = page.getByRole('dialog', { name: 'Credit note' })
  await note.getByLabel('Amount (USDT)').fill('0.05')
  await note.getByRole('textbox', { name: 'Reason' }).fill('one message was a test')
  await note.getByRole('button', { name: 'Credit note' }).click()
  await expect(row).toContainText('0.05 credited')
  await expect(row).toContainText('0.10 due')

  await show(page, 'Can be paid')
  await page.getByRole('searchbox', { name: 'Search' }).fill(username)
  const payables = page.getByRole('table', { name: 'Pending Bills' })
  await expect(payables.getByRole('row')).toHaveCount(3)
  for (const words of ['0.10 due', '1.00 USDT'])
    await payables.getByRole('row').filter({ hasText: words }).getByRole('checkbox').check()
  await expect(page.getByRole('toolbar', { name: 'Selection' })).toContainText('1.10 USDT')
  await page.getByRole('button', { name: 'New payment run (2)' }).click()
  const draft = page.getByRole('dialog', { name: 'New payment run' })
  await draft.getByRole('button', { name: 'Draft 2 transfers' }).click()
  const run = page.getByRole('dialog', { name: /^Payment run #/ })
  await expect(run).toContainText('Awaits approval')
  await page.goto(`${gateway.url}/payment-management?view=run&payableText=${username}`)
  await expect(payables.getByRole('row').filter({ hasText: 'In a payment run' })).toHaveCount(2)
})

test('a client is denied the management of payments', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  await signIn(page, gateway, client.username, '/payment-management')
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
})

// The last one: a lower limit is in force at once, and a higher one takes two admins.
test('above the limit a second person approves what the first one asked for', async ({ page, gateway }) => {
  const { client } = approved
  const support = await gateway.person('support')
  await gateway.api('PUT', '/api/admin/settings/second_person_above', { settingValue: '0.1' })
  await signIn(page, gateway, support.username, `/payment-management?payableText=${client.username}`)
  await rowOf(page, client.username)
    .getByRole('button', { name: /^Mark as Paid/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Mark as Paid' })
  await expect(dialog).toContainText('Above 0.10 USDT, a second person must approve.')
  await dialog.getByLabel('Transaction Hash').fill(hashOf(`approved ${client.username}`))
  await dialog.getByRole('button', { name: 'Mark as Paid' }).click()
  await show(page, 'Waits for us')
  await expect(page.getByText(`approval asked by ${support.username}`)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Approve payment/ })).toHaveCount(0)

  await signInAsAdmin(page, gateway, `/payment-management?search=${client.username}`)
  await page.getByRole('button', { name: /^Approve payment/ }).click()
  await page.getByRole('dialog', { name: 'Approve Payment' }).getByRole('button', { name: 'Approve' }).click()
  await expect(rowOf(page, client.username).filter({ hasText: '0.15' })).toContainText('Paid')
})
