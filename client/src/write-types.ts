// TypeScript types from JSON Schemas, for a package without dependencies.

/** A JSON Schema as zod writes it; `true` or an empty one is anything. */
interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
}

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The type of the values that a schema describes, on one line. */
export function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return union(choices.map(typeOf))
  if (schema.allOf !== undefined) return schema.allOf.map((each) => `(${typeOf(each)})`).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type: string) => typeOf({ ...schema, type })))
  if (schema.type === 'array') return `(${schema.items === undefined ? 'unknown' : typeOf(schema.items)})[]`
  if (schema.type === 'object') return objectType(schema)
  return plain[String(schema.type)] ?? 'unknown'
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  return distinct.length === 0 ? 'never' : distinct.join(' | ')
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema): string {
  const named = Object.entries(properties ?? {})
  if (named.length === 0)
    return typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
      ? `{ [name: string]: ${typeOf(additionalProperties)} }`
      : '{ [name: string]: unknown }'
  const fields = named.map(([name, schema]) => {
    const isThere = required.includes(name)
    return `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${isThere ? '' : '?'}: ${typeOf(schema)}`
  })
  return `{ ${fields.join('; ')} }`
}
