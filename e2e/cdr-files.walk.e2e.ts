// CDR files: staff make a schedule to a folder, see its first file with count and hash, and send it again.
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../server/src/platform/db.ts'
import { violationsOn } from './axe.ts'
import { expect, signIn, test } from './harness.ts'

test.use({ gatewayName: 'cdr-files', env: { CDR_DIR: tmpdir() } })

test('a schedule to a folder: what is wrong stands at its field, a file comes with hash and count, and again', async ({
  page,
  gateway,
}) => {
  const folder = `tollgate-e2e-cdr-${randomUUID().slice(0, 8)}`
  const staff = await gateway.person('support')
  await signIn(page, gateway, staff.username, '/cdr-files')
  await expect(page.getByText('No schedules yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add schedule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add schedule' })
  await dialog.getByLabel('Name', { exact: true }).fill('acme')
  await dialog.getByLabel('Folder below CDR_DIR').fill('../outside')
  await dialog.getByRole('button', { name: 'Add schedule' }).click()
  await expect(dialog.getByText(/^Enter folders with/)).toBeVisible()
  expect(await violationsOn(page)).toEqual([])
  await dialog.getByLabel('Folder below CDR_DIR').fill(folder)
  await dialog.getByRole('button', { name: 'Add schedule' }).click()
  await expect(dialog).toBeHidden()

  // The hour is over.
  const database = openDatabase({ address: gateway.ownerUrl })
  await database.pool.query(
    `update cdr_schedules set period_from = clock_timestamp() - interval '1 hour',
       period_to = clock_timestamp() - interval '6 s'`,
  )
  await database.close()
  await page.getByRole('table', { name: 'CDR schedules' }).getByText('acme').click()
  const drawer = page.getByRole('dialog', { name: 'Schedule acme' })
  await expect(drawer.getByText('Delivered', { exact: true })).toBeVisible()
  const path = join(tmpdir(), folder)
  const name = readdirSync(path).find((each) => each.endsWith('.csv')) ?? ''
  const sha256 = createHash('sha256')
    .update(readFileSync(join(path, name)))
    .digest('hex')
  await expect(drawer.getByText(name, { exact: true })).toBeVisible()
  await expect(drawer.getByText(/0 records/)).toBeVisible()
  await expect(drawer.getByText(`${sha256.slice(0, 12)}…`)).toBeVisible()
  expect(await violationsOn(page)).toEqual([])

  rmSync(path, { recursive: true })
  await drawer.getByRole('button', { name: `Send again: ${name}` }).click()
  await expect.poll(() => readdirSync(tmpdir()).includes(folder) && readdirSync(path).length).toBe(2)
  rmSync(path, { recursive: true })
})
