import { expect, test } from 'vitest'
import { stateAfter, stateOfAll } from './receipt-states.ts'

test.each([
  ['', 'ENROUTE', 'ENROUTE'],
  ['ENROUTE', 'DELIVRD', 'DELIVRD'],
  ['DELIVRD', 'ENROUTE', 'DELIVRD'],
  ['DELIVRD', 'ACCEPTD', 'DELIVRD'],
  ['DELIVRD', 'UNDELIV', 'DELIVRD'],
  ['UNDELIV', 'DELIVRD', 'UNDELIV'],
  ['ACCEPTD', 'ENROUTE', 'ACCEPTD'],
  ['UNKNOWN', 'DELIVRD', 'DELIVRD'],
  ['UNKNOWN', 'ENROUTE', 'UNKNOWN'],
  ['', 'on its way', 'on its way'],
  ['on its way', 'DELIVRD', 'DELIVRD'],
])('after "%s" a receipt of "%s" leaves "%s"', (before, reported, after) => {
  expect(stateAfter(before, reported)).toBe(after)
})

test.each([
  [['', ''], ''],
  [['DELIVRD'], 'DELIVRD'],
  [['DELIVRD', ''], 'ENROUTE'],
  [['DELIVRD', 'ACCEPTD'], 'ACCEPTD'],
  [['DELIVRD', 'DELIVRD'], 'DELIVRD'],
  [['DELIVRD', 'EXPIRED', ''], 'EXPIRED'],
  [['EXPIRED', 'UNDELIV'], 'UNDELIV'],
  [['DELIVRD', 'UNKNOWN'], 'UNKNOWN'],
])('parts in the states %j are one word: "%s"', (states, word) => {
  expect(stateOfAll(states)).toBe(word)
})
