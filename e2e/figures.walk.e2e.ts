// Each head figure and badge, as each role sees it, is what the list shows that it leads to by one click.
import { expect, type Page } from '@playwright/test'
import { test } from './demo.ts'
import { figureLink, figuresOn, readBadge, readFigure } from './figures.ts'
import {
  badgesOf,
  pagesOf,
  traffic,
  type Badge,
  type Listed,
  type Pages,
  type Who,
} from './figures-of-pages.ts'
import { sidebar } from './harness.ts'
import { objectFrom, settled } from './walk-rules.ts'

// This file adds accounts that wait, and a purchase price. The page is so high that a list leaves out no row.
test.use({ demoName: 'figures', viewport: { width: 1920, height: 9000 } })

const openerOf = (page: Page, { kind, name }: Badge) =>
  kind === 'entry'
    ? sidebar(page).getByRole('link', { name: new RegExp(`^${name}`) })
    : kind === 'tab'
      ? page.getByRole('main').getByRole('tab', { name: new RegExp(`^${name}`) })
      : page.locator('main fieldset label').filter({ hasText: new RegExp(`^${name}`) })

/** Compares a figure, read before and after its list because messages come meanwhile, and says how they differ. */
async function differenceOf(
  figure: () => Promise<number>,
  list: () => Promise<number>,
  roundedBy = 0,
): Promise<string> {
  let words = ''
  // What is counted a moment later agrees at the next look.
  for (let look = 0; look < 4; look += 1) {
    const [before, shown] = [await figure(), await list()]
    const isWithin = (low: number, high: number) =>
      shown >= low - roundedBy - 0.001 && shown <= high + roundedBy + 0.001
    if (isWithin(before, before)) return ''
    const after = await figure()
    if (isWithin(Math.min(before, after), Math.max(before, after))) return ''
    words = `${before} is counted, then ${after}; the list has ${shown}`
  }
  return words
}

async function open(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}${path}`)
  await settled(page)
}

/** Goes to the list of a figure by one click, if it is not below it. */
async function toList(page: Page, strip: string, label: string, { by }: Listed): Promise<void> {
  const opener =
    by !== undefined && 'tab' in by
      ? page.getByRole('tab', { name: by.tab })
      : figureLink(page, strip, label, by?.link)
  if ((await opener.count()) > 0) await opener.click()
  await settled(page)
}

/** The pages of single objects have figures of their own. */
async function objectsOf(page: Page, who: Who): Promise<Pages> {
  if (who !== 'admin' && who !== 'support') return {}
  const objects = [
    await objectFrom(page, 'number', '/api/numbers'),
    await objectFrom(page, 'person', '/api/users?limit=500', 'client2'),
    await objectFrom(page, 'connection', '/api/smpp-connections', 'demo-smsc'),
  ]
  return Object.fromEntries(objects.map((path) => [`${path}?tab=traffic`, traffic]))
}

/** An account that waits for approval, made by somebody without one. */
async function signUpAsNewcomer(page: Page, username: string): Promise<void> {
  const { origin } = new URL(page.url())
  await page.request.put(`${origin}/api/admin/settings/registration`, {
    headers: { origin },
    data: { settingValue: 'approval' },
  })
  const answer = await fetch(`${origin}/api/register`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({
      username,
      password: 'staple-battery-horse',
      email: `${username}@example.com`,
      firstName: 'Wanda',
      lastName: 'Waiting',
    }),
  })
  expect(answer.status, await answer.text()).toBeLessThan(300)
}

/** Without one no margin is known. */
async function addPurchasePrice(page: Page): Promise<void> {
  const data = { range: '0900', supplier: 'North Telecom', price: '0.08', startsOn: '2020-01-01' }
  const { origin } = new URL(page.url())
  const answer = await page.request.post(`${origin}/api/books/purchase-prices`, { headers: { origin }, data })
  expect(answer.status(), await answer.text()).toBe(201)
}

for (const who of Object.keys(pagesOf) as Who[])
  test(`each head figure that ${who} sees is the sum of its list`, async ({ page, demo }) => {
    await demo.signIn(page, who)
    if (who === 'admin') await addPurchasePrice(page)
    const differences: string[] = []
    for (const [path, strips] of Object.entries({ ...pagesOf[who], ...(await objectsOf(page, who)) })) {
      await open(page, demo.url, path)
      const known = Object.entries(strips).flatMap(([strip, figures]) =>
        Object.keys(figures).map((label) => `${strip}: ${label}`),
      )
      // A figure that is not in the table is one that nobody compares.
      await expect.poll(() => figuresOn(page), { message: path }).toEqual(known)
      for (const [strip, figures] of Object.entries(strips))
        for (const [label, figure] of Object.entries(figures)) {
          if (typeof figure === 'string') continue
          const read = async () => {
            await open(page, demo.url, path)
            return readFigure(page, strip, label)
          }
          const list = async () => {
            await toList(page, strip, label, figure)
            return figure.list(page)
          }
          const words = await differenceOf(read, list, figure.isRounded ? 0.1 : 0)
          if (words !== '') differences.push(`${path}, ${strip}, ${label}: ${words}`)
        }
    }
    expect(differences).toEqual([])
  })

for (const who of ['admin', 'support'] as const)
  test(`each badge that ${who} sees counts what can be done now`, async ({ page, demo }) => {
    await demo.signIn(page, 'admin')
    await signUpAsNewcomer(page, `newcomer-of-${who}`)
    await demo.signIn(page, who)
    const differences: string[] = []
    for (const badge of badgesOf[who]) {
      const read = async () => {
        await open(page, demo.url, badge.on)
        // It is loaded after the page.
        await expect(openerOf(page, badge).locator('[data-count]')).toBeVisible()
        return readBadge(openerOf(page, badge))
      }
      const list = async () => {
        await openerOf(page, badge).click()
        await settled(page)
        return badge.list(page)
      }
      const words = await differenceOf(read, list)
      if (words !== '') differences.push(`${badge.on}, ${badge.name}: ${words}`)
    }
    expect(differences).toEqual([])
    // A badge that is not in the table is one that nobody compares.
    const known = badgesOf[who].map(({ name }) => name)
    for (const path of Object.keys(pagesOf[who])) {
      await open(page, demo.url, path)
      const besides = await page
        .locator('[data-count]')
        .evaluateAll((counts) =>
          counts.map((count) => count.parentElement?.innerText.replace(/\s*[\d,]+\s*$/, '') ?? ''),
        )
      expect(
        besides.filter((name) => !known.includes(name)),
        path,
      ).toEqual([])
    }
  })
