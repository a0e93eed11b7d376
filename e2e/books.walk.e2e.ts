// Books: a client's account with its movements, for the client and for staff; accruals; the journal with its numbers.
import { readFile } from 'node:fs/promises'
import { expect, password, signIn, signInAsAdmin, test } from './harness.ts'
import { makeEarner, saveAddress, shortCycles } from './earner.ts'

test.use(shortCycles)

test('a client and staff see the same account: the bill, its payment, and the balance after each', async ({
  page,
  gateway,
}) => {
  const earner = await makeEarner(gateway)
  const { client } = earner
  await saveAddress(gateway, earner, password)
  await signIn(page, gateway, client.username, '/payment?tab=account')
  const movements = page.getByRole('table', { name: 'Movements' })
  // The cycle lasts 12 s, the close up to 5 s, and the page polls.
  const bill = movements.getByRole('row').filter({ hasText: 'You earned, bill' })
  await expect(bill).toContainText('+0.15 USDT')
  await expect(
    movements.getByRole('row').filter({ hasText: 'numbers with a price of their own' }),
  ).toContainText('+1.00 USDT')
  const figures = page.getByRole('region', { name: 'Account', exact: true })
  await expect(figures).toContainText('1.15')
  await bill.getByRole('link', { name: /^Open bill/ }).click()
  await expect(page.getByRole('dialog', { name: /^Bill/ })).toBeVisible()

  const [period] = await gateway.api<{ id: string }[]>(
    'GET',
    `/api/billing/all-periods?userId=${client.id}&status=sent_to_support`,
  )
  const transactionHash = Buffer.from(`account of ${client.username}`.padEnd(32, '.'))
    .toString('hex')
    .slice(0, 64)
  await gateway.api('PUT', `/api/billing/periods/${period?.id}/pay`, { transactionHash })

  await signInAsAdmin(page, gateway, '/payment-management')
  await page.getByRole('link', { name: 'Books' }).click()
  await page.getByRole('searchbox', { name: 'Search' }).fill(client.username)
  await page.getByRole('button', { name: `Open the account of ${client.username}` }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Account of ${client.username}`)
  const payment = movements.getByRole('row').filter({ hasText: 'Payment' })
  await expect(payment).toContainText('−0.15 USDT')
  await expect(payment).toContainText('1.00 USDT')
  await page.getByLabel('Movement', { exact: true }).selectOption('payment')
  await expect(movements.getByRole('row')).toHaveCount(2)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  expect(text.trim().split('\r\n')).toHaveLength(2)
  expect(text).toContain(transactionHash)
})

test('an admin numbers the accounts and downloads the journal', async ({ page, gateway }) => {
  // Also when midnight passes meanwhile.
  const [today = '', tomorrow = ''] = [0, 86_400_000].map((ms) =>
    new Date(Date.now() + ms).toISOString().slice(0, 10),
  )
  const { client } = await makeEarner(gateway)
  await signInAsAdmin(page, gateway, '/books?tab=journal')
  await page.getByLabel('First day').fill(today)
  await page.getByLabel('Last day').fill(tomorrow)
  await expect(page.getByText('Accounts without a number')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Download' })).toBeDisabled()
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accounts' })
  const labels = ['Cost of messages', 'Earned, not billed', 'Held for review', 'Billed, not paid']
  const more = [
    'Paid from the wallet',
    'Credit of clients',
    'Payments in clearance',
    'Corrections and waivers',
  ]
  for (const [index, label] of [...labels, ...more].entries())
    await dialog.getByLabel(label).fill(String(1600 + index))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The accounts have been saved.').first()).toBeVisible()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`journal-${today}-${tomorrow}.csv`)
  const text = await readFile(await download.path(), 'utf8')
  expect(text).toContain('Debit Account,Debit Number')
  expect(text).toContain(client.username)

  await page.getByRole('radio', { name: 'Accruals' }).check()
  await page.getByLabel('At the end of').fill('2020-01-01')
  await expect(page.getByText('Nothing was owed')).toBeVisible()
})

test('a purchase price gives the messages of its range a margin, and no others', async ({
  page,
  gateway,
}) => {
  const today = new Date().toISOString().slice(0, 10)
  const { number } = await makeEarner(gateway)
  await gateway.api('POST', '/api/ranges', {
    rangeNumber: 'Margin range',
    startNumber: '449098791000',
    endNumber: '449098791099',
  })
  await signInAsAdmin(page, gateway, `/books?tab=margin&from=${today}&to=2099-12-31`)
  // The numbers of the test are in no range.
  expect(number).not.toMatch(/^4490987910/)
  await expect(page.getByText(/^clients earned/)).toBeVisible()
  await page.getByRole('button', { name: 'Add Price' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Price' })
  await dialog.getByLabel('Range').fill('No such range')
  await dialog.getByLabel('Supplier').fill('Carrier One')
  await dialog.getByLabel('Price per message (USDT)').fill('0.08')
  await dialog.getByLabel('From', { exact: true }).fill(today)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('There is no such range').first()).toBeVisible()
  await dialog.getByLabel('Range').fill('Margin range')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The purchase price has been saved.').first()).toBeVisible()
  await expect(page.getByRole('table', { name: 'Purchase prices' })).toContainText('0.08 USDT')
  await expect(page.getByRole('table', { name: 'Margin by range' })).toContainText('no range')

  // Figures that come late move nothing.
  const figures = page.getByRole('region', { name: 'Margin', exact: true })
  gateway.freeze(true)
  await page.getByLabel('By', { exact: true }).selectOption('supplier')
  await expect(page.getByText('Loading the margin...')).toBeAttached()
  const waiting = await figures.boundingBox()
  gateway.freeze(false)
  await expect(page.getByText('Loading the margin...')).toHaveCount(0)
  await expect(page.getByText(/^clients earned/)).toBeVisible()
  expect(await figures.boundingBox()).toEqual(waiting)
})
