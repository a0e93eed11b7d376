import { expect, test } from 'vitest'
import { openPeople } from '../../test/people/people.ts'

const { api, newAddress } = await openPeople()

const registration = (username: string) => ({
  username,
  password: 'correct horse',
  email: `${username}@example.org`,
  firstName: 'Ada',
  lastName: 'Byron',
})

test('of fifty sign-ups with one username exactly one succeeds', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      api.call('POST', '/api/register', { body: registration('raced'), ip: newAddress() }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array<number>(49).fill(409),
  ])
})
