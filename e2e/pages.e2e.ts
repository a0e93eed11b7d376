// One walk through every page, as the role that owns it: each shows what is there. Spec §2. What a person does on a page
// is in the file of that page.
import { expect, type Page } from '@playwright/test'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { makeEarner, saveAddress, shortCycles, type Earner } from './earner.ts'
import { password, sidebar, signIn, signInAsAdmin, test, walkTo, type TestGateway } from './harness.ts'

// A bill is made while the other pages are walked through.
test.use(shortCycles)

interface Stop {
  readonly path: string
  readonly heading: string
  /** What only a page that has read its data shows. */
  readonly content: RegExp
}

/** A number as people read it: with spaces between groups of digits. */
const grouped = (number: string) => new RegExp(String.raw`\+${number.replaceAll(/(?<=\d)(?=\d)/g, ' ?')}`)

async function walk(page: Page, stops: readonly Stop[]): Promise<void> {
  const links = sidebar(page).getByRole('link')
  for (const { path, heading, content } of stops) {
    const link = links.and(page.locator(`[href="${path}"]`))
    if ((await link.count()) === 1) await link.click()
    else await walkTo(page, path)
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible()
    await expect(page.getByRole('main'), path).toContainText(content)
    await expect(page.getByRole('alert'), path).toHaveCount(0)
  }
}

let earner: Earner

test.beforeAll(async ({ gateway }) => {
  earner = await makeEarner(gateway)
  // Without one its bill waits for it.
  await saveAddress(gateway, earner, password)
  await gateway.api('POST', '/api/number-requests', {
    businessPurpose: 'Saturday votes',
    expectedVolume: '1-50',
  })
  await gateway.api('POST', '/api/ranges', {
    rangeNumber: '0909',
    startNumber: '449098700000',
    endNumber: '449098700999',
    rate: '2.90',
  })
  await gateway.api('POST', '/api/smpp-connections', {
    name: 'west',
    host: '127.0.0.1',
    port: 9,
    systemId: 'us',
    password: 'p',
  })
  await gateway.api('POST', '/api/providers', {
    name: 'north',
    apiUrl: 'http://127.0.0.1:9/cdr',
    authType: 'bearer',
    apiKey: 'k',
  })
})

const signInAs = async (page: Page, gateway: TestGateway, role: Role, path?: string) => {
  const { username } = await gateway.person(role)
  await signIn(page, gateway, username, path)
}

test('an admin sees the pages of links, terms and records', async ({ page, gateway }) => {
  await signInAsAdmin(page, gateway)
  const { number } = earner
  await walk(page, [
    { path: '/sms-records', heading: 'SMS Records', content: grouped(number) },
    { path: '/smpp-control', heading: 'SMPP Control', content: /Online/ },
    { path: '/http-providers', heading: 'HTTP Providers', content: /north/ },
    { path: '/admin-settings', heading: 'Admin Settings', content: /0\.050 USD/ },
    { path: '/audit-log', heading: 'Audit Log', content: /User: \w+/ },
  ])
})

test('support sees the pages of numbers, people, alerts and payments', async ({ page, gateway }) => {
  await signInAs(page, gateway, 'support')
  const { number, ownPriced, client } = earner
  await walk(page, [
    { path: '/numbers-management', heading: 'Numbers Management', content: grouped(number) },
    { path: '/number-inventory', heading: 'Number Inventory Management', content: grouped(ownPriced) },
    { path: '/ranges', heading: 'Number Ranges', content: /0909/ },
    { path: '/number-requests', heading: 'Number Requests', content: /Saturday votes/ },
    { path: '/users', heading: 'Users Management', content: new RegExp(client.username) },
    { path: '/interconnection-api', heading: 'Interconnection API', content: /west/ },
    { path: '/alerts', heading: 'Alerts', content: /west|north/ },
    { path: '/payment-management', heading: 'Payment Management', content: /0\.15/ },
  ])
})

test('a client sees its numbers, its records and its bill', async ({ page, gateway }) => {
  const { number, client } = earner
  await signIn(page, gateway, client.username)
  await walk(page, [
    { path: '/', heading: 'Dashboard', content: /5/ },
    { path: '/numbers', heading: 'Premium Numbers', content: grouped(number) },
    { path: '/sms-records', heading: 'SMS Records', content: grouped(number) },
    { path: '/number-requests', heading: 'Number Requests', content: /No requests found/ },
    { path: '/webhooks', heading: 'Webhooks', content: /No webhooks yet/ },
    { path: '/payment', heading: 'Payment & Billing', content: /USDT TRC20 Address/ },
  ])
  await page.getByRole('tab', { name: 'Automated Billing' }).click()
  const bill = page.getByRole('list', { name: 'Billing History' }).getByRole('listitem')
  await expect(bill.filter({ hasText: '3 SMS × 0.05 USDT' })).toContainText('0.15 USDT')
})

test('the test role sees its dashboard, and other pages are denied or not there', async ({
  page,
  gateway,
}) => {
  await signInAs(page, gateway, 'test')
  await walk(page, [
    { path: '/', heading: 'Dashboard', content: /Today/i },
    { path: '/numbers', heading: 'Premium Numbers', content: /No account numbers found/ },
  ])
  await walkTo(page, '/smpp-control')
  await expect(page.getByRole('heading', { level: 1, name: 'Access Denied' })).toBeVisible()
  await page.goto(`${gateway.url}/no-such-page`)
  await expect(page.getByRole('heading', { level: 1, name: 'Page Not Found' })).toBeVisible()
})
