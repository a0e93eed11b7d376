// The choice of an export's form below SMS Records: what is downloaded has the chosen columns, and the records as they were
// answered.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { exportColumns } from '@tollgate/contract/records/export-columns.ts'
import { readParquet } from '../server/test/files/parquet.ts'
import { violationsOn } from './axe.ts'
import { expect, signInAsAdmin, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

const number = '447700900875'
const chosen = ['messageId', 'peerMessageId', 'createdAt', 'phoneNumber', 'bill'] as const

/** The file that a click on Export gives. */
async function download(page: Page): Promise<{ name: string; content: Buffer }> {
  const dialog = page.getByRole('dialog', { name: 'Export SMS records' })
  const downloading = page.waitForEvent('download')
  const isLink = (await dialog.getByRole('link', { name: 'Export' }).count()) > 0
  await dialog.getByRole(isLink ? 'link' : 'button', { name: 'Export' }).click()
  const file = await downloading
  await expect(dialog).toBeHidden()
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) }
}

async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'Format and Columns' }).click()
  return page.getByRole('dialog', { name: 'Export SMS records' })
}

test('CSV and Parquet are downloaded with the chosen columns, of all that match or of the selected', async ({
  page,
  gateway,
}) => {
  await gateway.api('POST', '/api/premium-numbers', { number, rate: '1.50' })
  const { id } = await gateway.person('user', { smppAccess: true })
  await gateway.api('PUT', `/api/users/${id}/smpp-profile`, { messageIdForm: 'decimal' })
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`)
  const supplier = await bindSupplier(gateway.smppPort, credentials)
  const answered = [
    (await supplier.send(number, 'first')).messageId,
    (await supplier.send(number, 'second')).messageId,
  ]
  supplier.close()

  await signInAsAdmin(page, gateway, `/sms-records?number=${number}`)
  const dialog = await openDialog(page)
  await expect(dialog.getByLabel('Format')).toHaveValue('csv')
  for (const column of exportColumns)
    if (!(chosen as readonly string[]).includes(column))
      await dialog.getByRole('checkbox', { name: column, exact: true }).uncheck()
  await expect(dialog.getByText(`Columns (${chosen.length})`)).toBeVisible()
  expect(await violationsOn(page)).toEqual([])
  const csv = await download(page)
  expect(csv.name).toMatch(/^sms-records-.*\.csv$/)
  const [header, ...lines] = csv.content.toString().trimEnd().split('\r\n')
  expect(header).toBe(chosen.join(','))
  const rows = lines.map((line) => line.split(','))
  // The newest first, each by the id that its supplier has.
  expect(rows.map(([, peerId]) => peerId)).toEqual(answered.toReversed())
  for (const [messageId, , createdAt, phoneNumber, bill] of rows) {
    expect(messageId).toMatch(/^[0-9A-Z]{26}$/)
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect([phoneNumber, bill]).toEqual([number, '1.50'])
  }

  // The choice is remembered.
  await openDialog(page)
  await expect(dialog.getByText(`Columns (${chosen.length})`)).toBeVisible()
  await dialog.getByLabel('Format').selectOption('parquet')
  const parquet = await download(page)
  expect(parquet.name).toMatch(/^sms-records-.*\.parquet$/)
  const found = await readParquet(parquet.content)
  expect(found.map((row) => Object.keys(row))).toEqual([[...chosen], [...chosen]])
  expect(
    found.map((row) => [
      row['messageId'],
      row['peerMessageId'],
      (row['createdAt'] as Date).toISOString(),
      row['phoneNumber'],
      Number(row['bill']).toFixed(2),
    ]),
  ).toEqual(rows)

  // Of two records the older one alone.
  await page
    .getByRole('checkbox', { name: /^Select \+44/ })
    .last()
    .check()
  await openDialog(page)
  await expect(dialog.getByLabel('Records')).toHaveValue('selected')
  await expect(dialog.getByLabel('Format')).toHaveValue('parquet')
  const one = await readParquet((await download(page)).content)
  expect(one.map((row) => row['peerMessageId'])).toEqual([answered[0]])
})
