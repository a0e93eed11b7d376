import { expect, test } from 'vitest'
import { setCatalogue } from '../language/t.ts'
import { formatPhone } from './phone.ts'
import { groupByFour, shorten, shortenForStaff, shortenHash } from './shorten.ts'

test.each([
  ['449098790142', '+44 909 879 0142'],
  ['+447700900318', '+44 7700 900318'],
  ['447700••••••', '+44 7700 ••••••'],
  ['12025550143', '+1 202 555 0143'],
  ['972501234567', '+972 501 234 567'],
  ['44909879••••', '+44 909 879 ••••'],
  ['TOLLGATE', 'TOLLGATE'],
  ['12345', '12345'],
  ['', ''],
])('%s reads %s', (value, text) => expect(formatPhone(value)).toBe(text))

test('between words from right to left the groups of a number keep their order', () => {
  setCatalogue({}, 'rtl')
  expect([formatPhone('449098790142'), formatPhone('TOLLGATE')]).toEqual([
    '\u2066+44 909 879 0142\u2069',
    'TOLLGATE',
  ])
  setCatalogue({})
})

test('no group of a number is a lone digit', () => {
  for (let length = 7; length <= 15; length += 1)
    expect(
      formatPhone('4'.repeat(length))
        .split(' ')
        .slice(1)
        .every((group) => group.length > 1),
    ).toBe(true)
})

test("long values are cut to the specification's counts, short ones stay whole", () => {
  const hash = 'e29edd16af09112233445566778899aabbccddeeff00112233445566c69ed3f67'
  expect(shortenHash(hash)).toBe('e29edd16af09…69ed3f67')
  expect(shortenForStaff('TMPyVucb61WVKFtJD81p4QNZEdE3QioTfA')).toBe('TMPyVucb…QioTfA')
  expect(shorten('abcdefg', 3, 3)).toBe('abcdefg')
  expect(groupByFour('TMPyVucb6')).toBe('TMPy Vucb 6')
})
