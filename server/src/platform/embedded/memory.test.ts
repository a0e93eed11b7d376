import { expect, test } from 'vitest'
import { sharedBuffers } from './memory.ts'

const gb = 1_073_741_824

test.each([
  [1 * gb, '256MB'],
  [4 * gb, '512MB'],
  [64 * gb, '1024MB'],
])('of %d bytes of memory PostgreSQL keeps pages in %s', (memoryBytes, setting) => {
  expect(sharedBuffers(memoryBytes)).toBe(setting)
})

test('a machine says how much it has', () => {
  expect(sharedBuffers()).toMatch(/^(25[6-9]|2[6-9]\d|[3-9]\d\d|10[01]\d|102[0-4])MB$/)
})
