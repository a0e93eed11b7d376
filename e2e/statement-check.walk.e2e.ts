// A statement is checked in the client's browser: correct as downloaded, and wrong at the line that was changed.
import { readFile } from 'node:fs/promises'
import { expect, signIn, test } from './harness.ts'
import { makeEarner, shortCycles } from './earner.ts'

test.use(shortCycles)

test('the signed records check out, and a changed one is named', async ({ page, gateway }) => {
  const { client, number } = await makeEarner(gateway)
  await signIn(page, gateway, client.username, '/payment?tab=billing')
  const bill = page
    .getByRole('list', { name: 'Billing History' })
    .getByRole('listitem')
    .filter({ hasText: '3 SMS × 0.05 USDT' })
  await bill.getByRole('button', { name: /^Show bill/ }).click()
  // The statement is made within seconds of the close. Until then its download is refused.
  const link = page.getByRole('dialog', { name: /^Bill/ }).getByRole('link', { name: /^Signed records/ })
  const path = (await link.getAttribute('href')) ?? ''
  await expect.poll(async () => (await page.request.get(`${gateway.url}${path}`)).status()).toBe(200)
  const downloading = page.waitForEvent('download')
  await link.click()
  const text = await readFile(await (await downloading).path(), 'utf8')

  await page.goto(`${gateway.url}/payment`)
  await page.getByRole('tab', { name: 'Account' }).click()
  await page.getByRole('radio', { name: 'Check a statement' }).check()
  const choose = (content: string) =>
    page.getByLabel('Statement file').setInputFiles({
      name: 'statement.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(content),
    })
  await choose(text)
  await expect(page.getByText('YES: chain, amounts and signature fit')).toBeVisible()
  const outcome = page.getByRole('region', { name: 'Outcome for statement.jsonl' })
  await expect(outcome).toContainText('0.15 USDT')

  const lines = text.split('\n')
  const place = lines.findIndex((line) => line.includes(`"number":"${number}"`))
  const { id } = JSON.parse(lines[place] ?? '{}') as { id: string }
  await choose(
    lines.with(place, (lines[place] ?? '').replace(/"sender":"[^"]*"/, '"sender":"12345"')).join('\n'),
  )
  await expect(page.getByText('NO: statement.jsonl is not what was signed')).toBeVisible()
  const [fault] = await page
    .getByRole('list', { name: 'What is not as it should be' })
    .getByRole('listitem')
    .all()
  await expect(fault!).toContainText(`line ${place + 1}`)
  await expect(fault!).toContainText(id)

  await choose('this is a letter')
  await expect(page.getByText('This is not a line of a statement.')).toBeVisible()
})

test('a file of many records leaves the page usable while it is checked', async ({ page, gateway }) => {
  const client = await gateway.person('user')
  await signIn(page, gateway, client.username, '/payment?tab=check')
  const record =
    '{"type":"record","id":"01KAAAAAAAAAAAAAAAAAAAAAAA","at":"2026-11-20T10:00:00.000Z","number":"449098790142",' +
    '"sender":"4915112345678","rate":"0.05","amount":"0.05","counts":"bill","chain":"0123456789abcdef"}\n'
  // The file is made in the browser, because Playwright cannot send one of this size.
  await page.getByLabel('Statement file').evaluate((input: HTMLInputElement, line) => {
    const chosen = new DataTransfer()
    chosen.items.add(
      new File(
        Array.from({ length: 20 }, () => line.repeat(10_000)),
        'large.jsonl',
      ),
    )
    input.files = chosen.files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  }, record)
  await expect(page.getByRole('progressbar')).toBeVisible()
  await page.getByRole('tab', { name: 'Automated Billing' }).click()
  await expect(page.getByText('No billing history yet')).toBeVisible()
  await page.getByRole('tab', { name: 'Account' }).click()
  await page.getByRole('radio', { name: 'Check a statement' }).check()
  await page.getByLabel('Statement file').setInputFiles({
    name: 'small.jsonl',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(record),
  })
  await expect(page.getByText('NO: small.jsonl is not what was signed')).toBeVisible()
})
