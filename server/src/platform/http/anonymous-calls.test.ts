import { expect, test } from 'vitest'
import { anonymousCalls } from './anonymous-calls.ts'

/** Makes the calls at once; gives how long each refused one waited, in ms. */
async function waitsOf(limit: (address: string) => Promise<void>, address: string, count: number) {
  const startedAtMs = performance.now()
  const calls = Array.from({ length: count }, async () => {
    try {
      await limit(address)
      return undefined
    } catch (refusal) {
      expect(refusal).toMatchObject({ code: 'too_many', retryAfterSeconds: 1 })
      return performance.now() - startedAtMs
    }
  })
  return (await Promise.all(calls)).filter((waitedMs) => waitedMs !== undefined)
}

test('an address beyond 300 calls a second is refused a second late', async () => {
  const waits = await waitsOf(anonymousCalls(), '192.0.2.1', 350)
  expect(waits.length).toBeGreaterThan(0)
  expect(waits.length).toBeLessThanOrEqual(50)
  expect(Math.min(...waits)).toBeGreaterThan(900)
})

test('while many of its calls wait an address is refused at once, and no other address is', async () => {
  const limit = anonymousCalls()
  const [waits, others] = await Promise.all([
    waitsOf(limit, '192.0.2.1', 900),
    waitsOf(limit, '192.0.2.2', 200),
  ])
  expect(waits.filter((waitedMs) => waitedMs > 900)).toHaveLength(64)
  expect(others).toEqual([])
})
