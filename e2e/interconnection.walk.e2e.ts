import { expect, signIn, signInAsAdmin, test } from './harness.ts'
import { startWebhookReceiver, startUpstream } from './upstream.ts'

// The tests count connections and endpoints.
test.use({ gatewayName: 'links' })

test('a connection is added, connects, is restarted, disconnected, tested and deleted', async ({
  page,
  gateway,
}) => {
  const outside = await startUpstream()
  await signInAsAdmin(page, gateway)
  await page.getByRole('navigation').getByRole('link', { name: 'Interconnection API' }).click()
  await expect(page.getByText('No SMPP connections yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add Connection' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Connection' })
  await expect(dialog.getByLabel('Interface Version')).toHaveValue('3.4')
  await expect(dialog.getByLabel('Source TON')).toHaveValue('1')
  await expect(dialog.getByLabel('Throughput (msg/s)')).toHaveValue('100')
  await dialog.getByLabel('Name').fill('west')
  await dialog.getByLabel('Host').fill('127.0.0.1')
  await dialog.getByLabel('Port').fill(String(outside.port))
  await dialog.getByLabel('System ID').fill('tollgate')
  await dialog.getByLabel('Password', { exact: true }).fill('secret08')
  await dialog.getByRole('button', { name: 'Add Connection' }).click()
  await expect(page.getByText('SMPP connection added successfully').first()).toBeVisible()
  const row = page.getByRole('row', { name: /west/ })
  await expect(row.getByText('Connected', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Interconnection' }).getByText('of 1')).toBeVisible()

  outside.bindStatus = 14
  await row.getByRole('link', { name: 'west' }).click()
  await page.getByRole('button', { name: 'Test Connection' }).click()
  await expect(page.getByText('west: Error Code 14: Invalid Password').first()).toBeVisible()
  await page.getByRole('button', { name: 'Restart' }).click()
  await expect(page.getByText('Authentication Failed').first()).toBeVisible()
  await expect(page.getByText('Error Code 14: Invalid Password').first()).toBeVisible()

  // The connection is disconnected first. Otherwise it would retry by itself, and the card's buttons would depend
  // on the moment.
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.goBack()
  await expect(row.getByText('Disconnected', { exact: true })).toBeVisible()
  outside.bindStatus = 0
  await page.getByRole('tab', { name: 'Monitoring' }).click()
  // Exact, because 'Disconnect west' contains these words too.
  const connect = page.getByRole('button', { name: 'Connect west', exact: true })
  await connect.click()
  await page.getByRole('button', { name: 'Disconnect west' }).click()
  await expect(connect).toBeVisible()
  const log = page.locator('section', { has: page.getByRole('heading', { name: 'Activity Log' }) })
  await expect(log.getByText('Connection failed')).toBeVisible()
  await expect(log.getByText(/^Disconnect ordered/)).toHaveCount(2)
  await expect(log.getByText('Disconnected', { exact: true })).toHaveCount(2)

  await page.getByRole('tab', { name: 'SMPP Connections' }).click()
  await row.getByRole('link', { name: 'west' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No SMPP connections yet')).toBeVisible()
  outside.close()
})

test('an endpoint shows its secret once, is tested, renewed, paused and deleted', async ({
  page,
  gateway,
}) => {
  const address = await startWebhookReceiver()
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username, '/interconnection-api?tab=endpoints')
  await expect(page.getByText('No API endpoints yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add Endpoint' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Endpoint' })
  await expect(dialog.getByLabel('Method')).toHaveValue('POST')
  await expect(dialog.getByLabel('Rate Limit')).toHaveValue('1000')
  await dialog.getByRole('button', { name: 'Add Endpoint' }).click()
  await expect(dialog.getByText('Endpoint URL is required')).toBeVisible()
  await dialog.getByLabel('Name').fill('CRM')
  await dialog.getByLabel('Endpoint URL').fill(address.url)
  await dialog.getByRole('button', { name: 'Add Endpoint' }).click()
  await expect(page.getByText('API endpoint added successfully').first()).toBeVisible()
  const secret = page.getByRole('dialog', { name: 'Signing secret' })
  await expect(secret.getByText(/^whsec_[A-Za-z0-9+/=]{44}$/)).toBeVisible()
  await secret.getByRole('button', { name: 'Close' }).first().click()
  await secret.getByRole('button', { name: 'Discard' }).click()

  await page.getByRole('row', { name: /CRM/ }).getByRole('link', { name: 'CRM' }).click()
  const endpoint = page.getByRole('main')
  await endpoint.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(endpoint.getByText(/Answered 204 in \d+ ms\./).first()).toBeVisible()
  expect(address.types).toEqual(['endpoint.test'])
  await expect(endpoint.getByText('100.0 %')).toBeVisible()
  await expect(endpoint.getByText('endpoint.test')).toBeVisible()
  await expect(endpoint.getByText('whsec_••••••••')).toBeVisible()
  await endpoint.getByRole('button', { name: 'Renew secret' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Renew secret' }).click()
  await expect(secret.getByText(/^whsec_[A-Za-z0-9+/=]{44}$/)).toBeVisible()
  await secret.getByRole('button', { name: 'Close' }).first().click()
  await secret.getByRole('button', { name: 'Discard' }).click()
  await endpoint.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Status').selectOption('maintenance')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(endpoint.getByText('Maintenance')).toBeVisible()
  await endpoint.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No API endpoints yet')).toBeVisible()
  address.close()
})

test('System Controls restart, configure and look at everything; support may only read the configuration', async ({
  page,
  gateway,
}) => {
  const outside = await startUpstream()
  await gateway.api('POST', '/api/smpp-connections', { name: 'north', host: '127.0.0.1', port: outside.port })
  await signInAsAdmin(page, gateway, '/interconnection-api?tab=monitoring')
  await expect(page.getByRole('button', { name: 'Disconnect north' })).toBeVisible()
  await page.getByRole('button', { name: 'Restart All' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restart All' }).click()
  await expect(page.getByText('Every started connection binds again.').first()).toBeVisible()
  await page.getByRole('button', { name: 'Health Check' }).click()
  const health = page.getByRole('dialog', { name: 'Health Check' })
  await expect(health.getByText('Database')).toBeVisible()
  await expect(health.getByText('north')).toBeVisible()
  await health.getByRole('button', { name: 'Close' }).first().click()
  await page.getByRole('button', { name: 'Global Config' }).click()
  const config = page.getByRole('dialog', { name: 'Global Config' })
  await config.getByLabel('Send window').fill('25')
  await config.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Configuration saved successfully').first()).toBeVisible()
  expect(await gateway.api('GET', '/api/interconnection/config')).toMatchObject({ sendWindow: 25 })
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username, '/interconnection-api?tab=monitoring')
  await page.getByRole('button', { name: 'Global Config' }).click()
  await expect(config.getByText('Only an admin can change these')).toBeVisible()
  await expect(config.getByLabel('Send window')).toHaveValue('25')
  const [{ id }] = await gateway.api<[{ id: string }]>('GET', '/api/smpp-connections')
  await gateway.api('DELETE', `/api/smpp-connections/${id}`)
  outside.close()
})

test('a user is denied', async ({ page, gateway }) => {
  const { username } = await gateway.person('user')
  await signIn(page, gateway, username, '/interconnection-api')
  await expect(page.getByText('Access Denied')).toBeVisible()
})

test('why a webhook failed is said in Hebrew, with the answer in it', async ({ page, gateway }) => {
  const address = await startWebhookReceiver()
  address.status = 503
  const { id } = (await gateway.api('POST', '/api/endpoints', {
    name: 'Hebrew CRM',
    endpoint: address.url,
  })) as { id: string }
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username, '/interconnection-api?tab=endpoints')
  await page.request.patch(`${gateway.url}/api/user/preferences`, {
    headers: { origin: gateway.url },
    data: { language: 'he' },
  })
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await page.getByRole('link', { name: 'Hebrew CRM', exact: true }).click()
  await page.getByRole('main').getByRole('button', { name: 'בדיקה', exact: true }).click()
  await expect(
    page
      .getByRole('main')
      .getByText(/הכתובת ענתה \u2068503\u2069/)
      .first(),
  ).toBeVisible()
  await gateway.api('DELETE', `/api/endpoints/${id}`)
  address.close()
})
