import { expect, test } from 'vitest'
import { z } from 'zod'
import { requestsRoutes } from './numbers/requests.ts'
import { numbersRoutes, premiumNumberInputSchema } from './numbers/numbers.ts'
import { ratesRoutes } from './rates/rates.ts'
import { faultOf } from './schema-messages.ts'
import { sentence } from './sentences.ts'
import { allowedCidrsSchema } from './users/smpp-profile.ts'

const messageOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message

const fieldOf = (name: string, value: unknown) =>
  messageOf(premiumNumberInputSchema, { number: '449098790142', [name]: value })

test('for a value outside a choice the message lists the choice', () => {
  expect(fieldOf('status', 'sleeping')).toBe('Use active, inactive or suspended')
  expect(fieldOf('type', 5)).toBe('Use premium, standard or toll-free')
  expect(messageOf(requestsRoutes.processRequest.body, { action: 'burn' })).toBe(
    'Use approve, assign or reject',
  )
})

test('a missing value, a wrong type and a value out of range have plain messages', () => {
  expect(messageOf(premiumNumberInputSchema, {})).toBe('This is required')
  expect(fieldOf('description', 5)).toBe('Enter a text')
  expect(fieldOf('version', 'x')).toBe('Enter a whole number')
  expect(messageOf(numbersRoutes.bulkSetNumberStatus.body, { ids: [], status: 'active' })).toBe(
    'At least 1 entry',
  )
  expect(messageOf(z.boolean(), 'yes')).toBe('Use true or false')
})

test('of alternatives the message of the filled one is used', () => {
  expect(fieldOf('countryCode', 'England')).toBe('Enter a country code such as +44')
  expect(messageOf(ratesRoutes.putUserRate.body, { customSmsRate: 'much' })).toContain('at most 6 decimals')
})

test('the message of a schema itself is kept', () => {
  expect(messageOf(z.string('Write something'), 5)).toBe('Write something')
})

test('a message with values is found again as a sentence', () => {
  const issueOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error!.issues[0]!
  expect(faultOf(issueOf(z.string().max(3), 'four'))).toEqual(
    sentence('At most {count} characters', { count: 3 }),
  )
  expect(faultOf(issueOf(z.array(z.string()).min(1), []))).toEqual(sentence('At least 1 entry'))
  expect(faultOf(issueOf(allowedCidrsSchema, ['house']))).toEqual(
    sentence('“{bad}” is no network: enter one such as 192.0.2.0/24 or 2001:db8::/32', { bad: 'house' }),
  )
  expect(faultOf(issueOf(z.string('Write something'), 5))).toBe('Write something')
})
