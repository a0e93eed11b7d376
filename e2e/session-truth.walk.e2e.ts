import { dashboard, expect, password, signIn, signInAsAdmin, submitSignIn, test } from './harness.ts'

test('a logout in one tab ends the page in the other', async ({ page, gateway }) => {
  const { username } = await gateway.person('user')
  await signIn(page, gateway, username)
  const second = await page.context().newPage()
  await second.goto(`${gateway.url}/numbers`)
  await expect(second.getByRole('button', { name: 'Logout' })).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(second.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
})

test('a session that ends under a form is begun again over it, and the form is sent', async ({
  page,
  gateway,
}) => {
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username, '/users')
  await page.getByRole('button', { name: 'Add User' }).click()
  const form = page.getByRole('dialog', { name: 'Add User' })
  await form.getByLabel('First Name').fill('Kim')
  await form.getByLabel('Last Name').fill('Kept')
  await form.getByLabel('Username').fill(`kept.${username}`)
  await form.getByLabel('Email').fill('kept@example.com')
  await form.getByLabel('Password', { exact: true }).fill(password)
  await page.context().clearCookies()
  // A call that the page makes by itself may be the first to find that the session has ended, and cover the form.
  await page.locator('[role="dialog"] button[type="submit"]', { hasText: 'Add User' }).dispatchEvent('click')
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  await expect(again.getByLabel('Username')).toHaveValue(username)
  await again.getByLabel('Password', { exact: true }).fill(password)
  await again.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByText('User added successfully').first()).toBeVisible()
  await expect(page.getByRole('row', { name: /Kim Kept/ })).toBeVisible()
})

test('a frozen gateway shows within 15 s, with the time of its last word, and again when it is back', async ({
  page,
  gateway,
}) => {
  const { username } = await gateway.person('user')
  await signIn(page, gateway, username)
  await expect(dashboard(page)).toBeVisible()
  // The feed is open once the server has sent something.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/api/')),
  )
  const notice = page.getByRole('alert').filter({ hasText: 'No answer from the server since' })
  // A pause of the machine spoils one try or the other.
  await expect(async () => {
    gateway.freeze(true)
    try {
      await expect(notice).toBeVisible({ timeout: 15_000 })
      const filters = await page
        .locator('.status-icon')
        .evaluateAll((icons) => [...new Set(icons.map((icon) => getComputedStyle(icon).filter))])
      expect(filters).toEqual(['grayscale(1)'])
    } finally {
      gateway.freeze(false)
    }
    await expect(notice).toBeHidden()
  }).toPass()
})

test('a lost network shows within 15 s, and nothing of it once the network is back', async ({
  page,
  gateway,
}) => {
  const { username } = await gateway.person('user')
  await signIn(page, gateway, username, '/sms-records')
  const live = page.getByText('live', { exact: true })
  const notice = page.getByRole('alert').filter({ hasText: 'No answer from the server since' })
  // A pause of the machine spoils one try or the other.
  await expect(async () => {
    await page.context().setOffline(false)
    await expect(live).toBeVisible()
    await page.context().setOffline(true)
    await expect(page.getByText(/^reconnecting/)).toBeVisible({ timeout: 5_000 })
    await expect(notice).toBeVisible({ timeout: 15_000 })
    await page.context().setOffline(false)
    await expect(notice).toBeHidden({ timeout: 3_000 })
  }).toPass()
  await expect(live).toBeVisible()
})

test('a sign-up that waits for approval says so, stands in the queue with a badge, and is approved', async ({
  page,
  gateway,
}) => {
  await gateway.api('PUT', '/api/admin/settings/registration', { settingValue: 'approval' })
  try {
    await page.goto(`${gateway.url}/auth`)
    await page.getByRole('tab', { name: 'Register' }).click()
    await expect(page.getByText('Each account is approved first')).toBeVisible()
    await page.getByLabel('First Name').fill('Nina')
    await page.getByLabel('Last Name').fill('New')
    await page.getByLabel('Email').fill('nina@example.com')
    await page.getByLabel('Username').fill('nina.new')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Register' }).click()
    await expect(page.getByText('Your account waits for approval')).toBeVisible()
    await page.getByRole('tab', { name: 'Sign In' }).click()
    await submitSignIn(page, 'nina.new')
    await expect(page.getByText('This account waits for approval').first()).toBeVisible()
  } finally {
    await gateway.api('PUT', '/api/admin/settings/registration', { settingValue: 'open' })
  }
  await signInAsAdmin(page, gateway)
  await expect(page.getByRole('link', { name: /Users Management 1/ })).toBeVisible()
  await page.getByRole('link', { name: /Users Management 1/ }).click()
  await page.getByRole('button', { name: 'Approve nina.new' }).click()
  await expect(page.getByText('nina.new may sign in now').first()).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await submitSignIn(page, 'nina.new')
  await expect(dashboard(page)).toBeVisible()
})
