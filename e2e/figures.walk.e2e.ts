// Each head figure and badge, as each role sees it, is what the list shows that it leads to by one click.
import { expect, type Page } from '@playwright/test'
import { test } from './demo.ts'
import { countedFactsOn, facts, figureLink, figuresOn, readBadge, readFigure, total } from './figures.ts'
import { objectsOf } from './figures-of-objects.ts'
import { badgesOf, pagesOf, type Badge, type Listed, type Strips, type Who } from './figures-of-pages.ts'
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

const namesOf = (strips: Strips): string[] =>
  Object.entries(strips).flatMap(([strip, figures]) =>
    Object.keys(figures).map((label) => `${strip}: ${label}`),
  )

/** How the figures of what an address opens differ from their lists. */
async function differencesOn(page: Page, url: string, path: string, strips: Strips): Promise<string[]> {
  const differences: string[] = []
  for (const [strip, figures] of Object.entries(strips))
    for (const [label, figure] of Object.entries(figures)) {
      if (typeof figure === 'string') continue
      const read = async () => {
        await open(page, url, path)
        return readFigure(page, strip, label)
      }
      const list = async () => {
        await toList(page, strip, label, figure)
        return figure.list(page)
      }
      const words = await differenceOf(read, list, figure.isRounded ? 0.1 : 0)
      if (words !== '') differences.push(`${path}, ${strip}, ${label}: ${words}`)
    }
  return differences
}

for (const who of Object.keys(pagesOf) as Who[])
  test(`each head figure that ${who} sees is the sum of its list`, async ({ page, demo }) => {
    await demo.signIn(page, who)
    if (who === 'admin') await addPurchasePrice(page)
    const differences: string[] = []
    for (const [path, strips] of Object.entries(pagesOf[who])) {
      await open(page, demo.url, path)
      // A figure that is not in the table is one that nobody compares.
      await expect.poll(() => figuresOn(page), { message: path }).toEqual(namesOf(strips))
      differences.push(...(await differencesOn(page, demo.url, path, strips)))
    }
    expect(differences).toEqual([])
  })

for (const who of ['admin', 'support', 'client1'] as const)
  for (const { kind, list, text = '', facts: figures, strips } of objectsOf[who])
    test(`each figure that ${who} sees on the page of a ${kind} ${text} is the sum of its list`, async ({
      page,
      demo,
    }) => {
      await demo.signIn(page, who)
      const path = await objectFrom(page, kind, list, text)
      await open(page, demo.url, path)
      const known = { [facts]: figures }
      await expect.poll(() => countedFactsOn(page), { message: path }).toEqual(namesOf(known))
      const differences = await differencesOn(page, demo.url, path, known)
      for (const [tab, ofTab] of Object.entries(strips)) {
        await open(page, demo.url, `${path}${tab}`)
        await expect.poll(() => figuresOn(page), { message: `${path}${tab}` }).toEqual(namesOf(ofTab))
        differences.push(...(await differencesOn(page, demo.url, `${path}${tab}`, ofTab)))
      }
      expect(differences).toEqual([])
    })

for (const who of ['admin', 'support', 'client1'] as const)
  test(`the open cycle that ${who} sees is the sum of its lists`, async ({ page, demo }) => {
    await demo.signIn(page, who)
    const figureOf = (name: RegExp) => page.locator('main').getByRole('link', { name }).first()
    const [count, bill, payouts] = [
      /SMS of the open cycle$/,
      /SMS of the open bill$/,
      /SMS of the open payouts$/,
    ]
    const numberOf = async (text: Promise<string>) =>
      Number(/[\d,.]+/.exec(await text)?.[0].replaceAll(',', ''))
    const home = () => open(page, demo.url, '/')
    const card = page
      .locator('main section')
      .filter({ has: page.getByRole('heading', { name: 'Open cycle' }) })
    const shownOf = (name: RegExp) => async () => {
      await home()
      return numberOf(figureOf(name).innerText())
    }
    const listOf = (name: RegExp, label: string) => async () => {
      await home()
      await figureOf(name).click()
      await settled(page)
      return total(label)(page)
    }
    const earned = async () => {
      await home()
      return numberOf(card.getByText('USDT').first().locator('..').innerText())
    }
    const differences = [
      await differenceOf(shownOf(count), listOf(count, 'Total Records')),
      await differenceOf(shownOf(bill), listOf(bill, 'Total Earned')),
      await differenceOf(shownOf(payouts), listOf(payouts, 'Total Earned')),
      await differenceOf(
        earned,
        async () => (await listOf(bill, 'Total Earned')()) + (await listOf(payouts, 'Total Earned')()),
      ),
    ]
    expect(differences).toEqual(['', '', '', ''])
  })

test('the bell counts what a client has not read', async ({ page, demo }) => {
  await demo.signIn(page, 'client1')
  const bell = page.getByRole('button', { name: /^Notifications, \d+ unread$/ })
  await expect(bell).toBeVisible()
  const count = Number(/\d+/.exec((await bell.getAttribute('aria-label')) ?? '')?.[0])
  await bell.click()
  const list = page.getByRole('dialog').getByRole('list', { name: 'Notifications' })
  await expect(list.getByRole('listitem').filter({ hasText: '(unread)' })).toHaveCount(count)
  // What is shown is read.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
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
