// The pictures of the console are complete: one of each page of the navigation in light and dark, and none too many.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { navGroups } from '../web/src/nav.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'docs/console')
const pictures = JSON.parse(readFileSync(join(root, 'tools/pictures.json'), 'utf8')) as readonly {
  readonly path: string
  readonly name: string
  readonly title: string
}[]
const files = readdirSync(folder).toSorted()
const sizes = files.map((file) => statSync(join(folder, file)).size)

test('each page of the navigation has its pictures under its label', () => {
  const rows = navGroups.flatMap(({ rows: links }) => links.map(({ path, label }) => `${path} ${label}`))
  expect(pictures.map(({ path, title }) => `${path} ${title}`).toSorted()).toEqual(rows.toSorted())
})

test('each picture is there, and none belongs to no page', () => {
  const named = pictures.flatMap(({ name }) => [`${name}-dark.png`, `${name}-light.png`])
  expect(files).toEqual(named.toSorted())
  const shown = [...readFileSync(join(root, 'docs/console.md'), 'utf8').matchAll(/\]\(console\/([^)]+)\)/g)]
  expect(shown.map(([, file = '']) => file).toSorted((a, b) => a.localeCompare(b))).toEqual(
    files.toSorted((a, b) => a.localeCompare(b)),
  )
})

test('a clone stays small: 150 kB for a picture, 2 MB for all', () => {
  expect(Math.max(...sizes)).toBeLessThanOrEqual(150_000)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2_000_000)
})
