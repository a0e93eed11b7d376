import type { Page } from '@playwright/test'
import { chooseAction, dashboard, expect, signIn, signInAsAdmin, submitSignIn, test } from './harness.ts'

async function openSessions(page: Page, username: string): Promise<void> {
  await page.getByRole('button', { name: 'your account' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  await page.getByRole('tab', { name: 'Sessions' }).click()
  await expect(page.getByRole('list', { name: 'Sessions' })).toBeVisible()
  await expect(page.getByRole('dialog')).toContainText(username)
}

test('a person sees their sessions, signs one out, then all others', async ({ page, gateway, browser }) => {
  const { username } = await gateway.person('user')
  const contexts = await Promise.all([browser.newContext(), browser.newContext()])
  const [second, third] = await Promise.all(contexts.map((context) => context.newPage()))
  if (second === undefined || third === undefined) throw new Error('no pages')
  await signIn(second, gateway, username)
  await signIn(third, gateway, username)
  await signIn(page, gateway, username)

  await openSessions(page, username)
  const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await expect(rows).toHaveCount(3)
  await expect(rows.filter({ hasText: 'This session' })).toHaveCount(1)
  await expect(rows.first()).toContainText('Chrome on Linux')
  await page
    .getByRole('button', { name: /^Sign out Chrome on Linux/ })
    .first()
    .click()
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Sign out everywhere else' })).toBeHidden()

  // The other pages show the sign-in page at their next request; this one stays signed in.
  for (const other of [second, third]) {
    await other.reload()
    await expect(other.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  }
  await page.reload()
  await expect(dashboard(page)).toBeVisible()
  await Promise.all(contexts.map((context) => context.close()))
})

test('staff sign an account out everywhere', async ({ page, gateway, browser }) => {
  const { username } = await gateway.person('user')
  const context = await browser.newContext()
  const other = await context.newPage()
  await signIn(other, gateway, username)
  await signInAsAdmin(page, gateway, `/users?search=${username}`)
  await chooseAction(page, username, 'Sessions')
  const dialog = page.getByRole('dialog', { name: 'Sessions' })
  await expect(dialog.getByRole('listitem')).toHaveCount(1)
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(dialog.getByText('Signed in nowhere')).toBeVisible()
  await other.reload()
  await expect(other.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  await context.close()
})

test('failed sign-ins are shown at the next one, until they are understood', async ({ page, gateway }) => {
  const { username } = await gateway.person('support')
  await page.goto(`${gateway.url}/auth`)
  for (const nth of [1, 2]) {
    await submitSignIn(page, username, `not the password ${nth}`)
    await expect(page.getByText('Login failed').first()).toBeVisible()
  }
  await submitSignIn(page, username)
  const note = page.getByRole('note').filter({ hasText: '2 failed sign-ins since your last one' })
  await expect(note).toContainText('127.0.0.1')
  await note.getByRole('button', { name: 'Understood' }).click()
  await expect(note).toBeHidden()
  await page.reload()
  await expect(dashboard(page)).toBeVisible()
  await expect(note).toBeHidden()
})
