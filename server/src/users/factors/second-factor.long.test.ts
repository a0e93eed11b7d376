import { expect, test } from 'vitest'
import { enrolApp, nextCode } from '../../../test/people/factors.ts'
import { openSecondFactorEnvironment } from './testing/second-factor-environment.ts'

const { people, person, login, actionsOf } = await openSecondFactorEnvironment()

test('wrong codes have to wait, from any address and sent at once, but a recovery code has not', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => login(ada, `99900${String(at).padStart(2, '0').slice(-1)}`)),
  )
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
  expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('10')
  const right = nextCode(people, app)
  expect((await login(ada, right)).status).toBe(200)
  expect(await actionsOf(ada.id)).toContain('second-factor.failure')
})
