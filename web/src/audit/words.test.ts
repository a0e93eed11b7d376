import { expect, test } from 'vitest'
import { actionName } from './words.ts'

test('an action has a name in words', () => {
  expect(actionName('user.suspend')).toBe('User: suspend')
  expect(actionName('billing_period.approve_payment')).toBe('Billing period: approve payment')
  expect(actionName('smpp-credentials.renew')).toBe('SMPP credentials: renew')
  expect(actionName('new_thing.do_it')).toBe('New thing: do it')
})
