import { expect, test } from 'vitest'
import { timedOut, within } from './within.ts'

const never = new Promise<never>(() => undefined)

test('work within its limit gives its result or its fault; beyond the limit it is given up', async () => {
  expect(await within(Promise.resolve('done'), 1_000)).toBe('done')
  await expect(within(Promise.reject(new Error('failed')), 1_000)).rejects.toThrow('failed')
  expect(await within(never, 1)).toBe(timedOut)
  expect(await within(never, -1)).toBe(timedOut)
})
