// What the documents name must exist: a file that moved, a page or a test that was removed makes them untrue.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
const documents = tracked.filter((path) => path.endsWith('.md'))
const sources = tracked.filter((path) => /\.(tsx?|mjs|sql)$/.test(path))
const pages = documents.filter((path) => /^docs\/decisions\/\d{4}-/.test(path))

/** Code in a document that names a file or folder. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([\w@./-]+)`/g)].map((match) => match[1] ?? '')
  return spans.filter((span) => /^[\w-]+(\/[\w.@-]+)+\/?$/.test(span))
}

/** Whether a document may name this path: from the root, from the server's sources, or beside the document itself. */
function isThere(path: string, document: string): boolean {
  const bases = ['.', 'server/src', 'smpp/src', 'web/src', dirname(document)]
  return bases.some((base) => existsSync(join(root, base, path)))
}

test.each(documents)('every file that %s links to is there', (path) => {
  const targets = [...read(path).matchAll(/\]\((?!https?:|#|\/)([^)#\s]+)/g)].map((match) => match[1] ?? '')
  const missing = targets.filter((target) => !existsSync(join(root, dirname(path), target)))
  expect(missing).toEqual([])
})

test('every file that a document names in code is there', () => {
  const code = /\.(tsx?|mjs|sql|cfg|conf|json)$/
  const named = documents.flatMap((document) =>
    pathsIn(read(document))
      .filter((path) => code.test(path))
      .map((path) => ({ document, path })),
  )
  expect(named.length).toBeGreaterThan(150)
  expect(named.filter(({ document, path }) => !isThere(path, document))).toEqual([])
})

test('the tables of files and folders in a README name what lies beside it', () => {
  const named = documents
    .filter((path) => path.endsWith('README.md'))
    .flatMap((path) =>
      [...read(path).matchAll(/^\| (?:files?|folders?) \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/gm)].flatMap(
        ([, rows = '']) =>
          [...rows.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
            [...cell.matchAll(/[\w-]+(?:[./][\w-]*)*/g)].map(([name]) => ({ path, name })),
          ),
      ),
    )
  expect(named.length).toBeGreaterThan(80)
  const isBeside = (name: string, path: string) =>
    ['', 'src'].some((folder) =>
      ['', '.ts', '.tsx', '.mjs'].some((end) => existsSync(join(root, dirname(path), folder, name + end))),
    )
  expect(named.filter(({ name, path }) => !isBeside(name, path))).toEqual([])
})

test('the tour and docs/security.md name only what is there, folders too', () => {
  for (const document of ['docs/tour.md', 'docs/security.md']) {
    const table = read(document)
      .split('\n')
      .filter((line) => line.startsWith('| '))
    const paths = table.flatMap(pathsIn)
    expect(paths.length).toBeGreaterThan(40)
    expect(paths.filter((path) => !isThere(path, document))).toEqual([])
  }
})

test('every decision is one page with context, decision, measured and price', () => {
  expect(pages.length).toBeGreaterThan(40)
  for (const path of pages) {
    const text = read(path)
    expect([path, [...text.matchAll(/^## (.*)$/gm)].map((match) => match[1])]).toEqual([
      path,
      ['Context', 'Decision', 'Measured', 'Price'],
    ])
    expect([path, text.length < 4_000]).toEqual([path, true])
  }
})

test('decisions are numbered without gaps, and the index has each with its title and state, or the page that has it', () => {
  const index = read('docs/decisions/README.md')
  const rows = [...index.matchAll(/^\| \[(\d+)\]\(([^)]+)\) \| (.+) \| (.+) \|$/gm)]
  const merged = [...index.matchAll(/^\| (\d+) \| \[\d+\]\([^)]+\) \|$/gm)]
  expect(rows.map(([, , file]) => `docs/decisions/${file}`)).toEqual(pages)
  expect([...rows, ...merged].map(([, number]) => Number(number)).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: rows.length + merged.length }, (_, at) => at + 1),
  )
  for (const [, number, file, title] of rows)
    expect(read(`docs/decisions/${file}`).split('\n')[0]).toBe(`# ${number}. ${title}`)
})

test('every document that a comment in the code names is there', () => {
  const named = sources.flatMap((path) =>
    [...read(path).matchAll(/(?<![\w./@-])(?:[\w-]+\/)*[\w-]+\.md\b/g)].map(([document]) => ({
      path,
      document,
    })),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(
    named.filter(({ path, document }) => !isThere(document, path) && !documents.includes(`docs/${document}`)),
  ).toEqual([])
})

test('every "decision N" in code and documents names a page', () => {
  const numbers = new Set(pages.map((path) => Number(/\d{4}/.exec(path)?.[0])))
  const named = [...documents, ...sources].flatMap((path) =>
    [...read(path).matchAll(/\bdecisions? (\d+)(?:(?:, | and )(\d+))*/gi)].flatMap((match) =>
      [...match[0].matchAll(/\d+/g)].map(([number]) => ({ path, number: Number(number) })),
    ),
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ number }) => !numbers.has(number))).toEqual([])
})

test('every code name in the glossary is in the code', () => {
  const text = sources.map(read).join('\n')
  const rows = read('docs/glossary.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| word'))
  const names = rows.flatMap((row) =>
    [...(row.split(' | ').at(-1) ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
  )
  expect(names.length).toBeGreaterThan(100)
  const isKnown = (name: string) =>
    name.includes('/')
      ? isThere(name, 'docs/glossary.md')
      : new RegExp(`\\b${name}\\b`).test(text) || isThere(name, 'docs/glossary.md')
  expect(names.filter((name) => !isKnown(name))).toEqual([])
})

test('docs/counters.md names every table that counts records', () => {
  const schema = sources
    .filter((path) => path.startsWith('server/migrations/'))
    .map(read)
    .join('\n')
  const tables = [...schema.matchAll(/^create table (record_\w+) \(\n([\s\S]*?)\n\)/gm)]
    .filter(([, , columns]) => /^ {2}(record|number)_counts? /m.test(columns ?? ''))
    .map(([, name]) => name ?? '')
  expect(tables.length).toBeGreaterThan(5)
  const page = read('docs/counters.md')
  expect(tables.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
