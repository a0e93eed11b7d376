// Checks that a page needs no scrolling sideways at the widths of laptops, magnified too, also beside an open drawer.
import { expect, type Page } from '@playwright/test'

const laptop = { width: 1280, height: 900 }
// A laptop at 200 %.
const magnified = { width: 640, height: 900 }
const desk = { width: 1440, height: 900 }
export const phone = { width: 390, height: 844 }

/** One line for the page and for each part of it that is wider than its place. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const beyond = (element: Element) => element.scrollWidth - element.clientWidth
    const parts = [...document.querySelectorAll('main, main *, [data-docked-drawer] *')].filter(
      (element) => element.clientWidth > 0 && /auto|scroll/.test(getComputedStyle(element).overflowX),
    )
    return [document.documentElement, ...parts]
      .filter((element) => beyond(element) > 1)
      .map(
        (element) =>
          `${element.getAttribute('aria-label') ?? element.tagName}: ${beyond(element)} px too wide`,
      )
  })
}

/** Columns give way in the frame after the page has changed its width. */
async function expectNothingCut(page: Page, what: string): Promise<void> {
  await expect.soft.poll(() => tooWide(page), { message: `${page.url()} ${what}` }).toEqual([])
}

/** Measures the page at both widths, and at the narrow one with the drawer of its first row, if rows open in one. Leaves
 * the wide one. */
export async function checkWidths(page: Page, hasDrawers = true): Promise<void> {
  await expectNothingCut(page, 'at 1440 px')
  await page.setViewportSize(laptop)
  await expectNothingCut(page, 'at 1280 px')
  const row = page.locator('main tr.cursor-pointer').first()
  if (hasDrawers && (await row.isVisible())) {
    await row.click({ position: { x: 60, y: 4 } })
    const panel = page.getByRole('dialog')
    await expect(panel).toBeVisible()
    await expectNothingCut(page, 'at 1280 px with a drawer')
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
  }
  await page.setViewportSize(magnified)
  await expectNothingCut(page, 'at 640 px')
  await page.setViewportSize(desk)
}
