// Number ranges: changed by an admin, read by a client.
import { readFile } from 'node:fs/promises'
import { makeEarner } from './earner.ts'
import { expect, signIn, signInAsAdmin, test } from './harness.ts'

test('an admin adds, edits and deletes a range', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway)
  await page.getByRole('link', { name: 'Number Ranges' }).click()
  await page.getByLabel('Search').fill('no such range')
  await expect(page.getByText('No ranges found.')).toBeVisible()
  await page.getByRole('button', { name: 'Reset filters' }).click()
  await page.getByRole('button', { name: 'Add Range' }).first().click()
  const add = page.getByRole('dialog', { name: 'Add Range' })
  await add.getByLabel('Range Number').fill('0909')
  await add.getByLabel('Rate (₪)').fill('2.90')
  await add.getByLabel('Start Number').fill('+44 909 870 0000')
  await add.getByLabel('End Number').fill('+44 909 870 0999')
  await add.getByRole('button', { name: 'Add Range' }).click()
  const row = page.getByRole('row').filter({ hasText: '0909' })
  await expect(row).toContainText('₪2.90')

  await page.getByRole('button', { name: 'Edit 0909' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Range' })
  await edit.getByLabel('Description').fill('Chat lines')
  await edit.getByRole('button', { name: 'Save Changes' }).click()
  await expect(row).toContainText('Chat lines')

  await row.getByRole('checkbox', { name: 'Select 0909' }).check()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export Selected (1)' }).click()
  expect((await download).suggestedFilename()).toBe('number-ranges.csv')
  const file = await readFile(await (await download).path(), 'utf8')
  expect(file.trimEnd().split('\r\n').slice(1)).toEqual([
    expect.stringContaining(',0909,449098700000,449098700999,Chat lines,2.90,active,'),
  ])
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Delete 0909' }).click()
  const confirm = page.getByRole('alertdialog')
  await confirm.getByLabel('Type the range number to confirm').fill('0909')
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await expect(row).toHaveCount(0)
})

test('a client reads ranges and changes none', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  await signIn(page, gateway, client.username)
  await page.getByRole('link', { name: 'Number Ranges' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Number Ranges' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Range' })).toHaveCount(0)
})

test('what a range earned leads to exactly its messages, without those that were tests', async ({
  page,
  gateway,
}) => {
  const ends = { startNumber: '449098790400', endNumber: '449098790999' }
  const { id } = await gateway.api<{ id: string }>('POST', '/api/ranges', { rangeNumber: '0940', ...ends })
  const { client, ownPriced } = await makeEarner(gateway)
  await gateway.api('POST', '/api/simulator/messages', { from: '447700900318', to: ownPriced, text: 'Hello' })
  await signIn(page, gateway, client.username, `/ranges/${id}`)
  const figures = page
    .getByRole('region', { name: 'Earned' })
    .getByRole('link', { name: 'SMS records of 0940' })
  await expect(figures.first()).toHaveText('5')
  const earned = await figures.last().textContent()
  await page.getByRole('link', { name: 'Number Ranges' }).first().click()
  const link = page.getByRole('row').getByRole('link', { name: 'SMS records of 0940' })
  await expect(link).toHaveText(earned ?? '')
  await link.click()
  const total = (label: string) => page.getByText(label, { exact: true }).locator('..')
  await expect(total('Total Records')).toContainText('5')
  await expect(total('Total Earned')).toContainText(`${earned} USD`)
  await page.getByRole('button', { name: 'Remove filter Without tests' }).click()
  await expect(total('Total Records')).toContainText('6')
  await expect(page.getByRole('row').filter({ hasText: 'Simulator' })).toContainText('Test')
})

test('of the ranges set to a status, one that somebody else changed is named and left alone', async ({
  page,
  gateway,
}) => {
  const [start, end] = ['449098710000', '449098710999']
  const ranges = await Promise.all(
    ['0971', '0972'].map((rangeNumber) =>
      gateway.api<{ id: string }>('POST', '/api/ranges', { rangeNumber, startNumber: start, endNumber: end }),
    ),
  )
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, '/ranges?search=097')
  for (const name of ['0971', '0972'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
  await gateway.api('PUT', `/api/ranges/${ranges[1]?.id}`, { description: 'Changed meanwhile' })
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.getByRole('menuitem', { name: 'Inactive' }).click()
  const dialog = page.getByRole('dialog', { name: '1 of 2 not changed' })
  await expect(dialog).toContainText('0972')
  await expect(dialog).toContainText('Somebody changed this in the meantime')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('row').filter({ hasText: '0971' })).toContainText('Inactive')
  await expect(page.getByRole('row').filter({ hasText: 'Changed meanwhile' })).toContainText('Active')
})
