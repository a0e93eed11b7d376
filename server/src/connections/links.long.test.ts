import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { openSmsc } from '../../test/stand-ins/smsc.ts'

const environment = await openTestConnections()
const { db, first, newNode, call, add, read, shows } = environment

test('a wanted link outlives its node: another one takes over, also after a crash, and there is one owner at a time', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  const unwanted = await add(await openSmsc())
  await call('POST', `/${unwanted}/disconnect`)
  await shows(id, { status: 'connected', node: 'first' })
  const second = newNode('second')
  await second.start()
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(smsc.sessions.size).toBe(1)

  // As if another node had taken over the lease: the first node is a stale owner from now on.
  await sql`update leases set token = token + 1, owner = 'dead', expires_at = clock_timestamp() + interval '1 second'
    where name = ${`connection:${id}`}`.execute(db)
  await expect.poll(() => smsc.unbindCount).toBe(1)
  await shows(id, { status: 'connected', node: expect.stringMatching(/first|second/) })
  await expect.poll(() => smsc.sessions.size).toBe(1)

  await first.stop()
  await shows(id, { status: 'connected', node: 'second' })
  await second.stop()
  await shows(id, { status: 'connecting', isWanted: true, node: '' })
  const restarted = newNode('restarted')
  await restarted.start()
  await shows(id, { status: 'connected', node: 'restarted' })
  expect(await read(unwanted)).toMatchObject({ status: 'disconnected', isWanted: false })
})

test.each([
  ['silent', 'The gateway took the connection but did not answer the bind.'],
  ['garbage', 'The gateway answered with something that is not SMPP.'],
] as const)('a %s gateway fails the link and the test, with words for it', async (behaviour, words) => {
  const smsc = await openSmsc()
  smsc.behaviour = behaviour
  const id = await add(smsc)
  await shows(id, { status: 'error', lastErrorCode: null, lastError: words })
  expect((await call('POST', `/${id}/test`)).body).toMatchObject({ success: false, error: words })
  smsc.behaviour = 'accept'
  await shows(id, { status: 'connected' })
})
