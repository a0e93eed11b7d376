// Which database answers a call.
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import { routes } from '@tollgate/contract/route.ts'
import { silentLog } from '../../test/environment/database.ts'
import { afterUse } from '../../test/environment/database.ts'
import { systemClock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { setReplicaOf, type ReadReplica } from '../platform/failover/read-replica.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { bindOn, bindRoutes, type OnDatabase } from './handlers.ts'
import { createHttpServer } from './server.ts'

const which = z.object({ from: z.string() })
const read = { method: 'GET', summary: 'Reads.', access: 'public' } as const
const table = routes({
  list: { ...read, path: '/api/list', response: which, onReplica: 'current' },
  report: { ...read, path: '/api/report', response: which, isHeavy: true, onReplica: 'lagging' },
  page: { ...read, path: '/api/page', response: which },
  heavy: { ...read, path: '/api/heavy', response: which, isHeavy: true },
  download: { ...read, path: '/api/download', stream: 'csv', isHeavy: true, onReplica: 'current' },
})

const databaseError = (code: string) => Object.assign(new pg.DatabaseError('fault', 0, 'error'), { code })

interface Given {
  readonly age?: ReadReplica['ageFor']
  /** Thrown by the replica before the first row. */
  readonly fault?: Error
  /** Thrown after the first row of a download. */
  readonly laterFault?: Error
}

/** A server whose replica behaves as given; asks it for a path. */
async function serverWith({ age = async () => 0, fault, laterFault }: Given) {
  const named = (name: string) => ({ name }) as unknown as Db
  const heavyDb = named('heavy')
  setReplicaOf(heavyDb, { db: named('replica'), ageFor: age })
  const bind = ({ db }: OnDatabase) => {
    const from = (db as unknown as { name: string }).name
    const answer = async () => {
      if (from === 'replica' && fault !== undefined) throw fault
      return { from }
    }
    async function* rows(): AsyncGenerator<string> {
      if (from === 'replica' && fault !== undefined) throw fault
      yield `first of ${from}\n`
      if (from === 'replica' && laterFault !== undefined) throw laterFault
      yield `second of ${from}\n`
    }
    const download = async () => ({ contentType: 'text/csv', stream: rows(), forExcel: rows })
    return bindRoutes(table, { list: answer, report: answer, page: answer, heavy: answer, download })
  }
  const server = await createHttpServer({
    secrets: createSecrets('key material for tests'),
    routes: [bindOn({ db: named('pages'), heavyDb }, bind)],
    clock: systemClock,
    findActor: async () => undefined,
    log: silentLog,
    publicUrl: undefined,
    checks: {},
  })
  afterUse(() => server.close())
  return async (path: string) => {
    const answer = await server.app.inject({ url: path })
    const { statusCode: status, headers, body } = answer
    return { status, body, readFrom: headers['x-read-from'] }
  }
}

const from = (name: string) => JSON.stringify({ from: name })

test('the replica answers what may read from it, and the answer says how old it is at most', async () => {
  const ask = await serverWith({ age: async (freshness) => (freshness === 'lagging' ? 3 : 0) })
  expect(await ask('/api/list')).toMatchObject({ body: from('replica'), readFrom: 'replica; age=0' })
  expect(await ask('/api/report')).toMatchObject({ body: from('replica'), readFrom: 'replica; age=3' })
  expect(await ask('/api/download')).toMatchObject({
    body: 'first of replica\nsecond of replica\n',
    readFrom: 'replica; age=0',
  })
  expect(await ask('/api/page')).toMatchObject({ body: from('pages'), readFrom: undefined })
  expect(await ask('/api/heavy')).toMatchObject({ body: from('heavy'), readFrom: undefined })
})

test('where the replica is lost or too old the primary answers, and the answer says so', async () => {
  const ask = await serverWith({ age: async () => undefined })
  expect(await ask('/api/list')).toMatchObject({ body: from('pages'), readFrom: 'primary' })
  expect(await ask('/api/report')).toMatchObject({ body: from('heavy'), readFrom: 'primary' })
  expect(await ask('/api/download')).toMatchObject({
    body: 'first of heavy\nsecond of heavy\n',
    readFrom: 'primary',
  })
})

test.each([
  ['a connection that broke', new Error('Connection terminated unexpectedly')],
  ['a replica that is shut down', databaseError('57P01')],
  ['a statement that was in the way of the replay', databaseError('40001')],
  ['a statement that writes', databaseError('25006')],
])('after %s the primary answers the same call', async (_, fault) => {
  const ask = await serverWith({ fault })
  expect(await ask('/api/list')).toEqual({ status: 200, body: from('pages'), readFrom: 'primary' })
  for (const path of ['/api/download', '/api/download?form=excel'])
    expect(await ask(path)).toEqual({
      status: 200,
      body: expect.stringContaining('first of heavy\nsecond of heavy\n'),
      readFrom: 'primary',
    })
})

test('what the primary would refuse or not manage either is not asked twice', async () => {
  const refused = await serverWith({ fault: new Refusal('not_found', 'It is not there.') })
  expect((await refused('/api/list')).status).toBe(404)
  const slow = await serverWith({ fault: databaseError('57014') })
  expect((await slow('/api/list')).status).toBeGreaterThanOrEqual(500)
})

test('a download that has begun is cut and never continued with rows of another time', async () => {
  const ask = await serverWith({ laterFault: new Error('Connection terminated unexpectedly') })
  const answer = await ask('/api/download').catch((error: unknown) => ({ body: String(error) }))
  expect(answer.body).not.toContain('second')
})
