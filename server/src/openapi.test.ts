// The examples of the OpenAPI document: every call that takes something has one, every answer too, and each fits its schema.
// openapi-examples.long.test.ts makes the calls.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openTestDatabase } from '../test/environment/database.ts'
import { composeOn } from '../test/environment/slices.ts'
import { openApi } from './http/openapi.ts'

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]
interface Content {
  readonly schema: JsonSchema
  readonly example?: unknown
}
interface DocumentedCall {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

const { routes } = await composeOn(await openTestDatabase())
const { paths } = (await openApi(routes)) as { paths: Record<string, Record<string, DocumentedCall>> }
const calls = Object.values(paths).flatMap((methods) => Object.values(methods))
const json = (content: Readonly<Record<string, Content>> = {}) => content['application/json']
const messageOf = ({ issues }: z.ZodError) =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')

test('every call that takes something has an example of it', () => {
  const takesNothing = calls.filter(
    ({ parameters = [], requestBody }) =>
      !parameters.some(({ in: place }) => place !== 'header') && requestBody === undefined,
  )
  const without = calls.filter(
    ({ parameters = [], requestBody }) =>
      !parameters.some(({ example }) => example !== undefined) &&
      json(requestBody?.content)?.example === undefined,
  )
  expect(calls.length).toBeGreaterThan(300)
  expect(without.map(({ operationId }) => operationId).toSorted()).toEqual(
    takesNothing.map(({ operationId }) => operationId).toSorted(),
  )
})

test('every example of a parameter or of a body is taken by the schemas of its route', () => {
  const table = new Map(routes.flatMap((bound) => Object.entries(bound.table)))
  const faults = calls.flatMap(({ operationId, parameters = [], requestBody }) => {
    const { params, query, body } = table.get(operationId) ?? {}
    const given = (place: string) =>
      Object.fromEntries(
        parameters
          .filter((each) => each.in === place && each.example !== undefined)
          .map(({ name, example }) => [name, example]),
      )
    const results = [
      params?.safeParse(given('path')),
      query?.safeParse(given('query')),
      body?.safeParse(json(requestBody?.content)?.example),
    ]
    return results.flatMap((result) => result?.error ?? []).map((error) => [operationId, messageOf(error)])
  })
  expect(faults).toEqual([])
})

test('every answer that is no file has an example, which fits its schema', () => {
  const answers = calls.flatMap(({ operationId, responses }) => {
    const content = json(Object.entries(responses).find(([status]) => status !== 'default')?.[1].content)
    return content === undefined ? [] : [[operationId, content] as const]
  })
  expect(answers.length).toBeGreaterThan(280)
  const faults = answers.flatMap(([name, { schema, example }]) => {
    const { error } = z.fromJSONSchema(schema).safeParse(example)
    return error === undefined ? [] : [[name, messageOf(error)]]
  })
  expect(faults).toEqual([])
})
