// The example of every call in the OpenAPI document, made as it stands there: a program has nothing else to go by. Only ids
// are put in place of the example's, and what a person keeps secret.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { accountFixtures } from '../test/examples/account-fixtures.ts'
import { billFixtures } from '../test/examples/bill-fixtures.ts'
import { numberFixtures } from '../test/examples/number-fixtures.ts'
import { admin, client, support, type Fixture, type Fixtures } from '../test/examples/fixture.ts'
import { integrityFixtures } from '../test/examples/integrity-fixtures.ts'
import { runFixtures } from '../test/examples/run-fixtures.ts'
import { trafficFixtures } from '../test/examples/traffic-fixtures.ts'
import { openExamplesEnvironment } from '../test/examples/environment.ts'
import { projectRoot } from './platform/process/project.ts'

const environment = await openExamplesEnvironment()
const fixtures: Fixtures = {
  ...accountFixtures(environment),
  ...numberFixtures(environment),
  ...billFixtures(environment),
  ...runFixtures(environment),
  ...integrityFixtures(environment),
  ...trafficFixtures(environment),
}

// What they need cannot be made here: these tests make them.
const elsewhere: Readonly<Record<string, string>> = {
  // A broken audit log.
  acknowledgeAuditBreak: 'server/src/audit/convict.test.ts',
}

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]
interface Content {
  readonly schema: JsonSchema
  readonly example?: unknown
}
interface DocumentedCall {
  readonly operationId: string
  readonly 'x-roles'?: readonly string[]
  readonly 'x-scope'?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly example?: string | number | boolean
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

/** The calls that a standby may answer. */
const readRoutes = new Set(
  environment.slices.routes.flatMap(({ table }) =>
    Object.keys(table).filter((name) => table[name]?.onReplica !== undefined),
  ),
)

const document = (await (await fetch(`${environment.baseUrl}/api/openapi.json`)).json()) as {
  paths: Record<string, Record<string, DocumentedCall>>
}
const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), ...call })),
)
type Call = (typeof calls)[number]

test('the document has every call, and no fixture is of a call that is gone', () => {
  const names = calls.map(({ operationId }) => operationId)
  expect(names.length).toBeGreaterThan(300)
  expect(Object.keys(fixtures).filter((name) => !names.includes(name))).toEqual([])
})

test.each(Object.entries(elsewhere))('%s is made by %s', async (name, path) => {
  const call = calls.find(({ operationId }) => operationId === name)
  expect(await readFile(join(projectRoot, path), 'utf8')).toContain(`'${call?.path}'`)
  if (call !== undefined) expect(bodyOf(call, {})).toBeDefined()
})

test.each(
  calls
    .filter(({ operationId }) => !(operationId in elsewhere))
    .map((call) => [call.operationId, call] as const),
)('the example of %s is whole and works as it is documented', async (name, call) => {
  const fixture = (await fixtures[name]?.()) ?? {}
  const usesBefore = environment.replica.useCount()
  const answer = await environment.ask(
    callerOf(call, fixture),
    call.method,
    addressOf(call, fixture),
    bodyOf(call, fixture),
  )
  await expectDocumented(answer, call)
  // What may read from a standby writes nothing, or the primary would have answered it.
  const isRead = readRoutes.has(name)
  expect(answer.headers.get('x-read-from')).toBe(isRead ? 'replica; age=0' : null)
  expect(environment.replica.useCount() > usesBefore).toBe(isRead)
})

const stranger = 'nobodyKnowsMe'

test('every call refuses a name of its query and a field of its body that it does not know, by that name', async () => {
  for (const call of calls) {
    const { operationId: name, method } = call
    const address = addressOf(call, {})
    const refused = async (path: string, body: unknown) => {
      const answer = await environment.ask(callerOf(call, {}), method, path, body)
      const { fields } = (await answer.json()) as { fields?: Record<string, string> }
      return [name, answer.status, fields?.[stranger]]
    }
    const expected = [name, 400, 'Not a field of this call']
    const body = bodyOf(call, {})
    expect
      .soft(await refused(`${address}${address.includes('?') ? '&' : '?'}${stranger}=1`, body))
      .toEqual(expected)
    if (method !== 'GET')
      expect.soft(await refused(address, { ...(body as object), [stranger]: 1 })).toEqual(expected)
  }
})

/** It has the documented status of a success, and a body of its schema. */
async function expectDocumented(answer: Response, { responses }: Call): Promise<void> {
  const [status = '', { content = {} } = {}] = Object.entries(responses)[0] ?? []
  if (String(answer.status) !== status) expect.unreachable(`${answer.status}: ${await answer.text()}`)
  const [type, documented] = Object.entries(content)[0] ?? []
  if (type === undefined || documented === undefined) return
  // A file says itself what it is.
  if (type !== 'application/octet-stream') expect(answer.headers.get('content-type')).toContain(type)
  if (type === 'application/json') z.fromJSONSchema(documented.schema).parse(await answer.json())
  else if (type === 'text/event-stream') await answer.body?.cancel()
  // To its end, so that nothing is read for it during the next call.
  else await answer.arrayBuffer()
}

/** The planted person, or the one with the least rights; by a key where one may call. */
function callerOf({ 'x-roles': roles, 'x-scope': scope }: Call, { who }: Fixture): string {
  if (roles === undefined) return ''
  const person = who ?? (roles.includes('user') ? client : roles.includes('support') ? support : admin)
  return scope === undefined ? person : `${person},${scope}`
}

function addressOf({ path, parameters = [] }: Call, { params = {}, query: planted = {} }: Fixture): string {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place, required, example } of parameters) {
    if (required) expect([name, example]).not.toEqual([name, undefined])
    if (place === 'path')
      filled = filled.replace(`{${name}}`, encodeURIComponent(params[name] ?? String(example)))
    if (place === 'query' && example !== undefined) query.set(name, planted[name] ?? String(example))
  }
  return query.size === 0 ? filled : `${filled}?${query.toString()}`
}

function bodyOf({ requestBody }: Call, { body: planted = {} }: Fixture): unknown {
  const content = requestBody?.content['application/json']
  if (content === undefined) return undefined
  expect(content.example).toBeDefined()
  return { ...(content.example as object), ...planted }
}
