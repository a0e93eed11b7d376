// Walks through pages and their tabs, and holds each against the rules of accessibility and the widths of laptops.
import { expect, type Locator, type Page } from '@playwright/test'
import { objectPath, type ObjectKind } from '../web/src/paths.ts'
import { violationsOn } from './axe.ts'
import { walkTo } from './harness.ts'
import { checkWidths } from './widths.ts'

// The frame around the pages is the same on all: the dashboard is checked with it.
export const inside = 'main'

export async function settled(page: Page): Promise<void> {
  await expect(page.locator('h1:not([data-left])')).toBeVisible()
  // What may still move the rest of the page is not shown, and neither is the rest.
  await expect(page.locator('[aria-busy="true"], [data-unknown]')).toHaveCount(0)
}

/** Goes to another page inside the console, and waits until it is complete. */
export async function visit(page: Page, path: string): Promise<void> {
  await walkTo(page, path)
  await settled(page)
}

/** All rules and the widths. */
export async function checkRules(page: Page): Promise<void> {
  expect.soft(await violationsOn(page, inside), page.url()).toEqual([])
  await checkWidths(page)
}

/** The same with the frame around the page. */
export async function checkFrame(page: Page): Promise<void> {
  expect.soft(await violationsOn(page), page.url()).toEqual([])
  await checkWidths(page)
}

/** All rules and the widths for the page of one object, whose rows lead to other pages. */
export async function checkObject(page: Page): Promise<void> {
  expect.soft(await violationsOn(page, inside), page.url()).toEqual([])
  await checkWidths(page, false)
}

/** Checks the page, and then each of its other tabs but those with these names. */
export async function checkTabs(
  page: Page,
  known: readonly string[] = [],
  check = checkRules,
): Promise<void> {
  await check(page)
  const list = page.locator(inside).getByRole('tablist')
  if ((await list.count()) === 0) return
  const others = list.first().getByRole('tab', { selected: false })
  const ids = await others.evaluateAll(
    (tabs, skipped) => tabs.filter((tab) => !skipped.includes(tab.textContent ?? '')).map(({ id }) => id),
    known,
  )
  for (const id of ids) {
    const tab = page.locator(`[id="${id}"]`)
    await tab.click()
    await expect(tab).toHaveAttribute('aria-selected', 'true')
    await settled(page)
    await check(page)
  }
}

/** Checks the dialog that a button opens, and closes it. */
export async function checkDialog(page: Page, opener: Locator): Promise<void> {
  await opener.click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await settled(page)
  expect.soft(await violationsOn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** The address of the page of a kind's first object in a list of the API that has this text in its row. */
export async function objectFrom(page: Page, kind: ObjectKind, list: string, text = ''): Promise<string> {
  let id: number | string = ''
  // The demo makes the last of its objects after it is ready.
  await expect
    .poll(
      async () => {
        const answer = await page.request.get(new URL(list, page.url()).href)
        const rows = (await answer.json()) as readonly { id: number | string }[]
        id = rows.find((row) => JSON.stringify(row).includes(text))?.id ?? ''
        return id
      },
      { message: `a row with ${text} in ${list}` },
    )
    .not.toBe('')
  return objectPath(kind, id)
}
