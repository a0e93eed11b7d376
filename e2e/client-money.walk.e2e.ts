// A client's three questions about money, with their clicks counted: how much this week by number, why less than last week,
// and when it is paid.
import { clickCounter } from './jobs.ts'
import { test } from './demo.ts'
import { expect } from './harness.ts'

test('the home says when the money comes, and one click says what each number earned and how that changed', async ({
  page,
  demo,
}) => {
  const clicks = clickCounter()
  await demo.signIn(page, 'client1', '/dashboard')
  const money = page.getByRole('region', { name: 'Your money' })
  // When will I be paid: no click.
  await expect(money).toContainText('in a payment run since')
  await expect(money).toContainText('waits for approval')
  const due = await page.request.get(`${demo.url}/api/billing/due`)
  const { dueAmount } = (await due.json()) as { dueAmount: string }
  expect(Number(dueAmount)).toBeGreaterThan(100)
  await expect(money).toContainText(Number(dueAmount).toLocaleString('en-US', { minimumFractionDigits: 2 }))
  expect(clicks.count()).toBe(0)

  // How much this week by number, and why less than last week: one click.
  await clicks.press(money.getByRole('link', { name: 'by number' }))
  const table = page.getByRole('table', { name: 'By Number' })
  await expect(table.getByRole('columnheader', { name: 'Earned', exact: true })).toHaveAttribute(
    'aria-sort',
    'descending',
  )
  await expect(table.getByRole('columnheader', { name: /^Earned, change/ })).toBeVisible()
  await expect(table.getByRole('row').nth(1)).toContainText(/[+−]\d/)
  expect(clicks.count()).toBe(1)

  // What happened is in the bell.
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await expect(page.getByRole('dialog', { name: 'Notifications' })).toContainText('was paid to you')
})

test('the signed records of a bill are checked without a file', async ({ page, demo }) => {
  const clicks = clickCounter()
  await demo.signIn(page, 'client1', '/payment?tab=billing')
  await clicks.press(page.getByRole('button', { name: /^Show bill/ }).first())
  await clicks.press(page.getByRole('link', { name: /^Check the records of/ }))
  await expect(page.getByText('YES: chain, amounts and signature fit')).toBeVisible({ timeout: 60_000 })
  expect(clicks.count()).toBe(2)
})
