// Numbers Management: a number is added, changed and deleted; a file is imported, first with a faulty line.
import { expect, sidebar, signInAsAdmin, test } from './harness.ts'
import { addPerson, clickCounter } from './jobs.ts'

const header = 'Number,Description,Rate,Status,Country,Country Code'

test('an admin adds, edits, imports and deletes numbers', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway)
  await sidebar(page).getByRole('link', { name: 'Numbers Management' }).click()
  await page.getByLabel('Search').fill('no such number')
  await expect(page.getByText('No numbers found matching your criteria')).toBeVisible()
  await page.getByRole('button', { name: 'Reset filters' }).click()

  await page.getByRole('button', { name: 'Add Number' }).first().click()
  const add = page.getByRole('dialog', { name: 'Add Premium Number' })
  await add.getByLabel('Number', { exact: true }).fill('+44 909 879 0301')
  await add.getByLabel('Rate (₪)').fill('1.50')
  await add.getByRole('button', { name: 'Add Number' }).click()
  await expect(page.getByText('Number added successfully', { exact: true })).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: '+44 909 879 0301' })
  await expect(row).toContainText('₪1.50')
  await expect(row).toContainText('United Kingdom')

  await page.getByRole('button', { name: 'Edit +44 909 879 0301' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Number' })
  await edit.getByLabel('Description').fill('Saturday votes')
  await edit.getByLabel('Status').selectOption('inactive')
  await edit.getByRole('button', { name: 'Save Changes' }).click()
  await expect(row).toContainText('Saturday votes')
  await expect(row).toContainText('Inactive')

  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import File' }).click()
  const faulty = `${header}\n+44 909 879 0302,Chat,2.90,active,,\n12,Bad,1,active,,\n`
  await (await chooser).setFiles({ name: 'numbers.csv', mimeType: 'text/csv', buffer: Buffer.from(faulty) })
  const dialog = page.getByRole('dialog', { name: 'Import Numbers' })
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(dialog.getByText('1 of 2 lines cannot be imported')).toBeVisible()
  await expect(dialog.getByText(/Enter an international number/)).toBeVisible()
  await dialog.getByLabel('CSV Data').fill(faulty.replace('12,Bad', '+44 909 879 0303,Good'))
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByText('Numbers imported successfully')).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: '+44 909 879 0303' })).toBeVisible()

  const template = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV Template' }).click()
  expect((await template).suggestedFilename()).toBe('premium_numbers_template.csv')

  await page.getByRole('button', { name: 'Delete +44 909 879 0301' }).click()
  const confirm = page.getByRole('alertdialog')
  await confirm.getByLabel('Type the number to confirm').fill('+44 909 879 0301')
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Number deleted successfully', { exact: true })).toBeVisible()
  await expect(row).toHaveCount(0)
})

test('three new clients get their sixty numbers by one import of a sales sheet', async ({
  page,
  gateway,
}) => {
  const { press, count } = clickCounter()
  const clients = ['acme1', 'acme2', 'acme3']
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInAsAdmin(page, gateway)
  await press(sidebar(page).getByRole('link', { name: 'Users Management' }))
  for (const username of clients) await addPerson(page, press, 'Add User', username)
  const peopleClicks = count()
  await press(sidebar(page).getByRole('link', { name: 'Numbers Management' }))
  const chooser = page.waitForEvent('filechooser')
  await press(page.getByRole('button', { name: 'Import File' }))
  const lines = clients.flatMap((username, at) =>
    Array.from({ length: 20 }, (_, n) => `+44 909 879 ${4000 + 20 * at + n};${username};1,5;Ada`),
  )
  const sheet = ['Phone;Customer;Price (ILS);Sold by', ...lines].join('\n')
  await (await chooser).setFiles({ name: 'sales.csv', mimeType: 'text/csv', buffer: Buffer.from(sheet) })
  const dialog = page.getByRole('dialog', { name: 'Import Numbers' })
  await press(dialog.getByRole('button', { name: 'Import', exact: true }))
  await expect(dialog.getByText('What are the columns of this file?')).toBeVisible()
  await expect(dialog.getByLabel('Phone')).toHaveValue('Number')
  await expect(dialog.getByLabel('Customer')).toHaveValue('Client')
  await dialog.getByLabel('Price (ILS)').selectOption('Rate')
  await press(dialog.getByRole('button', { name: 'Check only' }))
  await expect(dialog.getByText('60 lines read, all can be imported')).toBeVisible()
  await expect(dialog.getByRole('cell', { name: clients[0]! }).first()).toBeVisible()
  await press(dialog.getByRole('button', { name: 'Import', exact: true }))
  await expect(page.getByText('Numbers imported successfully (60)')).toBeVisible()
  // It took 45 clicks when people and assignments were done one by one.
  expect(count()).toBeLessThanOrEqual(22)
  expect(count() - peopleClicks).toBeLessThanOrEqual(5)
  await page.goto(`${gateway.url}/number-inventory`)
  await page.getByLabel('Search').fill(clients[1]!)
  await expect(page.getByRole('row').filter({ hasText: '+44 909 879 4020' })).toContainText(clients[1]!)
})
