// The example of an answer that OpenAPI shows: each field of the schema with a value by its name, by its schema, or as its
// name itself.
import { answerFields, answerPatterns } from '@tollgate/contract/answer-examples.ts'

/** What the examples read of a JSON schema. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

// A count or a number of seconds, in most places.
const anyNumber = 3

/** An answer of this schema, with all of its fields and one entry in each list. */
export function exampleAnswer(schema: Readonly<Record<string, unknown>>): unknown {
  return valueOf('', schema)
}

function valueOf(name: string, schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first !== undefined) return valueOf(name, first)
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'object') return objectOf(schema)
  if (type === 'array') return [valueOf(name, schema.items ?? {})]
  if (type === 'boolean') return true
  return type === 'integer' || type === 'number' ? numberOf(name, schema) : textOf(name, schema)
}

const objectOf = ({ properties = {} }: JsonSchema) =>
  Object.fromEntries(Object.entries(properties).map(([field, each]) => [field, valueOf(field, each)]))

function numberOf(name: string, { minimum = -Infinity, maximum = Infinity }: JsonSchema): number {
  const named = answerFields[name]
  return Math.min(Math.max(typeof named === 'number' ? named : anyNumber, minimum), maximum)
}

/** The value of the name where the schema permits it, else an id, or the name itself. */
function textOf(name: string, { pattern }: JsonSchema): unknown {
  const byPart = answerPatterns.find(([part]) => part.test(name))?.[1]
  const permitted = new RegExp(pattern ?? '', 'u')
  return [answerFields[name], byPart, pattern === undefined ? undefined : '7', name].find(
    (value) => typeof value === 'string' && permitted.test(value),
  )
}
