import { expect, test } from 'vitest'
import { judgeRows } from './rows-kept.ts'

/** One table: rows before, lost, added; what was inserted and changed meanwhile. */
const judged = (rows: number, lost: number, added: number, inserted: number, changed: number) =>
  judgeRows(
    new Map([['t', { rows, lost, added }]]),
    new Map([['t', { inserted: 7, changed: 7 }]]),
    new Map([['t', { inserted: 7 + inserted, changed: 7 + changed }]]),
  )

test.each([
  ['a table that nobody wrote to is the same', judged(5, 0, 0, 0, 0), { same: 1, grown: 0, changed: 0 }],
  ['rows may be added', judged(5, 0, 3, 3, 0), { same: 0, grown: 1, changed: 0 }],
  ['rows may be changed by somebody', judged(5, 2, 2, 0, 2), { same: 0, grown: 0, changed: 1 }],
  ['an empty table does not count', judged(0, 0, 0, 0, 0), { filled: 0, same: 0 }],
])('%s', (_, { faults, ...counts }, expected) => {
  expect(counts).toMatchObject(expected)
  expect(faults).toEqual([])
})

test.each([
  [
    'a row that is gone though nobody removed it',
    judged(5, 1, 0, 3, 0),
    't lacks 1 of its 5 rows, and nobody changed it',
  ],
  // As a migration does that writes a table anew.
  ['a row that is another one', judged(5, 1, 1, 0, 0), 't lacks 1 of its 5 rows, and nobody changed it'],
  ['a row that nobody wrote', judged(5, 0, 2, 1, 0), 't has 2 other rows, and 1 were written'],
])('%s is told', (_, { faults }, fault) => {
  expect(faults[0]).toBe(fault)
})
