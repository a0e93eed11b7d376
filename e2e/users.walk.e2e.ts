import { chooseAction, dashboard, expect, password, signIn, signInAsAdmin, test } from './harness.ts'

test('an admin adds a user, who can sign in', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway, '/users')
  await page.getByRole('button', { name: 'Add User' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add User' })
  await dialog.getByLabel('Username').fill('om')
  await dialog.getByRole('button', { name: 'Add User' }).click()
  await expect(dialog.getByText('Username must be at least 3 characters')).toBeVisible()
  await expect(dialog.getByText('First name is required')).toBeVisible()
  await dialog.getByLabel('First Name').fill('Omar')
  await dialog.getByLabel('Last Name').fill('Haddad')
  await dialog.getByLabel('Username').fill('omar')
  await dialog.getByLabel('Email').fill('omar@example.com')
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await expect(dialog.getByLabel('Role')).toHaveValue('user')
  await expect(dialog.getByLabel('Max Connections')).toHaveValue('5')
  await dialog.getByRole('button', { name: 'Add User' }).click()
  await expect(page.getByText('User added successfully').first()).toBeVisible()
  await expect(page.getByRole('row', { name: /Omar Haddad/ })).toBeVisible()
  await signIn(page, gateway, 'omar')
  await expect(dashboard(page)).toBeVisible()
})

test("the row's own switches change status, role and SMPP access", async ({ page, gateway }) => {
  const { id, username } = await gateway.person('user')
  await signInAsAdmin(page, gateway, `/users?search=${username}`)
  await page.getByRole('button', { name: `Status of ${username}: Active` }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Suspended' }).click()
  await expect(page.getByText('User status updated successfully').first()).toBeVisible()
  await page.getByRole('button', { name: `Role of ${username}: user` }).click()
  await page.getByRole('menuitemcheckbox', { name: 'test' }).click()
  await expect(page.getByText('User role updated successfully').first()).toBeVisible()
  await page.getByRole('switch', { name: `SMPP access of ${username}` }).click()
  await expect(page.getByText('SMPP access updated successfully').first()).toBeVisible()
  expect(await gateway.api('GET', `/api/users/${id}`)).toMatchObject({
    status: 'suspended',
    role: 'test',
    smppAccess: true,
  })
})

test('support edits a user but neither admins nor roles', async ({ page, gateway }) => {
  const client = await gateway.person('user', { smppAccess: true })
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username, '/users')
  await expect(page.getByRole('button', { name: 'Edit admin', exact: true })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Role of/ })).toHaveCount(0)
  await page.getByRole('button', { name: `Edit ${client.username}`, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit User' })
  await expect(dialog.getByLabel('Role')).toHaveCount(0)
  await dialog.getByLabel('First Name').fill('Renamed')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('User updated successfully').first()).toBeVisible()
  await expect(page.getByText(/^Renamed Person/)).toBeVisible()
})

test('a client with SMPP access sees the same credentials as staff', async ({ page, gateway }) => {
  const { username } = await gateway.person('user', { smppAccess: true })
  await signInAsAdmin(page, gateway, `/users?search=${username}`)
  await chooseAction(page, username, 'SMPP credentials')
  const systemId = page.getByRole('definition').nth(2)
  const word = page.getByRole('definition').nth(3)
  await expect(systemId).not.toBeEmpty()
  const pair = [await systemId.innerText(), await word.innerText()]
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
  await signIn(page, gateway, username)
  await page.getByRole('button', { name: 'your account' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  await page.getByRole('tab', { name: 'SMPP' }).click()
  await expect(systemId).toHaveText(pair[0] ?? '')
  await expect(word).toHaveText(pair[1] ?? '')
})

test('support limits where and as what a carrier binds; a bad network is said at its field', async ({
  page,
  gateway,
}) => {
  const client = await gateway.person('user', { smppAccess: true })
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username, `/users?search=${client.username}`)
  await chooseAction(page, client.username, 'SMPP profile')
  const dialog = page.getByRole('dialog', { name: 'SMPP profile' })
  await expect(dialog.getByLabel('System ID')).toHaveValue(client.username)
  await dialog.getByLabel('Allowed Networks').fill('192.0.2.0/33')
  await dialog.getByLabel('System ID').fill('tollgate')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expect(dialog.getByText(/192\.0\.2\.0\/33.* is no network/)).toBeVisible()
  await dialog.getByLabel('Allowed Networks').fill('192.0.2.0/24')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expect(dialog.getByText('This system id is reserved')).toBeVisible()
  await dialog.getByLabel('System ID').fill('carrier-7')
  await dialog.getByLabel('Throughput').fill('120')
  await dialog.getByText('TLS only').click()
  await dialog.getByLabel('Delivery Window').fill('5')
  await dialog.getByLabel('Enquire Link').fill('45')
  await dialog.getByLabel('Alphabet of Coding 0').selectOption('latin1')
  await dialog.getByLabel('Message ID Form').selectOption('hex')
  await dialog.getByLabel('Interface Version').selectOption('3.3')
  await dialog.getByText('Strict: refuse reserved values').click()
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('SMPP profile updated successfully').first()).toBeVisible()
  expect(await gateway.api('GET', `/api/users/${client.id}/smpp-profile`)).toMatchObject({
    systemId: 'carrier-7',
    allowedCidrs: ['192.0.2.0/24'],
    throughput: 120,
    tlsOnly: true,
    window: 50,
    deliveryWindow: 5,
    enquireLinkSeconds: 45,
    inactivitySeconds: 300,
    defaultAlphabet: 'latin1',
    messageIdForm: 'hex',
    interfaceVersion: '3.3',
    isStrict: false,
  })
})
