// Measures in a browser how long a list takes from the click on its link to its rows on the screen, and the longest frame
// while a search is typed. Chromium shares the machine with the gateway and PostgreSQL.
import type { Browser, Page } from '@playwright/test'
import { openConsole, withBrowser } from './console.ts'
import { admin } from './filled-gateway.ts'
import { filledClient, withFilledLists } from './filled-lists.ts'
import { quantile } from './report.ts'

interface Screen {
  readonly title: string
  readonly path: string
  readonly search?: string
}

const ofStaff: readonly Screen[] = [
  { title: 'Users Management', path: '/users', search: 'user77' },
  { title: 'Numbers Management', path: '/numbers-management', search: '4401' },
  { title: 'Number Inventory', path: '/number-inventory', search: '4401' },
  { title: 'Premium Numbers', path: '/numbers', search: '4401' },
  { title: 'Number Ranges', path: '/ranges', search: '4404' },
  { title: 'Number Requests', path: '/number-requests', search: 'votes' },
  { title: 'Admin Settings', path: '/admin-settings', search: 'user77' },
  { title: 'Audit Log', path: '/audit-log', search: 'support' },
]
const ofClient = ofStaff.filter(({ path }) => ['/numbers', '/ranges'].includes(path))

// As source, because it runs in the page.
const measuring = `
  // From the click, or from the new address where the sidebar has no link, to the frame that has rows.
  window.open_ = (path, title) => new Promise((settle) => {
    const begun = performance.now()
    const link = document.querySelector('nav a[href="' + path + '"]')
    if (link) link.click()
    else history.pushState({}, '', path)
    const look = () => {
      const hasRows = document.querySelector('main table[aria-busy=false] tbody tr td:nth-child(2)') !== null
      if (hasRows && document.title.startsWith(title)) settle(performance.now() - begun)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  // The longest time between two frames, from now until the value is read.
  window.frames_ = () => {
    let [before, longest, isOver] = [performance.now(), 0, false]
    const next = (now) => {
      longest = Math.max(longest, now - before)
      before = now
      if (!isOver) requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
    return () => { isOver = true; return longest }
  }
`

/** Milliseconds. */
interface Times {
  readonly atOnce: number[]
  readonly first: number[]
  readonly again: number[]
  readonly frames: number[]
}

async function openScreen(page: Page, { path, title }: Screen): Promise<number> {
  return page.evaluate<number>(`open_(${JSON.stringify(path)}, ${JSON.stringify(title)})`)
}

async function typeSearch(page: Page, text: string): Promise<number> {
  const box = page.getByRole('main').getByRole('searchbox').first()
  await box.click()
  await page.evaluate('window.framesEnd_ = frames_(); undefined')
  await box.pressSequentially(text, { delay: 80 })
  // Its own pause in typing, the answer, the new rows.
  await page.waitForTimeout(700)
  return page.evaluate<number>('framesEnd_()')
}

/** One person's visit: `screen` is opened as soon as the sidebar stands, the others after a while, all again after that. */
async function visit(page: Page, screens: readonly Screen[], begun: number, found: Map<Screen, Times>) {
  const inTurn = [...screens.slice(begun), ...screens.slice(0, begun)]
  for (const [place, screen] of inTurn.entries()) {
    const times = found.get(screen) ?? { atOnce: [], first: [], again: [], frames: [] }
    found.set(screen, times)
    const isFirst = place === 0
    ;(isFirst ? times.atOnce : times.first).push(await openScreen(page, screen))
    await page.waitForTimeout(isFirst ? 2_000 : 300)
  }
  for (const screen of inTurn) {
    found.get(screen)?.again.push(await openScreen(page, screen))
    await page.waitForTimeout(300)
  }
  const [screen] = inTurn
  if (screen?.search === undefined) return
  await openScreen(page, screen)
  found.get(screen)?.frames.push(await typeSearch(page, screen.search))
}

const rounds = 3

async function measurePerson(
  browser: Browser,
  url: string,
  username: string,
  screens: readonly Screen[],
): Promise<string[]> {
  const found = new Map<Screen, Times>()
  for (let round = 0; round < rounds; round += 1)
    for (const begun of screens.keys()) {
      const page = await openConsole(browser, url, username, measuring)
      await visit(page, screens, begun, found)
      await page.context().close()
    }
  const ms = (times: readonly number[], share: number) => quantile(times, share).toFixed(0)
  const lines = [...found].map(
    ([{ title }, { atOnce, first, again, frames }]) =>
      `| ${title}, ${username} | ${ms(atOnce, 0.5)} | ${ms(atOnce, 1)} | ${ms(first, 0.5)} | ${ms(first, 1)} | ${ms(again, 0.5)} | ${ms(again, 1)} | ${ms(frames, 1)} |`,
  )
  for (const line of lines) console.log(line)
  return lines
}

/** Measures and gives the table of the report. */
export function measureScreens(): Promise<string> {
  return withFilledLists((url) =>
    withBrowser(async (browser) =>
      [
        'From the click on a link to the rows on the screen, in Chromium on the same machine: as soon as the sidebar stands after signing in, at the first visit of the page two seconds and more after that, and at a later visit, whose rows are known. The last column is the longest time between two frames while a search is typed and answered.',
        '',
        '| list | at once: p50 ms | longest | first visit: p50 ms | longest | again: p50 ms | longest | frames while typing: longest ms |',
        '|---|---|---|---|---|---|---|---|',
        ...(await measurePerson(browser, url, admin, ofStaff)),
        ...(await measurePerson(browser, url, filledClient, ofClient)),
      ].join('\n'),
    ),
  )
}
