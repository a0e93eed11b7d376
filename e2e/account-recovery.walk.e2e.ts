import type { Browser, Page } from '@playwright/test'
import { serveMail, type MailServer } from '../server/test/stand-ins/serve-mail.ts'
import {
  sidebar,
  chooseAction,
  expect,
  launch,
  signIn,
  signInAsAdmin,
  submitSignIn,
  test as base,
} from './harness.ts'

const test = base.extend<object, { mail: MailServer }>({
  mail: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this very pattern
    async ({}, use) => {
      const server = await serveMail()
      await use(server)
      server.stop()
    },
    { scope: 'worker' },
  ],
  gatewayName: ['ways-back', { scope: 'worker' }],
  env: [
    async ({ mail }, use) => {
      await use({ SMTP_URL: `smtp://127.0.0.1:${mail.smtp.port}`, MAIL_FROM: 'gate@example.com' })
    },
    { scope: 'worker' },
  ],
})

async function elsewhere(browser: Browser, work: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext()
  await work(await context.newPage())
  await context.close()
}

async function chooseAndSignIn(page: Page, username: string, word: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: 'Choose a new password' })).toBeVisible()
  await page.getByLabel('New password').fill(word)
  await page.getByRole('button', { name: 'Save the password' }).click()
  await expect(page.getByLabel('Username')).toHaveValue(username)
  await submitSignIn(page, username, word)
  await expect(sidebar(page)).toBeVisible()
}

test('an admin makes a link, and its person chooses a password with it, once', async ({
  page,
  browser,
  gateway,
}) => {
  const { username } = await gateway.person('user', { smppAccess: true })
  await signInAsAdmin(page, gateway, `/users?search=${username}`)
  await chooseAction(page, username, 'Password reset')
  const dialog = page.getByRole('dialog', { name: 'Password reset' })
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = (await dialog.getByText(/\/auth#reset=/).innerText()).trim()
  await expect(dialog.getByText('Can be used')).toBeVisible()
  await elsewhere(browser, async (visitor) => {
    await visitor.goto(link)
    await expect(visitor.getByRole('checkbox', { name: /new SMPP password/ })).toBeVisible()
    await expect(visitor).toHaveURL(`${gateway.url}/auth`)
    await chooseAndSignIn(visitor, username, 'chosen-by-a-link')
  })
  await elsewhere(browser, async (visitor) => {
    await visitor.goto(link)
    await expect(visitor.getByText('This link has been used already. Ask for a new one.')).toBeVisible()
    await visitor.getByRole('button', { name: 'Back to sign in' }).click()
    await submitSignIn(visitor, username, 'chosen-by-a-link')
    await expect(sidebar(visitor)).toBeVisible()
  })
})

test('a link into the account of an admin waits for a second admin', async ({ page, browser, gateway }) => {
  const { username } = await gateway.person('admin')
  const second = await gateway.person('admin')
  const users = `/users?search=${username}`
  const open = async (admin: Page) => {
    await chooseAction(admin, username, 'Password reset')
    return admin.getByRole('dialog', { name: 'Password reset' })
  }
  await signInAsAdmin(page, gateway, users)
  const first = await open(page)
  await first.getByRole('button', { name: 'Ask for a link' }).click()
  await expect(first.getByText('Waits for a second admin')).toBeVisible()
  await expect(first.getByRole('button', { name: 'Approve' })).toHaveCount(0)
  await elsewhere(browser, async (admin) => {
    await signIn(admin, gateway, second.username, users)
    const dialog = await open(admin)
    await dialog.getByRole('button', { name: 'Approve' }).click()
    const link = (await dialog.getByText(/\/auth#reset=/).innerText()).trim()
    await dialog.getByRole('button', { name: 'Take back' }).click()
    await expect(dialog.getByText('Taken back').first()).toBeVisible()
    await admin.goto(link)
    await expect(admin.getByText('This link was revoked. Ask for a new one.')).toBeVisible()
  })
})

test('who has forgotten the password gets a link by mail', async ({ page, gateway, mail }) => {
  const { username, email } = await gateway.person('user')
  await page.goto(`${gateway.url}/auth`)
  await page.getByLabel('Username').fill(username)
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await expect(page.getByLabel('Username or email')).toHaveValue(username)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText('Check your mailbox')).toBeVisible()
  const sent = () => mail.taken.find(({ to }) => to === email)?.text ?? ''
  await expect.poll(sent).toContain('/auth#reset=')
  await page.goto(/http\S+#reset=\S+/.exec(sent())?.[0] ?? '')
  await chooseAndSignIn(page, username, 'chosen-by-a-mail')
  await expect(page.getByText('Logged in as: User')).toBeVisible()
})

test('the first admin replaces the printed password before anything else opens', async ({ page }) => {
  const gateway = await launch({})
  const printed = /First admin: admin, password (\S+) /.exec(gateway.output())?.[1] ?? ''
  try {
    await page.goto(`${gateway.url}/users`)
    await submitSignIn(page, 'admin', printed)
    await expect(page.getByRole('heading', { level: 1, name: 'Choose a new password' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Main' })).toHaveCount(0)
    await page.getByLabel('New password').fill(printed)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await expect(page.getByText('Choose a password that is new')).toBeVisible()
    await page.getByLabel('New password').fill('the words of the admin')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Users Management' })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: 'Users Management' })).toBeVisible()
  } finally {
    await gateway.stop()
  }
})
