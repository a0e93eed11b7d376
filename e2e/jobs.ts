// Jobs that people do by hand, with their clicks counted.
import type { Locator, Page } from '@playwright/test'
import { expect } from './harness.ts'

/** Clicks for a person, and counts them; what is typed into fields is not counted. */
export function clickCounter() {
  let count = 0
  return {
    press: async (target: Locator): Promise<void> => {
      count += 1
      await target.click()
    },
    count: () => count,
  }
}

/**
 * Opens Add User by a button, fills it without a password, and copies the link; the page may use the clipboard. Returns the
 * link for the person, and what a supplier binds with.
 */
export async function addPerson(
  page: Page,
  press: (target: Locator) => Promise<void>,
  opener: string,
  username: string,
) {
  await press(page.getByRole('button', { name: opener }))
  const addUser = page.getByRole('dialog', { name: 'Add User' })
  await addUser.getByLabel('First Name').fill(username)
  await addUser.getByLabel('Last Name').fill('Person')
  await addUser.getByLabel('Username').fill(username)
  await addUser.getByLabel('Email').fill(`${username}@example.com`)
  await press(addUser.getByRole('button', { name: 'Add User' }))
  const made = page.getByRole('dialog', { name: 'Hand over the account' })
  const link = (await made.getByText(/\/auth#reset=[\w-]+$/).innerText()).trim()
  const pair = made.getByRole('definition')
  if (opener === 'Add a supplier') await expect(pair.nth(3)).not.toBeEmpty()
  const [systemId = '', word = ''] = (await pair.allInnerTexts()).slice(2)
  await press(made.getByRole('button', { name: /^Copy link/ }))
  await expect(page.getByText('Copied to clipboard').first()).toBeVisible()
  await press(made.getByRole('button', { name: 'Close' }).last())
  await expect(made).toBeHidden()
  return { link, systemId, password: word }
}
