// A long message in its parts: each is a record, and from each the whole text and the others can be reached.
import { expect, password, signInAsAdmin, test } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

test('the drawer of a part leads to the others and shows the whole text', async ({ page, gateway }) => {
  const number = '449098790733'
  const person = { password, email: 'l@example.com', firstName: 'L', lastName: 'L' }
  const { id } = await gateway.api<{ id: number }>('POST', '/api/register', {
    ...person,
    username: 'longsupplier',
    role: 'user',
    smppAccess: true,
  })
  await gateway.api('POST', '/api/premium-numbers', { number, rate: '1.50' })
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`)
  const supplier = await bindSupplier(gateway.smppPort, credentials)
  const [first = '', second = ''] = await supplier.sendParts(number, [
    'Roses are ',
    'red, ',
    'violets are blue',
  ])
  supplier.close()

  await signInAsAdmin(page, gateway, `/sms-records?open=${second}`)
  const details = page
    .getByRole('dialog', { name: /^Record/ })
    .or(page.getByRole('complementary', { name: /^Record/ }))
  await expect(details.getByText('2 of 3, reference 7')).toBeVisible()
  await expect(details.getByText('Complete: 3 of 3')).toBeVisible()
  await details.getByRole('button', { name: 'Show' }).click()
  await details.getByRole('button', { name: 'Show text' }).click()
  await expect(details.getByText('The whole message (3 of 3 parts)')).toBeVisible()
  await expect(details.getByText('Roses are red, violets are blue')).toBeVisible()
  // The octets as they came, the header apart, and who has seen them.
  await expect(details.getByText('05 00 03 07 03 02', { exact: true })).toBeVisible()
  await expect(details.getByText('72 65 64 2c 20', { exact: true })).toBeVisible()
  await expect(details.getByText(/data_coding 0x00 .* coding 0 is GSM/)).toBeVisible()
  const readings = await gateway.api<{ objectId: string }[]>('GET', '/api/audit?action=record.read_text')
  expect(readings.map(({ objectId }) => objectId)).toEqual(expect.arrayContaining([first, second]))
  await details.getByRole('link', { name: 'Part 1' }).click()
  await expect(page).toHaveURL(new RegExp(`open=${first}`))
  await expect(details.getByText('1 of 3, reference 7')).toBeVisible()
})
