// HTTP providers with a real one on this machine: configured, polled, failing and repaired; rows that wait and are
// replayed.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, signIn, signInAsAdmin, test } from './harness.ts'

// The tests count providers, and those of interconnection.walk.e2e.ts connections and endpoints.
test.use({ gatewayName: 'links' })

const provider = { isBroken: false, rows: [] as object[], url: '' }
let server: Server

test.beforeAll(async () => {
  server = createServer((request, response) => {
    const isKnown = request.headers['x-api-key'] === 'key-1'
    const status = provider.isBroken ? 500 : isKnown ? 200 : 401
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: { items: provider.rows } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cdr`
})
test.afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function rowTo(number: string, id: string): object {
  return {
    uid: id,
    timestamp: new Date(Date.now() - 30_000).toISOString(),
    number,
    sender: 'ACME',
    text: 'hello',
  }
}

test('the custom provider is configured by its preview, polled, and shows its errors', async ({
  page,
  gateway,
}) => {
  test.slow()
  await gateway.api('POST', '/api/premium-numbers', {
    number: '+449098791001',
    rate: '1.00',
    country: 'United Kingdom',
    countryCode: '+44',
  })
  provider.rows = [rowTo('+449098791001', 'a1'), rowTo('+449098791002', 'a2')]
  await signInAsAdmin(page, gateway)
  await page.getByRole('link', { name: 'HTTP Providers' }).click()
  await expect(page.getByText('No HTTP providers configured yet')).toBeVisible()

  await page.getByRole('button', { name: 'Configure Provider' }).click()
  const dialog = page.getByRole('dialog', { name: 'Configure Provider' })
  await dialog.getByLabel('API URL').fill(provider.url)
  await dialog.getByLabel('Authentication Type').selectOption('api_key')
  await dialog.getByLabel('API Key', { exact: true }).fill('key-1')
  await dialog.getByLabel('Poll Interval (seconds)').fill('1')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText('Lists in the answer: data.items')).toBeVisible()
  await dialog.getByLabel('List of rows').fill('data.items')
  await dialog.getByLabel('Row id').fill('uid')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText('449098791001')).toBeVisible()
  await dialog.getByRole('switch', { name: 'Enabled' }).check()
  await dialog.getByRole('button', { name: 'Save Configuration' }).click()
  await expect(page.getByText('Provider Configured', { exact: true })).toBeVisible()

  await page.getByRole('tab', { name: 'Worker Status' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Custom Provider' })
  await expect(row.getByText('Running')).toBeVisible()
  await expect(row.getByRole('cell').nth(2)).toHaveText('1')

  await row.getByRole('link', { name: 'Custom Provider' }).click()
  await page.getByRole('button', { name: 'Show Dead Letters' }).click()
  const letters = page.getByRole('dialog', { name: 'Dead letters of Custom Provider' })
  await expect(letters.getByText('Its number is none of ours.')).toBeVisible()
  await gateway.api('POST', '/api/premium-numbers', {
    number: '+449098791002',
    rate: '1.00',
    country: 'United Kingdom',
    countryCode: '+44',
  })
  // Either the click or the next poll makes a record of the row. Then no row waits.
  await expect(
    letters
      .getByText('No row waits')
      .or(letters.getByRole('button', { name: 'Replay All' }))
      .first(),
  ).toBeVisible()
  await letters.getByRole('button', { name: 'Close' }).first().click()
  await expect(page.getByRole('button', { name: 'Show Dead Letters' })).toHaveCount(0)

  provider.isBroken = true
  await expect(page.getByText('The provider answered 500 instead of 200.')).toBeVisible()
  await page.getByRole('button', { name: 'Test Custom Provider' }).click()
  await expect(page.getByText('Test Failed').first()).toBeVisible()
  provider.isBroken = false
  await expect(page.getByText('Running').first()).toBeVisible()

  await page.getByRole('button', { name: 'Stop Custom Provider' }).click()
  await expect(page.getByText('Provider Stopped', { exact: true })).toBeVisible()
  await expect(page.getByText('Stopped', { exact: true })).toBeVisible()
  const { overall } = await gateway.api<{ overall: { totalMessagesSynced: number } }>(
    'GET',
    '/api/workers/stats',
  )
  expect(overall.totalMessagesSynced).toBe(2)
})

test('support has no access to providers', async ({ page, gateway }) => {
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, '/http-providers')
  await expect(page.getByText('Access Denied')).toBeVisible()
})
