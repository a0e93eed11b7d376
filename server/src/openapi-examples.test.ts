// The examples in the OpenAPI document, made as they stand there: a program has nothing else to go by.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row } from './platform/db.ts'
import { openProgramsWorld } from '../test/programs-world.ts'

const { db, baseUrl, ask, receive } = await openProgramsWorld()

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly example?: string | number
}
interface DocumentedCall {
  readonly operationId: string
  readonly security: readonly Record<string, unknown>[]
  readonly 'x-roles': readonly string[]
  readonly 'x-scope'?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } }
  readonly responses: Readonly<Record<string, unknown>>
}

const document = (await (await fetch(`${baseUrl}/api/openapi.json`)).json()) as {
  paths: Record<string, Record<string, DocumentedCall>>
}
const calls = Object.entries(document.paths)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, call]) => ({ path, method, ...call })))
  .filter(({ security }) => security.some((each) => 'key' in each))

// The examples' ids are somebody's; here are the same things of the caller.
const [messageId] = await receive(1)
/** An endpoint that no other call has paused or deleted. */
async function anEndpoint(): Promise<string> {
  const own = '/api/user/endpoints'
  for (const { id } of (await (await ask('session', 'GET', own)).json()) as { id: string }[])
    expect((await ask('session', 'DELETE', `${own}/${id}`)).ok).toBe(true)
  const made = await ask('session', 'POST', own, { name: 'CRM', endpoint: 'http://127.0.0.1:9/' })
  expect(made.status).toBe(201)
  return ((await made.json()) as { id: string }).id
}
async function aDelivery(endpointId: string, status: 'pending' | 'failed'): Promise<string> {
  const found = await row<{ id: string }>(
    db,
    sql`insert into endpoint_deliveries (endpoint_id, type, subject, data, status, next_attempt_at)
        values (${endpointId}::int, 'request.updated', '7', '{"id":"7"}', ${status},
          case when ${status} = 'pending' then now() + interval '1 hour' end) returning id`,
  )
  return found?.id ?? ''
}
async function aConnection(): Promise<string> {
  const answer = await ask('session', 'POST', '/api/smpp-connections', {
    name: 'west',
    host: '127.0.0.1',
    port: 2775,
    systemId: 'tollgate',
    password: 'secret08',
  })
  const { id } = (await answer.json()) as { id: string }
  // As a node leaves them that holds the link.
  await sql`insert into leases (name, owner, token, expires_at)
    values ('connection:' || ${id}, 'a node', 1, now() + interval '1 hour')`.execute(db)
  await sql`insert into connection_states (connection_id, status, node, lease_token, attempts, last_error, messages_per_second)
    values (${id}::int, 'connected', 'a node', 1, 1, '', 0)`.execute(db)
  return id
}

/** The path with the ids of this test's things instead of the example's. */
async function pathOf({
  path,
  operationId,
  parameters = [],
}: DocumentedCall & { path: string }): Promise<string> {
  for (const { name, in: place, example } of parameters)
    if (place === 'path') expect([name, example]).toEqual([name, expect.any(String)])
  if (path.includes('/records/')) return path.replace('{id}', messageId ?? '')
  if (path.includes('/smpp-connections/')) return path.replace('{id}', await aConnection())
  if (!path.includes('/endpoints/')) return path
  const endpointId = await anEndpoint()
  const filled = path.replace('{id}', endpointId)
  const state = operationId.startsWith('send') ? 'pending' : 'failed'
  return filled.includes('{deliveryId}')
    ? filled.replace('{deliveryId}', await aDelivery(endpointId, state))
    : filled
}

test('every call that a key may make is in the document', () => expect(calls.length).toBeGreaterThan(15))

test.each(calls.map((call) => [call.operationId, call] as const))(
  'the example of %s works as it is documented',
  async (_, call) => {
    const { parameters = [], requestBody } = call
    const query = new URLSearchParams()
    for (const { name, in: place, required, example } of parameters) {
      if (place !== 'query') continue
      if (required) expect([name, example]).not.toEqual([name, undefined])
      if (example !== undefined) query.set(name, String(example))
    }
    const body = requestBody?.content['application/json'].example
    if (requestBody !== undefined) expect(body).toBeDefined()
    const address = `${await pathOf(call)}${query.size === 0 ? '' : `?${query.toString()}`}`
    const key = `${call['x-roles'].includes('user') ? 'user' : 'support'},${call['x-scope'] ?? ''}`
    const given = body === undefined ? undefined : adapted(body)
    const answer = await ask(key, call.method.toUpperCase(), address, given)
    const success = Object.keys(call.responses).filter((status) => status !== 'default')
    expect([address, String(answer.status)]).toEqual([address, ...success])
    await answer.body?.cancel()
  },
)

/** A body with the record of this test instead of the example's. */
function adapted(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'ids' in body ? { ...body, ids: [messageId] } : body
}
