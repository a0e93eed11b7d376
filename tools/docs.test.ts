// What the documents name must be there: a file that moved, or a test that went, makes them untrue.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const folders = ['.', 'docs', 'docs/decisions', 'smpp']
const documents = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)

test.each(documents)('every file that %s links to is there', (path) => {
  const targets = [...read(path).matchAll(/\]\((?!https?:|#|\/)([^)#\s]+)/g)].map((match) => match[1] ?? '')
  const missing = targets.filter((target) => !existsSync(join(root, dirname(path), target)))
  expect(missing).toEqual([])
})

test('every piece of code that docs/security.md names is there', () => {
  const table = read('docs/security.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
  const named = table.flatMap((line) =>
    [...line.matchAll(/`([\w./-]+\/[\w./-]+)`/g)].map((match) => match[1] ?? ''),
  )
  const paths = named.filter((path) => !path.startsWith('/'))
  expect(paths.length).toBeGreaterThan(50)
  const isThere = (path: string) => existsSync(join(root, path)) || existsSync(join(root, 'server/src', path))
  expect(paths.filter((path) => !isThere(path))).toEqual([])
})
