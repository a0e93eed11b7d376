// A client with its own webhooks: made, tested, looked into, sent now, paused and deleted, and seen by support.
import { expect, signIn, test } from './harness.ts'
import { startWebhookReceiver } from './upstream.ts'

test('a client is told of its requests at its own address, finds a fault and sends again', async ({
  page,
  gateway,
}) => {
  const address = await startWebhookReceiver()
  const { username } = await gateway.person('user')
  await signIn(page, gateway, username)
  await page.getByRole('button', { name: /Logged in as/ }).click()
  await page.getByRole('menuitem', { name: 'Webhooks' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible()
  await expect(page.getByText('No webhooks yet')).toBeVisible()

  await page.getByRole('button', { name: 'Add Endpoint' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Endpoint' })
  await expect(dialog.getByText('Records of')).toHaveCount(0)
  await dialog.getByLabel('Name').fill('Ledger')
  await dialog.getByLabel('Endpoint URL').fill(address.url)
  await expect(dialog.getByLabel('Messages as they come')).toBeChecked()
  await dialog.getByLabel('Messages as they come').uncheck()
  await dialog.getByLabel('Long messages once whole').uncheck()
  await dialog.getByLabel('Delivery reports').uncheck()
  await dialog.getByRole('button', { name: 'Add Endpoint' }).click()
  await expect(dialog.getByText('Choose at least one event')).toBeVisible()
  await dialog.getByLabel('Number requests').check()
  await dialog.getByRole('button', { name: 'Add Endpoint' }).click()
  const secret = page.getByRole('dialog', { name: 'Signing secret' })
  await expect(secret.getByText(/^whsec_/)).toBeVisible()
  await secret.getByRole('button', { name: 'Close' }).first().click()
  await secret.getByRole('button', { name: 'Discard' }).click()

  await page.getByRole('link', { name: 'Ledger', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Ledger' })).toBeVisible()
  const endpoint = page.getByRole('main')
  await expect(endpoint.getByText('not at this address yet')).toBeVisible()
  await endpoint.getByRole('button', { name: 'Test' }).click()
  await expect(endpoint.getByText('not at this address yet')).toHaveCount(0)

  address.status = 503
  // So that it waits until somebody sends it.
  address.headers = { 'retry-after': '3600' }
  const wish = { businessPurpose: 'support line', expectedVolume: '1-50' }
  const made = await page.request.post(`${gateway.url}/api/number-requests`, {
    headers: { origin: gateway.url },
    data: wish,
  })
  expect(made.status()).toBe(201)
  await expect(endpoint.getByText(/request\.created/)).toBeVisible()
  await endpoint
    .getByRole('button', { name: /^Request and answer of / })
    .first()
    .click()
  await expect(endpoint.getByRole('region', { name: 'Request' })).toContainText(
    'webhook-signature: v1,••••••••',
  )
  await expect(endpoint.getByRole('region', { name: 'Request' })).toContainText('support line')
  await expect(endpoint.getByRole('region', { name: 'Attempts' })).toContainText('The address answered 503.')

  await endpoint.getByRole('button', { name: 'Pause' }).click()
  await expect(endpoint.getByRole('button', { name: 'Resume' })).toBeVisible()
  await endpoint.getByRole('button', { name: 'Resume' }).click()
  await expect(endpoint.getByRole('button', { name: 'Pause' })).toBeVisible()
  address.status = 204
  await endpoint.getByRole('button', { name: /^Send .* now$/ }).click()
  await expect
    .poll(() => address.types.filter((type) => type === 'request.created').length)
    .toBeGreaterThan(1)
  await expect(endpoint.getByRole('region', { name: 'Attempts' })).toContainText('Answered 204.')

  const { username: support } = await gateway.person('support')
  await signIn(page, gateway, support, `/users?search=${username}`)
  await page.getByRole('button', { name: `More actions for ${username}`, exact: true }).click()
  await page.getByRole('menuitem', { name: 'Webhooks' }).click()
  await expect(page.getByRole('heading', { name: `API Endpoints of ${username}` })).toBeVisible()
  await page
    .getByRole('row', { name: /Ledger/ })
    .getByRole('link', { name: 'Ledger' })
    .click()
  await expect(page.getByText(/request\.created/).first()).toBeVisible()
  const link = page.url()

  // The address that support has open is the client's own page too.
  await signIn(page, gateway, username, new URL(link).pathname)
  await expect(page.getByRole('heading', { level: 1, name: 'Ledger' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No webhooks yet')).toBeVisible()
  address.close()
})

test('the test role has no webhooks', async ({ page, gateway }) => {
  const { username } = await gateway.person('test')
  await signIn(page, gateway, username, '/webhooks')
  await expect(page.getByText('Access Denied')).toBeVisible()
})
