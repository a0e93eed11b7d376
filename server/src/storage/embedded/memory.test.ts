import { expect, test } from 'vitest'
import { sharedBuffers } from './memory.ts'

const gb = 1_073_741_824

test.each([
  [1 * gb, '256MB'],
  [4 * gb, '512MB'],
  [24 * gb, '3072MB'],
  [64 * gb, '4096MB'],
])('of %d bytes of memory PostgreSQL keeps pages in %s', (memoryBytes, setting) => {
  expect(sharedBuffers(memoryBytes)).toBe(setting)
})

test('a machine says how much it has', () => {
  const [, mb] = /^(\d+)MB$/.exec(sharedBuffers()) ?? []
  expect(Number(mb)).toBeGreaterThanOrEqual(256)
  expect(Number(mb)).toBeLessThanOrEqual(4_096)
})
