// A client asks for a number, support assigns a fitting one, and the client holds it.
import { expect, sidebar, signIn, test } from './harness.ts'
import { clickCounter } from './jobs.ts'

test('a request goes from the client to the queue and comes back as a number', async ({
  browser,
  page,
  gateway,
}) => {
  const client = await gateway.person('user')
  const support = await gateway.person('support')
  await gateway.api('POST', '/api/premium-numbers', { number: '+44 909 879 0321' })

  await signIn(page, gateway, client.username)
  await page.getByRole('navigation').getByRole('link', { name: 'Number Requests' }).click()
  await expect(
    page.getByText('No requests found. Submit your first number request to get started.'),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Request Number' }).first().click()
  const ask = page.getByRole('dialog', { name: 'Request Number' })
  await ask.getByLabel('Requested Number').fill('+44 909 879 0321')
  await ask.getByLabel('Business Purpose').fill('Saturday votes')
  await ask.getByLabel('Expected Volume').selectOption('50-200')
  await ask.getByRole('button', { name: 'Submit Request' }).click()
  await expect(page.getByText('Number request submitted successfully', { exact: true })).toBeVisible()

  const other = await browser.newContext()
  const desk = await other.newPage()
  await signIn(desk, gateway, support.username)
  await desk.getByRole('link', { name: /Number Requests/ }).click()
  await desk.getByRole('button', { name: `Assign request of ${client.username}` }).click()
  const assign = desk.getByRole('dialog', { name: 'Assign a Number' })
  await assign.getByRole('radio', { name: /\+44 909 879 0321/ }).check()
  await assign.getByRole('button', { name: 'Assign', exact: true }).click()
  await expect(desk.getByText('Request processed successfully', { exact: true })).toBeVisible()
  await other.close()

  // Without a reload, because the live feed reports the change.
  await expect(page.getByRole('row').filter({ hasText: 'Saturday votes' })).toContainText('Assigned')
  await page.getByRole('navigation').getByRole('link', { name: 'Premium Numbers' }).click()
  await expect(page.getByRole('row').filter({ hasText: '+44 909 879 0321' })).toContainText('ACC-')
})

test('support rejects several requests with one reason', async ({ page, gateway }) => {
  for (const businessPurpose of ['First of two', 'Second of two'])
    await gateway.api('POST', '/api/number-requests', { businessPurpose, expectedVolume: '1-50' })
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username, '/number-requests?search=of+two&status=all')
  const rows = page.getByRole('row').filter({ hasText: 'of two' })
  await expect(rows).toHaveCount(2)
  for (const row of await rows.all()) await row.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Reject (2)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reject 2 requests' })
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await page.keyboard.type('No stock in that country')
  await dialog.getByRole('button', { name: 'Reject' }).dblclick()
  await expect(page.getByText('2 requests processed successfully').first()).toBeVisible()
  for (const row of await rows.all()) await expect(row).toContainText('No stock in that country')
})

test('support answers two requests with the numbers that fit best', async ({ page, gateway }) => {
  const numbers = ['+44 909 879 0351', '+44 909 879 0352']
  for (const [index, number] of numbers.entries()) {
    await gateway.api('POST', '/api/premium-numbers', { number })
    await gateway.api('POST', '/api/number-requests', {
      requestedNumber: number,
      businessPurpose: `Answered at once ${index}`,
      expectedVolume: '1-50',
    })
  }
  const support = await gateway.person('support')
  await signIn(page, gateway, support.username)
  const { press, count } = clickCounter()
  await press(sidebar(page).getByRole('link', { name: /Number Requests/ }))
  for (const number of numbers) {
    const row = page.getByRole('row').filter({ hasText: number })
    await press(row.getByRole('button', { name: /^Assign/ }))
    const assign = page.getByRole('dialog', { name: 'Assign a Number' })
    await expect(
      assign.getByRole('radio', { name: new RegExp(number.replace('+', String.raw`\+`)) }),
    ).toBeChecked()
    await page.keyboard.press('Enter')
    await expect(assign).toBeHidden()
    await expect(row).toHaveCount(0)
  }
  // It took 7 when each number had to be picked.
  expect(count()).toBeLessThanOrEqual(3)
})
