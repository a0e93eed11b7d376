// The console as a reader of Hebrew has it. Constants of modules stay English: they were looked up before.
import { onTestFinished } from 'vitest'
import { readChoices } from '../language/choices.ts'
import { startLanguage } from '../language/start.ts'
import { setCatalogue } from '../language/t.ts'

// Scripts that a page loads late would look up their constants in Hebrew, and keep them for the tests after it.
const scripts = import.meta.glob([
  '../*/**/*.{ts,tsx}',
  '!../*/**/*.test.*',
  '!../gallery/**',
  '!../testing/**',
])

/** Sets Hebrew for the rest of the test. */
export async function readHebrew(): Promise<void> {
  await Promise.all(Object.values(scripts).map((load) => load()))
  const { documentElement } = document
  const { lang, dir } = documentElement
  onTestFinished(() => {
    setCatalogue({})
    Object.assign(documentElement, { lang, dir })
  })
  await startLanguage({ ...readChoices(), language: 'he' })
}

/** What stands there without the characters that isolate values. */
export const plainText = (element: Element): string =>
  (element.textContent ?? '').replace(/[\u2066-\u2069]/g, '')
