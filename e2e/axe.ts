// Checks a page against the rules of WCAG 2.2 AA that a program can check; that names contain their visible words (2.5.3) by
// a check of our own, since axe counts its rule among the experimental ones.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const rules: axe.RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
// Dark shows the same elements in other colours, so only the rules about colours can give another answer.
const colourRules: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

// A long table repeats itself: the time goes with the number of elements.
const repeated = 'tbody tr:nth-child(n + 9), ul > li:nth-child(n + 13), [role="listitem"]:nth-child(n + 13)'

/** One line for each violation in a part of the page, in light and then in dark: the rule and the first element. */
export async function violationsOn(page: Page, within = 'body'): Promise<string[]> {
  // Once for each document: a walk inside the console keeps it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const lines = await misnamed(page, within)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
    const found = await page.evaluate(
      async ({ runOnly, context }) => {
        const { axe: checker } = window as unknown as { axe: typeof axe }
        const { violations } = await checker.run(context, {
          runOnly,
          resultTypes: ['violations'],
          preload: false,
        })
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
      },
      {
        runOnly: colorScheme === 'light' ? rules : colourRules,
        context: within === 'body' ? { exclude: repeated } : { include: within, exclude: repeated },
      },
    )
    lines.push(...found.map((line) => `${colorScheme}, ${line}`))
  }
  return lines
}

/** One line for each link and button whose name leaves out what is seen on it. */
function misnamed(page: Page, within: string): Promise<string[]> {
  return page.locator(within).evaluateAll((parts) => {
    const wordsOf = (text: string) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()
    return parts
      .flatMap((part) => [...part.querySelectorAll<HTMLElement>('a[aria-label], button[aria-label]')])
      .filter((element) => !wordsOf(element.ariaLabel ?? '').includes(wordsOf(element.innerText)))
      .map((element) => `label-content-name-mismatch: ${element.outerHTML.slice(0, 200)}`)
  })
}
