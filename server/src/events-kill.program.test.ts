// A gateway that is killed between the cause of an event and its delivery: the event comes after the next start, once for
// each cause, under the id that it had.
import { expect, inject, test } from 'vitest'
import { openTestDatabase } from '../test/environment/database.ts'
import { onTestDatabase, signedIn, startProgram } from '../test/environment/program.ts'
import { openReceiver } from '../test/stand-ins/receiver.ts'

const admin = { username: 'admin', password: 'correct horse battery' }

test('kill -9 after requests were made: every event of a request that was answered is delivered', async () => {
  const receiver = await openReceiver()
  receiver.always('silence')
  const { address } = await openTestDatabase()
  const environment = await onTestDatabase(address.database, inject('postgresHost'), admin)
  const first = await startProgram('main', environment)
  await first.ready
  const call = await signedIn(first, admin.username, admin.password)
  await call('POST', '/api/user/endpoints', { name: 'ERP', endpoint: receiver.url, events: ['request'] })
  const wish = { businessPurpose: 'support line', expectedVolume: '1-50' }
  const made: string[] = []
  for (let count = 0; count < 5; count += 1)
    made.push((await call<{ id: string }>('POST', '/api/number-requests', wish)).id)
  // The first ones are on their way and unanswered, the last one was committed just now.
  await receiver.until(1)
  first.kill('SIGKILL')
  await first.exited

  receiver.always({ status: 204 })
  const before = receiver.received.length
  const second = await startProgram('main', environment)
  await second.ready
  const causesAndIds = (from: number) =>
    new Set(receiver.received.slice(from).map(({ body, id }) => `${body.data.id} ${id}`))
  const causes = () => [...new Set(receiver.received.slice(before).map(({ body }) => body.data.id as string))]
  await expect.poll(() => causes().toSorted()).toEqual(made.toSorted())
  // One delivery for each cause: what was sent before the kill came again under the same id.
  expect(causesAndIds(0)).toEqual(causesAndIds(before))
  second.kill('SIGTERM')
  expect((await second.exited).code).toBe(0)
})
