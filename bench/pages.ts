// Measures each page of the sidebar in a browser, from the click to the frame with all of its figures, over a filled
// gateway that takes messages meanwhile.
import type { Page } from '@playwright/test'
import { load } from './children.ts'
import { openConsole, withBrowser } from './console.ts'
import { admin, client, withFilledGateway } from './filled-gateway.ts'
import { quantile } from './report.ts'

const rounds = 3
const perSecond = 50
// A page may load one part after another. It counts as complete when nothing has loaded for this long.
const restMs = 400
const giveUpMs = 20_000

// As source, because it runs in the page. A figure that is not known yet is a skeleton.
const measuring = `
  window.open_ = (path) => new Promise((settle, fail) => {
    const begun = performance.now()
    let standsSince
    document.querySelector('nav a[href="' + path + '"]').click()
    const look = () => {
      const now = performance.now()
      const loads = document.querySelector('main [data-skeleton], main [aria-busy=true]') !== null
        || location.pathname !== path || document.querySelector('main h1') === null
      if (loads) standsSince = undefined
      else standsSince ??= now
      if (standsSince !== undefined && now - standsSince > ${restMs}) settle(standsSince - begun)
      else if (now - begun > ${giveUpMs}) fail(new Error(path + ' still loads'))
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`

/** The times of a page, in milliseconds. */
interface Times {
  readonly first: number[]
  readonly again: number[]
}

/** Gives the table of the report. */
export function measurePages(options: {
  readonly records: number
  readonly keep: string | undefined
}): Promise<string> {
  return withFilledGateway(options, async ({ gateway, traffic }) => {
    const ending = new AbortController()
    const offered = load({ ...traffic, perSecond, seconds: 3_600 }, ending.signal).catch(() => undefined)
    try {
      const lines = await withBrowser(async (browser) => {
        const found: string[] = []
        for (const username of [admin, client]) {
          const times = new Map<string, Times>()
          for (let round = 0; round < rounds; round += 1) {
            const page = await openConsole(browser, gateway.url, username, measuring)
            await visitAll(page, times)
            await page.context().close()
          }
          found.push(...[...times].map(([title, of]) => row(`${title}, ${username}`, of)))
        }
        return found
      })
      return [
        `${options.records.toLocaleString('en-GB')} records of 180 days, 100,000 numbers, 10,000 clients, ${perSecond} messages a second meanwhile. From the click in the sidebar to the first frame of those in which nothing loads any more, over ${rounds} sign-ins: at the first visit, and at a later one.`,
        '',
        '| page | first visit: p50 ms | longest | again: p50 ms | longest |',
        '|---|---|---|---|---|',
        ...lines,
      ].join('\n')
    } finally {
      ending.abort()
      await offered
    }
  })
}

async function visitAll(page: Page, times: Map<string, Times>): Promise<void> {
  // What the dashboard loads first, and the scripts of the pages, which the browser fetches when nothing else is done.
  await page.waitForTimeout(3_000)
  const links = await page.evaluate<{ path: string; title: string }[]>(`
    [...document.querySelectorAll('nav a')].map((link) => ({
      path: new URL(link.href).pathname,
      // Without the badge behind it.
      title: [...link.querySelectorAll('span')].find((part) => part.childElementCount === 0)?.textContent ?? link.textContent,
    }))`)
  const [home] = links
  if (home === undefined) throw new Error('The sidebar is empty')
  for (const kind of ['first', 'again'] as const)
    // The dashboard stands already, so it comes last.
    for (const { path, title } of [...links.slice(1), home]) {
      const known = times.get(title) ?? { first: [], again: [] }
      times.set(title, known)
      known[kind].push(await page.evaluate<number>(`open_(${JSON.stringify(path)})`))
      await page.waitForTimeout(300)
    }
}

function row(title: string, { first, again }: Times): string {
  const cells = [quantile(first, 0.5), quantile(first, 1), quantile(again, 0.5), quantile(again, 1)].map(
    (ms) => ms.toFixed(0),
  )
  return `| ${title} | ${cells.join(' | ')} |`
}
