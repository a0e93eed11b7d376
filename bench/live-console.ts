// Measures what an open console costs its reader while messages come in: frames a second and the memory that is held.
import type { CDPSession, Page } from '@playwright/test'
import { load } from './children.ts'
import { openConsole, withBrowser } from './console.ts'
import { admin, withFilledGateway } from './filled-gateway.ts'
import { quantile } from './report.ts'

const perSecond = 50
const turnSeconds = 30

const counting = `
  window.frames_ = (ms) => new Promise((settle) => {
    const begun = performance.now()
    let [before, longest, count] = [begun, 0, 0]
    const next = (now) => {
      longest = Math.max(longest, now - before)
      before = now
      count += 1
      if (now - begun < ms) requestAnimationFrame(next)
      else settle([count / ((now - begun) / 1000), longest])
    }
    requestAnimationFrame(next)
  })`

/** Leaves Dashboard and SMS Records open for so many seconds, in turns; gives the table of the report. */
export function measureLiveConsole(options: {
  readonly records: number
  readonly keep: string | undefined
  readonly seconds: number
}): Promise<string> {
  return withFilledGateway(options, async ({ gateway, traffic }) => {
    const ending = new AbortController()
    const seconds = options.seconds + 60
    const offered = load({ ...traffic, perSecond, seconds }, ending.signal).catch(() => undefined)
    try {
      return await withBrowser(async (browser) => {
        const page = await openConsole(browser, gateway.url, admin, counting)
        const devtools = await page.context().newCDPSession(page)
        const turns: Turn[] = []
        const endsAtMs = performance.now() + options.seconds * 1_000
        while (performance.now() < endsAtMs)
          for (const name of ['Dashboard', 'SMS Records'])
            turns.push({ name, ...(await measureTurn(page, devtools, name)) })
        return tableOf(turns, options.seconds)
      })
    } finally {
      ending.abort()
      await offered
    }
  })
}

interface Turn {
  readonly name: string
  readonly framesPerSecond: number
  readonly longestMs: number
  readonly heapMb: number
  readonly nodes: number
}

async function measureTurn(page: Page, devtools: CDPSession, name: string): Promise<Omit<Turn, 'name'>> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click()
  await page.waitForTimeout(2_000)
  const [framesPerSecond = 0, longestMs = 0] = await page.evaluate<number[]>(
    `frames_(${turnSeconds * 1_000})`,
  )
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  const { nodes } = await devtools.send('Memory.getDOMCounters')
  return { framesPerSecond, longestMs, heapMb: usedSize / 1e6, nodes }
}

function tableOf(turns: readonly Turn[], seconds: number): string {
  const names = [...new Set(turns.map(({ name }) => name))]
  const lines = names.map((name) => {
    const of = turns.filter((turn) => turn.name === name)
    const tenth = Math.max(1, Math.floor(of.length / 10))
    const frames = of.map(({ framesPerSecond }) => framesPerSecond)
    const held = (part: readonly Turn[], value: (turn: Turn) => number) => quantile(part.map(value), 0.5)
    const ends = [of.slice(1, 1 + tenth), of.slice(-tenth)]
    const change = (value: (turn: Turn) => number, digits: number) =>
      ends.map((part) => held(part, value).toFixed(digits)).join(' → ')
    const longest = of.map(({ longestMs }) => longestMs)
    return `| ${name} | ${of.length} | ${quantile(frames, 0.5).toFixed(1)} [${Math.min(...frames).toFixed(1)}] | ${quantile(longest, 0.5).toFixed(0)} | ${Math.max(...longest).toFixed(0)} | ${change(({ heapMb }) => heapMb, 1)} | ${change(({ nodes }) => nodes, 0)} |`
  })
  return [
    `${(seconds / 60).toFixed(0)} minutes, ${perSecond} messages a second, the two pages in turns of ${turnSeconds} s in one window. Memory is what is held after a collection; first and last are medians of a tenth of the turns.`,
    '',
    '| page | turns | frames/s, median [least] | longest frame of a turn, median ms | longest of all | memory, MB: first → last | DOM nodes: first → last |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}
