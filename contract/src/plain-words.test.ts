import { expect, test } from 'vitest'
import { z } from 'zod'
import { requestsRoutes } from './number-requests.ts'
import { numbersRoutes, premiumNumberInputSchema } from './numbers.ts'
import { ratesRoutes } from './rates.ts'

const told = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message

const fieldOf = (name: string, value: unknown) =>
  told(premiumNumberInputSchema, { number: '449098790142', [name]: value })

test('a word that is not one of a choice is answered with the choice', () => {
  expect(fieldOf('status', 'sleeping')).toBe('Use active, inactive or suspended')
  expect(fieldOf('type', 5)).toBe('Use premium, standard or toll-free')
  expect(told(requestsRoutes.processRequest.body, { action: 'burn' })).toBe('Use approve, assign or reject')
})

test('what is missing, of another kind or too large is said in plain words', () => {
  expect(told(premiumNumberInputSchema, {})).toBe('This is required')
  expect(fieldOf('description', 5)).toBe('Enter a text')
  expect(fieldOf('version', 'x')).toBe('Enter a whole number')
  expect(told(numbersRoutes.bulkSetNumberStatus.body, { ids: [], status: 'active' })).toBe('At least 1 entry')
  expect(told(z.boolean(), 'yes')).toBe('Use true or false')
})

test('of alternatives the words of the filled one are said', () => {
  expect(fieldOf('countryCode', 'England')).toBe('Enter a country code such as +44')
  expect(told(ratesRoutes.putUserRate.body, { customSmsRate: 'much' })).toContain('at most 6 decimals')
})

test('words that a schema brings itself stay', () => {
  expect(told(z.string('Write something'), 5)).toBe('Write something')
})
