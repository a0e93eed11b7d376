import { expect, test } from 'vitest'
import { eventually } from '../../../test/environment/eventually.ts'
import { openPeople } from '../../../test/people/people.ts'

const { api, person, newAddress } = await openPeople()

test('an unknown user and a wrong password take the same time', async () => {
  let nobodies = 0
  const timeOf = async (username: string) => {
    const start = performance.now()
    await api.call('POST', '/api/login', {
      body: { username, password: 'not the password' },
      ip: newAddress(),
    })
    return performance.now() - start
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[7]!
  // A busy machine spoils one try or the other. Without the decoy hash one of the two takes almost nothing, in each.
  await eventually(async () => {
    const { username } = await person('user')
    const times: Record<'wrong' | 'unknown', number[]> = { wrong: [], unknown: [] }
    for (let round = 0; round < 15; round += 1) {
      times.wrong.push(await timeOf(username))
      times.unknown.push(await timeOf(`nobody.${(nobodies += 1)}`))
    }
    const [wrong, unknown] = [median(times.wrong), median(times.unknown)]
    expect(Math.abs(wrong - unknown)).toBeLessThan(Math.max(20, 0.3 * Math.max(wrong, unknown)))
  })
})
