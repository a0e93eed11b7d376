// The example of a call that OpenAPI shows: what contract/src/examples.ts says of the route, and for the rest a value for
// each required field by its name or its schema.
import { z } from 'zod'
import { exampleFields, examples } from '@tollgate/contract/examples.ts'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import type { JsonSchema } from './example-answers.ts'

/** A call of this route, with nothing but what it must have unless its entry in the contract says more. */
export function exampleCall(name: string, { params, query, body }: Route): RouteCall<Route> {
  const chosen = examples[name] ?? {}
  return {
    params: { ...requiredOf(params), ...(chosen.params as object) },
    query: { ...requiredOf(query), ...(chosen.query as object) },
    ...(body === undefined ? {} : { body: chosen.body ?? valueOf('', jsonSchemaOf(body)) }),
  }
}

/** A filter that a list may be asked with, where its example has none: the first of its query that has a value. */
export function exampleFilter(query: z.ZodType): Readonly<Record<string, unknown>> {
  const { properties = {} } = jsonSchemaOf(query)
  const values = Object.entries(properties).map(([field, schema]) => [field, valueOf(field, schema)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined).slice(0, 1))
}

function requiredOf(schema: z.ZodType | undefined): Readonly<Record<string, unknown>> {
  return schema === undefined ? {} : objectOf(jsonSchemaOf(schema))
}

const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

function objectOf({ properties = {}, required = [] }: JsonSchema): Readonly<Record<string, unknown>> {
  return Object.fromEntries(required.map((name) => [name, valueOf(name, properties[name] ?? {})]))
}

/** By its name, or else the first that the schema permits; undefined when neither says anything. */
function valueOf(name: string, schema: JsonSchema): unknown {
  const named = exampleFields[name]
  if (schema.enum !== undefined) return schema.enum.includes(named) ? named : schema.enum[0]
  if (named !== undefined) return named
  if (schema.const !== undefined) return schema.const
  if (schema.anyOf !== undefined) return valueOf(name, schema.anyOf[0] ?? {})
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return [valueOf('', schema.items ?? {})]
  return schema.type === 'object' ? objectOf(schema) : undefined
}
