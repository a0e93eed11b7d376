import type { Page } from '@playwright/test'
import { fromBase32 } from '../server/test/people/base32.ts'
import { codeOf, stepAt } from '../server/src/users/factors/totp.ts'
import { dashboard, expect, signIn, submitSignIn, test, type TestGateway } from './harness.ts'

test.use({ gatewayName: 'second-factor' })

/** Passkeys need a host name, and every browser resolves this one. */
function byName(gateway: TestGateway): TestGateway {
  return { ...gateway, url: gateway.url.replace('127.0.0.1', 'localhost') }
}

/** The TOTP code of the time step `offset` steps from now. Waits when the current step is about to end. */
async function code(secret: string, offset: -1 | 0): Promise<string> {
  await expect.poll(() => Date.now() % 30_000).toBeLessThan(22_000)
  return codeOf(fromBase32(secret), stepAt(new Date()) + offset)
}

async function enterPassword(page: Page, { url }: TestGateway, username: string): Promise<void> {
  await page.goto(`${url}/auth`)
  await submitSignIn(page, username)
}

async function enterCode(page: Page, given: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Code' }).fill(given)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

async function openFactors(page: Page) {
  await page.getByRole('button', { name: 'your account' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  const account = page.getByRole('dialog', { name: 'Your account' })
  await account.getByRole('tab', { name: 'Second factor' }).click()
  return account
}

/**
 * Confirms the app with the code of the previous step, so that the current one can be used to sign in. Returns the
 * secret.
 */
async function confirmApp(page: Page): Promise<string> {
  await expect(page.getByRole('img', { name: 'QR code of the authenticator secret' })).toBeVisible()
  const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
  await page.getByRole('textbox', { name: 'Code' }).fill(await code(secret, -1))
  await page.getByRole('button', { name: 'Confirm' }).click()
  return secret
}

/** Gives the browser a virtual device for passkeys. Returns a function that lists the passkeys on it. */
async function plugDevice(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials
}

test('a person sets an app up and signs in with its code, then with a recovery code', async ({
  page,
  gateway,
}) => {
  const { username } = await gateway.person('user')
  await signIn(page, gateway, username)
  const account = await openFactors(page)
  await expect(account.getByText(/127\.0\.0\.1 is an IP address/)).toBeVisible()
  await account.getByRole('button', { name: 'Set up' }).click()
  const secret = await confirmApp(page)
  const codes = account.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(codes).toHaveCount(10)
  const recoveryCode = await codes.first().innerText()
  await account.getByRole('button', { name: 'Close' }).first().click()
  await expect(account.getByText('Not copied yet. It is not shown again.')).toBeVisible()
  await account.getByRole('button', { name: 'Stay' }).click()
  await account.getByRole('button', { name: 'I have saved them' }).click()
  await expect(account.getByText('10 of 10 left')).toBeVisible()
  await account.getByRole('button', { name: 'Close' }).first().click()
  await page.getByRole('button', { name: 'Logout' }).click()

  await enterPassword(page, gateway, username)
  await expect(page.getByRole('heading', { name: 'Second step' })).toBeVisible()
  await enterCode(page, '000000')
  await expect(page.getByText('The code is wrong, or was used before.').first()).toBeVisible()
  await enterCode(page, await code(secret, 0))
  await expect(dashboard(page)).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()

  await enterPassword(page, gateway, username)
  await enterCode(page, recoveryCode.toUpperCase())
  await expect(dashboard(page)).toBeVisible()
  await expect(page.getByText('9 recovery codes left', { exact: true })).toBeVisible()
})

test('a person makes a passkey and signs in with it alone, until it is removed', async ({
  page,
  gateway,
}) => {
  const home = byName(gateway)
  const { username } = await gateway.person('user')
  const onDevice = await plugDevice(page)
  await signIn(page, home, username)
  const account = await openFactors(page)
  await account.getByRole('button', { name: 'Add a passkey' }).click()
  await account.getByLabel('Name').fill('Work laptop')
  await account.getByRole('button', { name: 'Create the passkey' }).click()
  await account.getByRole('button', { name: 'I have saved them' }).click()
  await expect(account.getByRole('list', { name: 'Passkeys' }).getByText('Work laptop')).toBeVisible()
  expect(await onDevice()).toHaveLength(1)
  await account.getByRole('button', { name: 'Close' }).first().click()
  await page.getByRole('button', { name: 'Logout' }).click()

  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(dashboard(page)).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await enterPassword(page, home, username)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(dashboard(page)).toBeVisible()

  const again = await openFactors(page)
  await again.getByRole('button', { name: 'Remove Work laptop' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(again.getByRole('list', { name: 'Passkeys' })).toHaveCount(0)
  await again.getByRole('button', { name: 'Close' }).first().click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText(/The passkey was not accepted/).first()).toBeVisible()
})

test('staff without a second factor are advised, and once it is a rule led through it', async ({
  page,
  gateway,
}) => {
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username)
  await expect(page.getByText('Your account has no second factor')).toBeVisible()
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect(page.getByText('Your account has no second factor')).toHaveCount(0)
  await page.getByRole('button', { name: 'Logout' }).click()

  const { secret } = await gateway.api<{ secret: string }>('POST', '/api/user/second-factor/totp')
  const own = { code: await code(secret, 0) }
  await gateway.api('PUT', '/api/user/second-factor/totp', own)
  await gateway.api('PUT', '/api/admin/settings/second_factor', { settingValue: 'staff' })
  await enterPassword(page, gateway, username)
  await expect(page.getByRole('heading', { level: 1, name: 'Set up a second factor' })).toBeVisible()
  await page.goto(`${gateway.url}/users`)
  await page.getByRole('button', { name: 'Use an authenticator app' }).click()
  await confirmApp(page)
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Users Management' })).toBeVisible()
  await expect(
    page.getByRole('row', { name: new RegExp(username) }).getByText('On', { exact: true }),
  ).toBeVisible()
  await gateway.api('PUT', '/api/admin/settings/second_factor', { settingValue: 'off' })
})

test('an admin removes the second factor of a client who has lost the device', async ({ page, gateway }) => {
  const home = byName(gateway)
  const { id, username } = await gateway.person('user')
  await plugDevice(page)
  await signIn(page, home, username)
  const account = await openFactors(page)
  await account.getByRole('button', { name: 'Add a passkey' }).click()
  await account.getByRole('button', { name: 'Create the passkey' }).click()
  await account.getByRole('button', { name: 'I have saved them' }).click()
  expect(await gateway.api('GET', `/api/users/${id}`)).toMatchObject({ hasSecondFactor: true })
  await gateway.api('DELETE', `/api/users/${id}/second-factor`)
  await signIn(page, home, username)
})
