// The buttons of whole pages, found by the test itself and clicked twice: one effect, and a true word about it.
import { expect, type Page } from '@playwright/test'
import { paths } from '../web/src/paths.ts'
import { test } from './demo.ts'
import { tryPage } from './double-click.ts'
import { objectFrom } from './walk-rules.ts'

test.use({ demoName: 'clicked' })

// The tests share a demo, and what they click happens there. So the admin, who may end what the others need, comes last.
// An admin may not bind, so that page is empty for it.
const { auth: _, dashboard: _dashboard, smppTraffic: _traffic, ...rest } = paths
// All of an admin's pages take four minutes, so without the setting it tries those on which most is done (README.md).
const ofAdmin =
  process.env['DOUBLE_CLICKS'] === 'all'
    ? Object.values(rest)
    : [paths.records, paths.users, paths.paymentManagement, paths.interconnectionApi, paths.numbersManagement]
// The pages that differ from those of an admin.
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  client1: [
    paths.home,
    paths.numbers,
    paths.payment,
    paths.numberRequests,
    paths.numberStock,
    paths.webhooks,
  ],
  supplier1: [paths.smppTraffic],
}

// A pause of the machine makes all clicks of one try or the other too slow.
const triesMax = 3

async function check(page: Page, url: string, isFirst = false) {
  for (let tries = 1; ; tries += 1) {
    const { faults, clicked, slow } = await tryPage(page, url, isFirst)
    expect.soft(faults, `${url}: ${clicked.join(', ')}`).toEqual([])
    if (slow.length > 0) console.log(`${url}: too slow to be double clicks: ${slow.join(', ')}`)
    if (clicked.length > 0 || slow.length === 0 || tries === triesMax) return clicked.length
  }
}

test('the pages of single objects: a double click has one effect', async ({ page, demo }) => {
  await demo.signIn(page, 'admin')
  const addresses = [
    await objectFrom(page, 'person', '/api/users', '"supplier1"'),
    await objectFrom(page, 'number', '/api/premium-numbers'),
    await objectFrom(page, 'range', '/api/ranges'),
    await objectFrom(page, 'connection', '/api/smpp-connections', '"demo-backup"'),
    await objectFrom(page, 'provider', '/api/providers'),
    await objectFrom(page, 'bill', '/api/billing/all-periods?status=sent_to_support'),
  ]
  let count = 0
  for (const path of addresses) count += await check(page, `${demo.url}${path}`)
  expect(count).toBeGreaterThan(addresses.length)
})

for (const [username, own] of Object.entries(ofOthers))
  test(`the pages of ${username}: a double click has one effect`, async ({ page, demo }) => {
    await demo.signIn(page, username)
    let count = 0
    for (const path of own) count += await check(page, `${demo.url}${path}`)
    expect(count).toBeGreaterThan(0)
  })

for (const path of ofAdmin)
  test(`${path}: a double click has one effect`, async ({ page, demo }) => {
    await demo.signIn(page, 'admin')
    expect(await check(page, `${demo.url}${path}`, path === paths.records)).toBeGreaterThan(0)
  })
