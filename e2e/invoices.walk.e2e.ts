// Invoices by hand: the admin enters the own company's legal entity, the client its own, and both find the invoice as PDF.
import { readFile } from 'node:fs/promises'
import { linesOf } from '../server/test/files/pdf-texts.ts'
import { expect, signIn, signInAsAdmin, test } from './harness.ts'
import { makeEarner, shortCycles } from './earner.ts'

test.use(shortCycles)

test('the own company and a client enter their legal entities, and both download the invoice', async ({
  page,
  gateway,
}) => {
  const { client } = await makeEarner(gateway)
  await signInAsAdmin(page, gateway, '/books?tab=invoices')
  await page.getByRole('button', { name: 'Our legal entity', exact: true }).click()
  const company = page.getByRole('dialog', { name: 'Our legal entity' })
  await company.getByLabel('Legal Name').fill('Gates Networks GmbH')
  await company.getByLabel('Address', { exact: true }).fill('Torstrasse 1\n10115 Berlin')
  await company.getByLabel('Country').selectOption('Germany')
  await company.getByRole('button', { name: 'Save' }).click()
  await expect(company).toBeHidden()

  await signIn(page, gateway, client.username, '/payment?tab=invoices')
  await page.getByRole('button', { name: 'Enter legal entity' }).click()
  const entity = page.locator('section').filter({ hasText: 'self-billing' })
  await entity.getByLabel('Legal Name').fill('上海国际有限公司')
  await entity.getByLabel('Address', { exact: true }).fill('Νέα Οδός 5\nΑθήνα')
  await entity.getByLabel('Country').selectOption('Greece')
  await entity.getByLabel('Tax Number').fill('EL123456789')
  await entity.getByRole('button', { name: 'Save Legal Entity' }).click()
  await expect(entity.getByText(/Invoices cannot print 上 海/)).toBeVisible()
  await entity.getByLabel('Name in Latin letters').fill('Shanghai International Ltd')
  await entity.getByRole('button', { name: 'Save Legal Entity' }).click()
  await expect(page.getByText('Legal Entity Saved').first()).toBeVisible()

  await page.getByRole('tab', { name: 'Account' }).click()
  await page.getByRole('radio', { name: 'Invoices' }).check()
  const table = page.getByRole('table', { name: 'Invoices' })
  const invoice = table.getByRole('row').filter({ hasText: '0.15 USDT' })
  // The cycle lasts 12 s, the close up to 5 s, the invoice 5 s more, and the page polls.
  await expect(invoice).toContainText(/SB-\d{4}-\d{6}/)
  const downloading = page.waitForEvent('download')
  await invoice.getByRole('link', { name: /Download SB-/ }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^SB-\d{4}-\d{6}\.pdf$/)
  const said = linesOf(await readFile(await download.path())).join('\n')
  for (const part of [
    'Self-billing invoice',
    'Shanghai International Ltd',
    'Gates Networks GmbH',
    'Reverse charge',
    '0.15 USDT',
  ])
    expect(said).toContain(part)

  await signInAsAdmin(page, gateway, `/books?tab=invoices&invoiceText=${client.username}`)
  await expect(
    page
      .getByRole('table', { name: 'Invoices' })
      .getByRole('link', { name: /Download SB-/ })
      .first(),
  ).toBeVisible()
  await page
    .getByRole('button', { name: `Legal entity of ${client.username}` })
    .first()
    .click()
  await expect(page.getByRole('dialog').getByLabel('Legal Name')).toHaveValue('上海国际有限公司')
})
