// Holds docs/smpp-conformance.md to the tests it names.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

interface Row {
  readonly number: number
  readonly proofs: { readonly path: string; readonly names: string[] }[]
}

function readRows(table: string): Row[] {
  return [...table.matchAll(/^\| (\d+) \|.*\| (.*) \|$/gm)].map(([, number, proof = '']) => ({
    number: Number(number),
    proofs: [...proof.matchAll(/\]\(\.\.\/([^)]+)\): ((?:“[^”]+”(?:, )?)+)/g)].map(
      ([, path = '', names = '']) => ({
        path,
        names: [...names.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name),
      }),
    ),
  }))
}

/** Where the name stands in the text as a string of its own. */
const placesOf = (text: string, name: string) =>
  ["'", '"', '`'].map((quote) => text.indexOf(quote + name + quote)).filter((place) => place >= 0)

/** Each proof whose file has no test of that name, or no such case in it. */
function missing(rows: readonly Row[], read: (path: string) => string): string[] {
  return rows.flatMap(({ number, proofs }) =>
    proofs.flatMap(({ path, names }) => {
      const text = read(path)
      const absent = names.filter((name) => placesOf(text, name).length === 0)
      const hasTest = names
        .flatMap((name) => placesOf(text, name))
        .some((place) => /(\btest|\))\(\s*$/.test(text.slice(0, place)))
      return [
        ...absent.map((name) => `row ${number}: ${path} has no “${name}”`),
        ...(hasTest ? [] : [`row ${number}: ${path} is named without a test`]),
      ]
    }),
  )
}

const readFromRoot = (path: string) => readFileSync(join(root, path), 'utf8')
const rows = readRows(readFromRoot('docs/smpp-conformance.md'))

test('every row of the table has its proof', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 68 }, (_, at) => at + 1))
  expect(rows.filter(({ proofs }) => proofs.length === 0)).toEqual([])
})

test('every test that the table names is there', () => {
  expect(missing(rows, readFromRoot)).toEqual([])
})

test('a test that is gone is found', () => {
  const planted = readRows(
    '| 1 | a rule | § | [x](../x.test.ts): “a test”, “a case”<br>[y](../y.test.ts): “a case” |',
  )
  const read = () => `test('another test', () => undefined)\nconst cases = ['a case']`
  expect(missing(planted, read)).toEqual([
    'row 1: x.test.ts has no “a test”',
    'row 1: x.test.ts is named without a test',
    'row 1: y.test.ts is named without a test',
  ])
})
