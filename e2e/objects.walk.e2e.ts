// From Ctrl K to the page of each kind of object, by one of its names.
import type { Page } from '@playwright/test'
import { makeEarner, saveAddress, shortCycles } from './earner.ts'
import { expect, password, signIn, signInAsAdmin, test } from './harness.ts'

test.use(shortCycles)

/** Looks for a text by the keyboard alone, and opens the option with this name. */
async function jump(page: Page, text: string, option: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: 'Search or jump to' })
  await box.fill(text)
  // Not the offer to find the text in SMS Records.
  const found = page.getByRole('option', { name: new RegExp(`^${option.replace('+', '\\+')}`) }).first()
  await expect(found).toBeVisible()
  for (let press = 0; (await found.getAttribute('aria-selected')) !== 'true' && press < 30; press += 1)
    await box.press('ArrowDown')
  await box.press('Enter')
  await expect(box).toHaveCount(0)
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

test('Ctrl K leads to the page of each thing; its notes and history are there', async ({ page, gateway }) => {
  const earner = await makeEarner(gateway)
  const { client, number } = earner
  await saveAddress(gateway, earner, password)
  await gateway.api('POST', '/api/ranges', {
    rangeNumber: 'Walk-90',
    startNumber: '449098790000',
    endNumber: '449098799999',
  })
  await gateway.api('POST', '/api/smpp-connections', {
    name: 'walk-west',
    host: '127.0.0.1',
    port: 9,
    systemId: 'walk',
    password: 'secret08',
  })
  await gateway.api('POST', '/api/providers', {
    name: 'walk-feed',
    apiUrl: 'https://feed.example/cdr',
    authType: 'bearer',
    apiKey: 'k',
    enabled: false,
  })
  await signInAsAdmin(page, gateway)
  await expect(heading(page, 'Dashboard')).toBeVisible()

  await jump(page, client.username, client.username)
  await expect(heading(page, client.fullName)).toBeVisible()
  await page.getByRole('tab', { name: 'Notes' }).click()
  await page.getByLabel('New note').fill('Calls on Mondays')
  await page.getByRole('button', { name: 'Add Note' }).click()
  await expect(page.getByRole('list', { name: 'Notes' })).toContainText('Calls on Mondays')
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Note: create' })).toBeVisible()

  await jump(page, number.slice(-8), `+${number}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(number.slice(-4))
  await page.getByRole('link', { name: 'Walk-90' }).click()
  await expect(heading(page, 'Walk-90')).toBeVisible()
  await jump(page, 'walk-9', 'Walk-90')
  await expect(heading(page, 'Walk-90')).toBeVisible()
  await jump(page, 'walk-w', 'walk-west')
  await expect(heading(page, 'walk-west')).toBeVisible()
  await jump(page, 'walk-f', 'walk-feed')
  await expect(heading(page, 'walk-feed')).toBeVisible()

  // The period of the messages is closed and billed meanwhile.
  let bill = ''
  await expect
    .poll(async () => {
      const bills = await gateway.api<{ id: string; status: string }[]>(
        'GET',
        `/api/billing/all-periods?userId=${client.id}&status=sent_to_support`,
      )
      bill = bills[0]?.id ?? ''
      return bill
    })
    .not.toBe('')
  await jump(page, bill, `Bill ${bill}`)
  await expect(heading(page, `Bill #${bill}`)).toBeVisible()

  // The client sees its bill and its number, and no page of a person.
  await signIn(page, gateway, client.username, `/bills/${bill}`)
  await expect(heading(page, `Bill #${bill}`)).toBeVisible()
  await jump(page, number, `+${number}`)
  await expect(page.getByRole('tab', { name: 'Notes' })).toHaveCount(0)
  await page.goto(`${gateway.url}/users/${client.id}`)
  await expect(heading(page, 'Access Denied')).toBeVisible()
})
