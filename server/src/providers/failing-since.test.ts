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

test('a provider shows since when it runs, fails or is stopped', async () => {
  const { id } = await add()
  await anotherPoll()
  const { statusSince: runningSince } = await environment.worker(id)
  expect(runningSince).toEqual(expect.any(String))
  await anotherPoll()
  expect((await environment.worker(id)).statusSince).toBe(runningSince)
  standIn.always({ status: 500 })
  await eventually(async () => expect((await environment.worker(id)).status).toBe('error'))
  const failing = await environment.worker(id)
  expect(failing.statusSince).toBe(failing.failingSince)
  standIn.always(undefined)
  await eventually(async () => expect((await environment.worker(id)).status).toBe('running'))
  const recovered = await environment.worker(id)
  expect(Date.parse(recovered.statusSince)).toBeGreaterThan(Date.parse(failing.failingSince))
  await environment.call('POST', `/api/providers/${id}/stop`)
  const stopped = await environment.worker(id)
  expect(stopped.status).toBe('stopped')
  expect(Date.parse(stopped.statusSince)).toBeGreaterThan(Date.parse(recovered.statusSince))
})
