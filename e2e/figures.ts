// Reads the figures that head a page, and the lists that they lead to, as a person reads them.
import { expect, type Locator, type Page } from '@playwright/test'

/** The first number in a text: "1,951.01 USDT" is 1951.01; NaN without one. */
const numberIn = (text: string): number =>
  Number(/[-−+]?\d[\d,]*(?:\.\d+)?/.exec(text)?.[0].replaceAll(',', '').replace('−', '-') ?? Number.NaN)

/** The facts above the tabs of one object's page, which are no strip. */
export const facts = 'Facts'

/** The cell of a head figure. */
const figureCell = (page: Page, strip: string, label: string): Locator => {
  const cells =
    strip === facts
      ? page.locator('main dl').first().locator('> div')
      : page.locator('main').getByRole('region', { name: strip, exact: true }).locator('> div')
  return cells.filter({ has: page.getByRole('term').getByText(label, { exact: true }) })
}

export async function readFigure(page: Page, strip: string, label: string): Promise<number> {
  const figure = figureCell(page, strip, label).getByRole('definition').first()
  // "–" is a figure that cannot be had.
  await expect(figure, `${strip}, ${label}`).toContainText(/\d/)
  return numberIn(await figure.innerText())
}

/** The link of a figure, or the one of its note. A figure without one heads a list of its own page. */
export const figureLink = (page: Page, strip: string, label: string, name?: string): Locator =>
  figureCell(page, strip, label)
    .getByRole('link', name === undefined ? {} : { name })
    .first()

/** All head figures of what is open, each as "strip: label". */
export const figuresOn = (page: Page): Promise<string[]> =>
  page
    .locator('main [data-figures]')
    .evaluateAll((strips) =>
      strips.flatMap((strip) =>
        [...strip.querySelectorAll('dt')].map((label) => `${strip.ariaLabel}: ${label.textContent}`),
      ),
    )

/** All facts of one object that are a count or an amount. */
export const countedFactsOn = (page: Page): Promise<string[]> =>
  page
    .locator('main dl')
    .first()
    .locator('> div')
    .evaluateAll((cells, name) => {
      const figures = cells.filter((cell) =>
        /^[\d,.]+(?: USDT?)?$/.test(cell.querySelector('dd')?.textContent ?? ''),
      )
      return figures.map((cell) => `${name}: ${cell.querySelector('dt')?.textContent}`)
    }, facts)

/** The counter beside a tab, a choice or an entry of the sidebar; 0 without one. */
export async function readBadge(of: Locator): Promise<number> {
  await expect(of).toBeVisible()
  const badge = of.locator('[data-count]')
  return (await badge.count()) === 0 ? 0 : numberIn(await badge.innerText())
}

/** The rows of a list, all of them. */
async function rowsOf(page: Page, label: string): Promise<Locator> {
  const table = page.locator('main').getByRole('table', { name: label, exact: true })
  await expect(table).toBeVisible()
  await expect(page.locator('main [aria-busy="true"], main table [data-skeleton]')).toHaveCount(0)
  const more = table.getByRole('button', { name: 'Show more results' })
  while ((await more.count()) > 0) {
    const before = await table.locator('tbody tr').count()
    await more.click()
    await expect.poll(() => table.locator('tbody tr').count()).not.toBe(before)
  }
  // An empty list has one cell that says so.
  return table.locator('tbody tr').filter({ has: page.locator('td:nth-of-type(2)') })
}

/** How many rows a list has; of those with `pattern` in them, if one is given. */
export const rows = (label: string, pattern?: RegExp) => async (page: Page) => {
  const all = await rowsOf(page, label)
  return (pattern === undefined ? all : all.filter({ hasText: pattern })).count()
}

/** How many rows of a list have a button that can be pressed, whose name begins with one of these words. */
export const rowsToActOn = (label: string, acts: RegExp) => async (page: Page) => {
  const act = page.getByRole('button', { name: acts, disabled: false })
  return (await rowsOf(page, label)).filter({ has: act }).count()
}

/** The sum of a column: of each cell its first number. */
export const sum = (label: string, column: string, pattern?: RegExp) => async (page: Page) => {
  const all = await rowsOf(page, label)
  const table = page.locator('main').getByRole('table', { name: label, exact: true })
  const heads = await table.locator('thead th').allInnerTexts()
  const at = heads.indexOf(column)
  expect(at, `${column} of ${label}`).toBeGreaterThanOrEqual(0)
  const found = pattern === undefined ? all : all.filter({ hasText: pattern })
  const cells = await found.evaluateAll(
    (each, place) => each.map((row) => (row.children[place] as HTMLElement).innerText),
    at,
  )
  return cells.reduce((total, cell) => total + (Number.isNaN(numberIn(cell)) ? 0 : numberIn(cell)), 0)
}

/** A total in the foot of a list. */
export const total = (label: string) => async (page: Page) => {
  const found = page.locator('main span:has(> strong)').filter({ hasText: new RegExp(`^${label}`) })
  await expect(found.first()).toContainText(/\d/)
  return numberIn((await found.first().locator('strong').innerText()).replace('₪', ''))
}

/** All numbers in the first text that matches, added up: "2 peers are bound now. 1 of our 2 …". */
export const numbersIn = (pattern: RegExp) => async (page: Page) => {
  const text = await page.locator('main').getByText(pattern).first().innerText()
  return (pattern.exec(text) ?? []).slice(1).reduce((all, each) => all + (Number(each) || 0), 0)
}

/** The sum of one series in the legend of a chart; its share stands behind it. */
export const legend = (label: string) => async (page: Page) => {
  const series = page.locator('main dl > div').filter({ has: page.getByText(label, { exact: true }) })
  const figure = series.getByRole('definition').first()
  return numberIn(await figure.evaluate((each) => each.firstChild?.textContent ?? ''))
}
