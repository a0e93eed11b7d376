// The product's main job, by hand: from an empty gateway to a priced record on the screen.
import smpp from 'smpp'
import { expect, password, signInAsAdmin, test } from './harness.ts'

// It counts on an empty gateway.
test.use({ stage: 'first message' })

interface Credentials {
  readonly systemId: string
  readonly password: string
}

/** Binds with an SMPP implementation that is not ours, and gives how to send. */
async function bindSupplier(port: number, { systemId, password: word }: Credentials) {
  const session = smpp.connect({ host: '127.0.0.1', port })
  await new Promise<void>((bound, refused) => {
    session.on('connect', () =>
      session.bind_transceiver({ system_id: systemId, password: word }, ({ command_status: status }) =>
        status === 0 ? bound() : refused(new Error(`bind refused with ${status}`)),
      ),
    )
  })
  return {
    send: (destination: string, text: string) =>
      new Promise<{ status: number; messageId: string }>((settle) =>
        session.submit_sm(
          {
            source_addr_ton: 1,
            source_addr_npi: 1,
            source_addr: '447700900318',
            dest_addr_ton: 1,
            dest_addr_npi: 1,
            destination_addr: destination,
            short_message: text,
          },
          ({ command_status: status, message_id: id }) =>
            settle({ status, messageId: typeof id === 'string' ? id : '' }),
        ),
      ),
    close: () => session.destroy(),
  }
}

test('an admin makes a client and a number, a supplier sends, and the priced record appears live', async ({
  page,
  gateway,
}) => {
  await signInAsAdmin(page, gateway)

  await page.getByRole('link', { name: 'Users Management' }).click()
  await page.getByRole('button', { name: 'Add User' }).click()
  const addUser = page.getByRole('dialog', { name: 'Add User' })
  await addUser.getByLabel('First Name').fill('Clara')
  await addUser.getByLabel('Last Name').fill('Client')
  await addUser.getByLabel('Username').fill('clara1')
  await addUser.getByLabel('Email').fill('clara@example.com')
  await addUser.getByLabel('Password', { exact: true }).fill(password)
  await addUser.getByLabel('SMPP Access').check({ force: true })
  await addUser.getByRole('button', { name: 'Add User' }).click()
  await expect(page.getByText('User added successfully', { exact: true })).toBeVisible()

  await page.getByRole('link', { name: 'Numbers Management' }).click()
  await page.getByRole('button', { name: 'Add Number' }).first().click()
  const addNumber = page.getByRole('dialog', { name: 'Add Premium Number' })
  await addNumber.getByLabel('Number', { exact: true }).fill('+44 909 879 0191')
  await addNumber.getByLabel('Rate (₪)').fill('1.50')
  await addNumber.getByRole('button', { name: 'Add Number' }).click()
  await expect(page.getByText('Number added successfully', { exact: true })).toBeVisible()

  await page.getByRole('link', { name: 'Number Inventory' }).click()
  await page.getByRole('button', { name: 'Assign +44 909 879 0191' }).click()
  const assign = page.getByRole('dialog', { name: 'Assign Number' })
  await assign.getByText('clara1').click()
  await assign.getByRole('button', { name: /^Assign/ }).click()
  await expect(page.getByText('Number assigned successfully', { exact: true })).toBeVisible()

  const [client] = await gateway.api<{ id: number }[]>('GET', '/api/users?search=clara')
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${client?.id}/smpp-credentials`)

  await page.getByRole('link', { name: 'SMS Records' }).click()
  await expect(page.getByText('No records found for the selected criteria.')).toBeVisible()
  await expect(page.getByText('live', { exact: true })).toBeVisible()

  const supplier = await bindSupplier(gateway.smppPort, credentials)
  const { status, messageId } = await supplier.send('449098790191', 'VOTE 7')
  expect(status).toBe(0)
  expect(messageId).toHaveLength(26)

  // Contract: on the screen within a second of its commit, without a reload.
  const row = page.getByRole('row').filter({ hasText: '+44 909 879 0191' })
  await expect(row).toBeVisible({ timeout: 2_000 })
  await expect(row).toContainText('₪1.50')
  await expect(row).toContainText('clara1')
  await expect(page.getByText('Total Bill Amount').locator('..')).toContainText('₪1.50')

  await row.getByRole('button', { name: /^Details/ }).click()
  const details = page
    .getByRole('dialog', { name: /^Record/ })
    .or(page.getByRole('complementary', { name: /^Record/ }))
  await expect(details).toContainText('0.050 USD')
  await expect(details).toContainText('Priced')

  const refused = await supplier.send('449098790199', 'VOTE 7')
  expect(refused.status).toBe(0x0b)
  supplier.close()
})
