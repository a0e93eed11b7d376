import { expect, test } from 'vitest'
import {
  emailSchema,
  numberInputSchema,
  readNumber,
  searchedDigits,
  senderSchema,
  wholeNumber,
} from './fields.ts'

const connections = wholeNumber(1, 100, 'Enter a number from 1 to 100', 'From 1 to 100')

test.each([
  [5, 5],
  ['5', 5],
  [' 100 ', 100],
])('%j is a whole number', (input, read) => {
  expect(connections.parse(input)).toBe(read)
})

test.each([true, false, null, [], [5], {}, '', ' ', 'ten', '1.5', 1.5, '0x10', '1e1', NaN, '٥'])(
  '%j is none',
  (input) => {
    expect(connections.safeParse(input).error?.issues[0]?.message).toBe('Enter a number from 1 to 100')
  },
)

test.each([0, -1, '-1', 101, '101'])('%j is beyond the limits', (input) => {
  expect(connections.safeParse(input).error?.issues[0]?.message).toBe('From 1 to 100')
})

test.each([
  ['123', '123'],
  ['12345678', '12345678'],
  ['+44 909 879 0142', '449098790142'],
  ['0044-909', '44909'],
  ['449098790142.0', '449098790142'],
  [' +449098790142.00 ', '449098790142'],
  ['449.098.790.100', '449098790100'],
  ['449.098.750.053', '449098750053'],
  ['449098750199.000000', '449098750199'],
  ['12125550113,00', '12125550113'],
  ['449 098 750 199.0', '449098750199'],
  ['12125550113.5', undefined],
  ['12125550113,5', undefined],
  ['+33.1.23.45.67.00', '33123456700'],
  ['+44\u200b909\u2060879\u00ad0142\u061c', '449098790142'],
  ['+44 909\ufe0d 879\u22120142', '449098790142'],
  ['＋４４ ９０９（８７９）０１４２', '449098790142'],
  ['+٤٤٩٠٩٨٧٩٠١٤٢', '449098790142'],
  ['۴۴۹۰۹۸۷۹۰۱۴۲', '449098790142'],
  ['tel:+44-909-879-0142', '449098790142'],
  ['449098790142²', undefined],
  ['449098790142;ext=3', undefined],
  ['12', undefined],
  ['012', undefined],
  ['+123', undefined],
  ['00123', undefined],
  ['1234567890123456', undefined],
  ['+44 (0)20 7946 0958', '442079460958'],
  ['0044(0)20-7946/0958', '442079460958'],
  ['44 (0)20 7946 0958', '442079460958'],
  ['+39 (0)6 1234 5678', '390612345678'],
  ['(0)20 7946 0958', undefined],
  ['\u202a+44\u00a0909 879\u20110142\u202c', '449098790142'],
])('%s as a number of ours is %s', (input, digits) => {
  expect(readNumber(input)).toBe(digits)
  expect(numberInputSchema.safeParse(input).data).toBe(digits)
})

test.each([
  ['+44 (0)909 879 0142', '449098790142'],
  ['\u202a+1 212/5550114\u202c', '12125550114'],
  ['\u2066\u200f909–879\u2069', '909879'],
  ['0044909', '44909'],
  ['007', '007'],
  ['٧٨٩', '789'],
  ['+', undefined],
  ['', undefined],
  ['Vote 3', undefined],
])('%s as what somebody looks for is %s', (input, digits) => {
  expect(searchedDigits(input)).toBe(digits)
})

test.each(['4.49099E+11', '4,49E+11', '4E11'])('%s is a number that a spreadsheet has rounded', (input) => {
  expect(numberInputSchema.safeParse(input).error?.issues[0]?.message).toContain('rounded this number')
})

test.each([
  ['12345678901234567890', true],
  ['+4915112345678', true],
  ['ACME Bank 1', true],
  ['ACME Bank 12', false],
  ['[ACME] Bank', false],
  ['[ACME] Ban', false],
  ['[ACME] Ba', true],
])('%s as a source address is taken: %s', (input, isTaken) => {
  expect(senderSchema.safeParse(input).success).toBe(isTaken)
})

test.each([
  ['ada@example.com', 'ada@example.com'],
  [' ada@example.com \u00a0', 'ada@example.com'],
  ['a.b+c@mail.example.co.uk', 'a.b+c@mail.example.co.uk'],
])('the e-mail address %j is taken as %j', (text, address) => {
  expect(emailSchema.parse(text)).toBe(address)
})

test.each([
  ['nobody', 'Invalid email address'],
  ['ada@localhost', 'Enter the whole address, such as ada@example.com'],
  ['müller@example.com', expect.stringContaining('Letters such as ü')],
  ['ada@exämple.com', expect.stringContaining('Letters such as ü')],
  ['ada\u200b@example.com', expect.stringContaining('characters that nobody sees')],
  ['ada@example.com, bob@example.com', 'Invalid email address'],
  [`${'a'.repeat(250)}@example.com`, 'At most 254 characters'],
])('the e-mail address %j is refused: %j', (text, message) => {
  expect(emailSchema.safeParse(text).error?.issues[0]?.message).toEqual(message)
})
