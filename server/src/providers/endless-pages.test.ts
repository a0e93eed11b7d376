import { expect, test } from 'vitest'
import { EndlessPages, type StoredPage } from './endless-pages.ts'

function isEndlessAfter(count: number, page: StoredPage): boolean {
  const pages = new EndlessPages()
  for (let each = 0; each < count; each += 1) pages.note(page)
  return pages.isEndless
}

test('pages without rows, and pages of rows that we know, are endless after a while', () => {
  expect(isEndlessAfter(100, { rowCount: 0, leadsOn: false })).toBe(false)
  expect(isEndlessAfter(101, { rowCount: 0, leadsOn: false })).toBe(true)
  expect(isEndlessAfter(5_000, { rowCount: 100, leadsOn: false })).toBe(false)
  expect(isEndlessAfter(5_001, { rowCount: 100, leadsOn: false })).toBe(true)
})

test('a walk over the known records of a long time goes on as long as they become newer', () => {
  expect(isEndlessAfter(100_000, { rowCount: 100, leadsOn: true })).toBe(false)
})
