// The page on sizes is what the bench writes: its words and lines are the bench's, its figures a run's.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parts, sizesPage, type Part, type RateSizes } from '../bench/sizes-page.ts'

const rateOf = (rate: string, each: number): RateSizes => ({
  rate,
  messages: 1_000_000,
  perSecond: 100,
  bytes: Object.fromEntries(parts.map((part, nth) => [part, each + nth])) as Record<Part, number>,
  walBytes: 1_000,
  gatewayUs: 30,
  databaseUs: 30,
})

const rendered = sizesPage({
  conditions: '2026-01-01, 2 cores',
  slow: rateOf('100 a second', 100),
  medium: rateOf('1,000 a second', 50),
  peak: rateOf('as fast as it takes them', 20),
  rebuilt: { key: 30, byClient: 40 },
})
const docs = join(import.meta.dirname, '../docs')
// The page comes with its first run.
const written = readdirSync(docs).filter((name) => name.startsWith('sizes.'))
const pages = [rendered, ...written.map((name) => readFileSync(join(docs, name), 'utf8'))]

/** Without figures, their units, and the conditions of the run. */
const formOf = (text: string) =>
  text
    .split('\n')
    .map((line) => (/^\d{4}-\d{2}-\d{2}, /.test(line) ? 'conditions' : line))
    .map((line) => line.replace(/-?\d[\d,.]*( (TB|GB|h|min))?/g, '#'))

test('the page has the words and lines that the bench writes', () => {
  for (const page of pages) expect(formOf(page)).toEqual(formOf(rendered))
})

test('the sum of each rate is that of its lines', () => {
  for (const page of pages) {
    const cells = (name: string) =>
      (page.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? '')
        .split(' | ')
        .slice(1)
        .map((cell) => Number(cell.replace(/[,| ]/g, '')))
    const sums = cells('**all**')
    expect(sums).toHaveLength(3)
    for (const [column, sum] of sums.entries()) {
      const added = parts.reduce((total, part) => total + (cells(part)[column] ?? Number.NaN), 0)
      // Each line is rounded for itself.
      expect(Math.abs(added - sum)).toBeLessThanOrEqual(parts.length / 2)
    }
  }
})

test('a day is computed from its rate: texts for a week, sender days for five, records for 13 months', () => {
  // 100 million with the second rate, 50 to 58 bytes a part, and search index and counters of the third, 25 and 28.
  const [texts, senders, all] = [53, 57, 50 + 51 + 52 + 53 + 54 + 25 + 56 + 57 + 28]
  const online = 1e8 * ((all - texts - senders) * 395 + texts * 7 + senders * 35)
  expect(rendered).toContain(`${(online / 1e12).toFixed(1)} TB |\n| with \`ONLINE_WEEKS\``)
})
