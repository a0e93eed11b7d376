import { dashboard, expect, password, signIn, signInAsAdmin, submitSignIn, test } from './harness.ts'

test('the wrong password is refused with a message, the right one goes to the requested page', async ({
  page,
  gateway,
}) => {
  const { username } = await gateway.person('support')
  await page.goto(`${gateway.url}/users`)
  await expect(page).toHaveURL(/\/auth\?next=/)
  await expect(page.getByRole('heading', { level: 1, name: 'Premium SMS Gateway Platform' })).toBeVisible()
  await submitSignIn(page, username, 'not-the-password')
  await expect(page.getByText('Login failed').first()).toBeVisible()
  await submitSignIn(page, username)
  await expect(page).toHaveURL(`${gateway.url}/users`)
  await expect(page.getByRole('heading', { level: 1, name: 'Users Management' })).toBeVisible()
})

test('a stranger registers, is a user, and logs out', async ({ page, gateway }) => {
  await page.goto(`${gateway.url}/`)
  await page.getByRole('tab', { name: 'Register' }).click()
  await page.getByLabel('First Name').fill('Ruth')
  await page.getByLabel('Last Name').fill('Halpern')
  await page.getByLabel('Email').fill('ruth@example.com')
  await page.getByLabel('Username').fill('ruth')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('tabpanel').getByRole('button', { name: 'Register' }).click()
  await expect(dashboard(page)).toBeVisible()
  await expect(page.getByText('Logged in as: User')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(`${gateway.url}/auth`)
  await page.goto(`${gateway.url}/sms-records`)
  await expect(page).toHaveURL(/\/auth\?next=/)
})

test('a person changes their password and signs in with the new one', async ({ page, gateway }) => {
  const { username } = await gateway.person('user')
  await signIn(page, gateway, username)
  await page.getByRole('button', { name: 'your account' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  const account = page.getByRole('dialog', { name: 'Your account' })
  await account.getByLabel('Current password').fill('not-it-at-all')
  await account.getByLabel('New password').fill('a-new-password')
  await account.getByRole('button', { name: 'Change password' }).click()
  await expect(account.getByText('The password is wrong')).toBeVisible()
  await account.getByLabel('Current password').fill(password)
  await account.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Password changed; your other sessions have ended').first()).toBeVisible()
  await account.getByRole('button', { name: 'Close' }).first().click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await submitSignIn(page, username, 'a-new-password')
  await expect(dashboard(page)).toBeVisible()
})

test('an API key is shown once, opens the API, and is refused once deleted', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway)
  await page.getByRole('button', { name: 'your account' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  const account = page.getByRole('dialog', { name: 'Your account' })
  await account.getByRole('tab', { name: 'API keys' }).click()
  await account.getByRole('textbox', { name: 'Name' }).fill('Report robot')
  await account.getByRole('button', { name: 'Create key' }).click()
  const key = (await account.getByText(/^tgk_[\w-]{40,}/).innerText()).trim()
  const read = async () =>
    (await fetch(`${gateway.url}/api/records`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await read()).toBe(200)
  await account.getByRole('button', { name: 'Delete Report robot' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(account.getByText('No API keys yet')).toBeVisible()
  expect(await read()).toBe(401)
})
