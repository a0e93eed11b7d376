// A payment run in the browser: drafted by one, approved by another, sent by the wallet, matched on chain, closed. And a
// transfer that nobody asked for.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { demoToken, openChain, type DemoChain } from '../server/src/programs/demo/chain.ts'
import { toAddress } from '../server/src/rates/index.ts'
import { makeEarner, saveAddress, type Earner } from './earner.ts'
import { test as base, expect, password, signIn, type TestGateway } from './harness.ts'

const test = base.extend<object, { chain: DemoChain }>({
  gatewayName: ['runs', { scope: 'worker' }],
  // A node and a wallet; its blocks are irreversible at once.
  chain: [
    async ({ gatewayName }, use) => {
      expect(gatewayName).toBe('runs')
      const chain = await openChain(demoToken, { irreversibleAfterMs: 0 })
      await use(chain)
      await chain.stop()
    },
    { scope: 'worker' },
  ],
  env: [
    async ({ chain }, use) => {
      await use({
        BILLING_CYCLE_SECONDS: '12',
        TRON_API_URL: chain.url,
        TRON_USDT_CONTRACT: demoToken,
      })
    },
    { scope: 'worker' },
  ],
})

// A close every 12 s, and a reading every 10 s.
const addresses = ['a1', 'a2', 'a3'].map((pair) => toAddress(pair.repeat(20)))

let one: Earner, two: Earner

test.beforeAll(async ({ gateway, chain }) => {
  await gateway.api('PUT', '/api/admin/settings/treasury_addresses', { settingValue: chain.walletAddress })
  ;[one, two] = [await makeEarner(gateway), await makeEarner(gateway)]
  await saveAddress(gateway, one, password, addresses[0])
  await saveAddress(gateway, two, password, addresses[1])
})

const runs = '/payment-management?tab=runs'

/** Until both clients have a bill and a payout. */
async function awaitDebts(gateway: TestGateway): Promise<void> {
  const count = async () => {
    const { lines } = await gateway.api<{ lines: { debts: unknown[] }[] }>('GET', '/api/payment-runs/draft')
    return lines.flatMap(({ debts }) => debts).length
  }
  await expect.poll(count).toBeGreaterThanOrEqual(4)
}

/** Has the wallet send these lines. */
const send = (chain: DemoChain, lines: string) =>
  fetch(chain.url, { method: 'POST', body: new URLSearchParams({ lines }) })

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^Payment run #/ })

test('a run is drafted, approved by a second person, exported, sent, matched and closed', async ({
  page,
  gateway,
  chain,
}) => {
  await awaitDebts(gateway)
  const [drafter, approver] = [await gateway.person('support'), await gateway.person('support')]
  await signIn(page, gateway, drafter.username, runs)
  await page.getByRole('button', { name: 'New payment run' }).click()
  const draft = page.getByRole('dialog', { name: 'New payment run' })
  await expect(draft.getByText('Nothing was ever paid to this address.').first()).toBeVisible()
  await draft.getByLabel('Note').fill('both clients')
  await draft.getByRole('button', { name: 'Draft 2 transfers' }).click()
  await expect(dialogOf(page)).toContainText('You drafted it: a second person approves it.')
  await expect(dialogOf(page).getByRole('button', { name: 'Approve' })).toHaveCount(0)

  await signIn(page, gateway, approver.username, runs)
  await page.getByText('both clients').click()
  await expect(dialogOf(page)).toContainText(drafter.username)
  await dialogOf(page).getByRole('button', { name: 'Approve' }).click()
  const downloading = page.waitForEvent('download')
  await dialogOf(page).getByRole('button', { name: 'Export for wallet' }).click()
  const file = await readFile(await (await downloading).path(), 'utf8')
  // A bill of 0.15 and a payout of 1.00 each, by one transfer.
  const amounts = file.split(/\r\n/).slice(1, 3)
  expect(amounts.map((line) => line.split(',').slice(0, 2))).toEqual([
    [addresses[0], '1.15'],
    [addresses[1], '1.15'],
  ])
  await send(chain, amounts[0] ?? '')
  await expect(dialogOf(page)).toContainText('1 of 2 transfers paid')
  await send(chain, amounts[1] ?? '')
  await expect(dialogOf(page)).toContainText('2 of 2 transfers paid')
  await expect(dialogOf(page)).toContainText('Closed by')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('row').filter({ hasText: 'both clients' })).toContainText('Closed')
  const bills = await gateway.api<{ userId: number; paymentVerification: string }[]>(
    'GET',
    '/api/billing/all-periods?status=paid',
  )
  for (const { client } of [one, two])
    expect(bills.find(({ userId }) => userId === client.id)?.paymentVerification).toBe('verified')
})

test('a transfer without a debt is shown and explained, and wallet and ledger are equal again', async ({
  page,
  gateway,
  chain,
}) => {
  const support = await gateway.person('support')
  await send(chain, `${addresses[2]},5`)
  await signIn(page, gateway, support.username, '/payment-management?tab=history&list=transfers')
  const row = page.getByRole('table', { name: 'Transfers' }).getByRole('row').filter({ hasText: '5.00 USDT' })
  await expect(row).toContainText('No debt known')
  await row.getByRole('button', { name: /^Explain/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Explain transfer' })
  await dialog.getByLabel('Reason').fill('Energy for the wallet')
  await dialog.getByRole('button', { name: 'Explain' }).click()
  await expect(row).toContainText('Explained')
  await expect(row).toContainText('Energy for the wallet')
})

test('the former address of the aging shows what is owed, and clients see none of it', async ({
  page,
  gateway,
}) => {
  const late = await makeEarner(gateway)
  await saveAddress(gateway, late, password, addresses[2])
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, '/books?tab=aging')
  const row = page
    .getByRole('table', { name: 'Accounts' })
    .getByRole('row')
    .filter({ hasText: late.client.username })
  await expect(row).toContainText('1.15')
  await signIn(page, gateway, late.client.username, runs)
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
})
