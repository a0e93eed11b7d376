import { expect, test } from 'vitest'
import { openPeople } from '../../../test/people.ts'

const { api, person, newAddress } = await openPeople()

test('an unknown user and a wrong password take the same time', async () => {
  const { username } = await person('user')
  const times: Record<'wrong' | 'unknown', number[]> = { wrong: [], unknown: [] }
  for (let round = 0; round < 15; round += 1)
    for (const [kind, name] of [
      ['wrong', username],
      ['unknown', `nobody.${round}`],
    ] as const) {
      const body = { username: name, password: 'not the password' }
      const start = performance.now()
      await api.call('POST', '/api/login', { body, ip: newAddress() })
      times[kind].push(performance.now() - start)
    }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[7]!
  const [wrong, unknown] = [median(times.wrong), median(times.unknown)]
  // Without the decoy hash one of them takes almost nothing.
  expect(Math.abs(wrong - unknown)).toBeLessThan(Math.max(20, 0.3 * Math.max(wrong, unknown)))
})
