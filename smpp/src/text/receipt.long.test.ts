import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseReceipt } from './receipt.ts'

test('hostile text neither throws nor takes long', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => void parseReceipt(text)))
  const startedMs = performance.now()
  for (const unit of ['id:', 'submit ', ' ', 'id : ', 'submit date:']) parseReceipt(unit.repeat(20_000))
  expect(performance.now() - startedMs).toBeLessThan(5_000)
})
