// Reads lists to their end.
import { expect } from 'vitest'
import type { TestAnswer } from './api.ts'
import type { TestPerson } from '../traffic/numbers.ts'

type Reader = Pick<TestPerson, 'get'>

/** Every row of a list, page after page; fails at an answer that is no page. */
async function everyPage<Row>(reader: Reader, first: string): Promise<Row[]> {
  const found: Row[] = []
  for (let path: string | undefined = first; path !== undefined;) {
    const page: TestAnswer = await reader.get(path)
    expect([path, page.status, page.text]).toEqual([path, 200, expect.any(String)])
    found.push(...page.body)
    path = page.next
  }
  return found
}

/**
 * A list in pages of two, sorted by one thing: upwards and downwards it is the same rows in opposite orders, so none
 * comes twice or is missing where equal ones lie on both sides of a page's border. Gives them upwards, in the order of
 * `valueOf`.
 */
export async function readSorted<Row>(
  reader: Reader,
  path: string,
  sort: string,
  valueOf?: (row: Row) => string | number,
): Promise<Row[]> {
  const read = (order: string) =>
    everyPage<Row>(reader, `${path}${path.includes('?') ? '&' : '?'}limit=2&sort=${sort}&order=${order}`)
  const [upwards, downwards] = [await read('asc'), await read('desc')]
  expect([sort, downwards]).toEqual([sort, upwards.toReversed()])
  const values = valueOf === undefined ? [] : upwards.map(valueOf)
  expect([sort, values]).toEqual([
    sort,
    values.toSorted((one, other) => (one < other ? -1 : Number(one > other))),
  ])
  return upwards
}
