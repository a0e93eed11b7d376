// Visits places of the console one after the other, and goes Back through all of them.
import { expect, type Page } from '@playwright/test'
import { settled } from './walk-rules.ts'

export interface Place {
  readonly address: string
  readonly heading: string
  /** The chosen tab of the page; empty where there are none. */
  readonly tab: string
}

const tabs = (page: Page) => page.getByRole('main').getByRole('tablist').first().getByRole('tab')

async function placeOf(page: Page): Promise<Place> {
  const chosen = tabs(page).and(page.locator('[aria-selected="true"]'))
  return {
    address: page.url(),
    heading: await page.getByRole('heading', { level: 1 }).innerText(),
    // Without its count, which lives.
    tab: (await chosen.count()) === 0 ? '' : ((await chosen.innerText()).split('\n')[0] ?? ''),
  }
}

/** Goes to an address, through each of its tabs, and adds these places to `visited`. */
export async function visitTabs(page: Page, visited: Place[], go: () => Promise<void>): Promise<void> {
  await go()
  await settled(page)
  await expect(page.getByText('Access Denied')).toHaveCount(0)
  visited.push(await placeOf(page))
  // The first tab is the page as it opens.
  for (let index = 1; index < (await tabs(page).count()); index += 1) {
    await tabs(page).nth(index).click()
    await expect(tabs(page).nth(index)).toHaveAttribute('aria-selected', 'true')
    visited.push(await placeOf(page))
  }
}

/** Goes Back to each place in turn. */
export async function goBackThrough(page: Page, visited: readonly Place[]): Promise<void> {
  for (const place of visited.toReversed().slice(1)) {
    await page.goBack()
    await expect.poll(() => placeOf(page), { message: place.address }).toEqual(place)
  }
}
