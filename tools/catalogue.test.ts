// The words of other languages are complete: what the console says in English has its translation, and no more.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'web/src'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\/language\/t\.ts$/.test(path))

/** The English words of each `t('…')`. */
function englishIn(text: string): string[] {
  return [...text.matchAll(/\bt\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/g)].map(
    ([, single, double]) =>
      (single ?? double ?? '').replace(/\\(n|.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
  )
}

const english = new Set(sources.flatMap((path) => englishIn(readFileSync(join(root, path), 'utf8'))))
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted()

test.each(['he'])(
  'the catalogue %s has every text of the console, with the same values in it',
  (language) => {
    const words = JSON.parse(readFileSync(join(root, `web/src/language/${language}.json`), 'utf8')) as Record<
      string,
      string
    >
    expect(english.size).toBeGreaterThan(2_000)
    expect([...english].filter((text) => words[text] === undefined)).toEqual([])
    expect(Object.keys(words).filter((text) => !english.has(text))).toEqual([])
    const differing = Object.entries(words).filter(
      ([text, translated]) => placeholders(text).join() !== placeholders(translated).join(),
    )
    expect(differing).toEqual([])
  },
)
