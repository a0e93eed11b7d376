// Since when the polls of a provider fail.
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestProviders } from '../../test/traffic/providers.ts'

const { environment, standIn, add, anotherPoll } = await openTestProviders()

test('the time of the first failed poll stays until a poll succeeds', async () => {
  const { id } = await add()
  await anotherPoll()
  expect((await environment.worker(id)).failingSince).toBeNull()
  standIn.always({ status: 500 })
  let first: string | null = null
  await eventually(async () => {
    first = (await environment.worker(id)).failingSince
    expect(first).not.toBeNull()
  })
  const { errors } = await environment.worker(id)
  await eventually(async () => expect((await environment.worker(id)).errors).toBeGreaterThan(errors))
  expect(await environment.worker(id)).toMatchObject({ status: 'error', failingSince: first })
  standIn.always(undefined)
  await eventually(async () =>
    expect(await environment.worker(id)).toMatchObject({ status: 'running', failingSince: null }),
  )
})
