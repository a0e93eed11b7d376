import { expect, test } from 'vitest'
import { Refusal } from '@tollgate/contract/errors.ts'
import { lateRefusals, type LateRefusals } from './late-refusals.ts'

/** How long a refusal of this code takes to come, in ms. */
async function waitOf(late: LateRefusals, subject: string, code: 'too_many' | 'forbidden' = 'too_many') {
  const startedAtMs = performance.now()
  const refusal = new Refusal(code, 'No.')
  await expect(late(subject, () => Promise.reject(refusal))).rejects.toBe(refusal)
  return performance.now() - startedAtMs
}

test('too many is said a second late, everything else at once', async () => {
  const late = lateRefusals()
  let isLateOneSaid = false
  const tooMany = waitOf(late, 'ada').finally(() => (isLateOneSaid = true))
  await waitOf(late, 'ada', 'forbidden')
  expect(isLateOneSaid).toBe(false)
  expect(await tooMany).toBeGreaterThan(900)
  expect(await late('ada', () => 'done')).toBe('done')
})

test('when many of a subject wait it is refused at once, others still late', async () => {
  const late = lateRefusals()
  const [waits, other] = await Promise.all([
    Promise.all(Array.from({ length: 200 }, () => waitOf(late, 'ada'))),
    waitOf(late, 'bo'),
  ])
  expect(waits.filter((waitedMs) => waitedMs > 900)).toHaveLength(64)
  expect(other).toBeGreaterThan(900)
})
