// OpenAPI 3.1, made from the schemas that validate, so it cannot differ from what the server does.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { z } from 'zod'
import { errorBodySchema } from '@tollgate/contract/errors.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { permissions } from '@tollgate/contract/vocabulary.ts'
import { version } from '../platform/process/project.ts'
import { exampleAnswer } from './example-answers.ts'
import { exampleCall, exampleFilter } from './example-calls.ts'
import type { BoundRoutes } from './handlers.ts'

type Schema = Record<string, unknown>
type Side = 'input' | 'output'

const contentTypes = {
  csv: 'text/csv',
  events: 'text/event-stream',
  file: 'application/octet-stream',
} as const

/** The whole document. It takes a quarter of a second, in pieces: messages pass between them. */
export async function openApi(bound: readonly BoundRoutes[]): Promise<Schema> {
  const paths: Record<string, Schema> = {}
  for (const [name, route] of bound.flatMap(({ table }) => Object.entries(table))) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: operation(name, route) })
    await letOthersRun()
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate', version, description: 'SMS gateway and premium-number business.' },
    paths,
    components: {
      schemas: { Error: jsonSchema(errorBodySchema, 'output') },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sid' },
        key: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function operation(name: string, route: Route): Schema {
  const example = exampleCall(name, route)
  const parameters = [
    ...parametersOf(route.params, 'path', example.params),
    ...parametersOf(route.query, 'query', queryExample(route, example.query as object)),
    ...(route.isIdempotent === true ? [idempotencyKey] : []),
  ]
  return {
    operationId: name,
    summary: route.summary,
    ...(route.access === 'public' ? { security: [] } : { security: securityOf(route) }),
    ...(route.access === 'public' ? {} : { 'x-roles': permissions[route.access] }),
    ...(route.fresh === undefined ? {} : { 'x-fresh': route.fresh, description: freshNotes[route.fresh] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.scope === undefined ? {} : { 'x-scope': route.scope }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body, example.body) }),
    responses: {
      [String(route.status ?? (route.response === undefined && route.stream === undefined ? 204 : 200))]:
        success(route),
      default: {
        description: 'A refusal: what happened and what to do.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const freshNotes = {
  now: 'Needs a sign-in or a confirmed password of the last 5 minutes; otherwise 403 with the code reauthenticate.',
  hour: 'Needs a sign-in or a confirmed password of the last hour; otherwise 403 with the code reauthenticate.',
} as const

const queryExample = ({ query }: Route, chosen: object) =>
  query === undefined || Object.keys(chosen).length > 0 ? chosen : exampleFilter(query)

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A call sent again with the same key within a day gets the first answer and has no further effect.',
  schema: { type: 'string', maxLength: 255 },
}

function securityOf(route: Route): Schema[] {
  return [{ session: [] }, ...(route.scope === undefined ? [] : [{ key: [] }])]
}

function requestBody(route: Route, body: z.ZodType, example: unknown): Schema {
  const file = {
    type: 'object',
    properties: { file: { type: 'string', format: 'binary' } },
    required: ['file'],
  }
  return {
    required: true,
    content: {
      'application/json': {
        schema: jsonSchema(body, 'input'),
        ...(example === undefined ? {} : { example }),
      },
      ...(route.upload === true ? { 'multipart/form-data': { schema: file } } : {}),
    },
  }
}

function success(route: Route): Schema {
  const headers =
    route.isPaged === true ? { Link: { description: 'rel="next"', schema: { type: 'string' } } } : undefined
  const type = route.stream === undefined ? 'application/json' : contentTypes[route.stream]
  const schema = route.response === undefined ? { type: 'string' } : jsonSchema(route.response, 'output')
  const hasBody = route.response !== undefined || route.stream !== undefined
  return {
    description: route.summary,
    ...(headers === undefined ? {} : { headers }),
    ...(hasBody
      ? { content: { [type]: { schema, ...(route.response && { example: exampleAnswer(schema) }) } } }
      : {}),
  }
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', example: unknown): Schema[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  const values = (example ?? {}) as Record<string, unknown>
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
    ...(name in values ? { example: values[name] } : {}),
  }))
}

function jsonSchema(schema: z.ZodType, io: Side): Schema {
  // A transform's outcome has no JSON Schema of its own; "any" is then the honest answer.
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  void $schema
  return rest
}
