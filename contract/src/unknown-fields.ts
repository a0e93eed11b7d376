// Which fields of an input its route does not know.
import type { z } from 'zod'
import type { Route } from './route.ts'

/** The parts of a call that carry named fields. */
export type FieldsPart = 'query' | 'body'

/**
 * The paths of the fields that a route does not know, at most 20 of them; `value` is the query or body as it came. A
 * PUT or PATCH may send back the fields of the object that it answers with. Source: API specification, General.
 */
export function unknownFields(route: Route, part: FieldsPart, value: unknown): string[] {
  const schema = route[part]
  const isChange = part === 'body' && (route.method === 'PUT' || route.method === 'PATCH')
  const readOnly = isChange && route.response !== undefined ? fieldsOf(route.response) : undefined
  const unknown = schema === undefined ? namesOf(value).map((name) => [name]) : unknownIn(schema, value)
  return unknown
    .filter(([name = '', ...rest]) => rest.length > 0 || readOnly?.has(name) !== true)
    .slice(0, unknownFieldsMax)
    .map((path) => path.join('.'))
}

/** A refusal names this many; a body may have thousands. */
const unknownFieldsMax = 20

type Path = readonly string[]
type AnySchema = z.core.$ZodType

function unknownIn(schema: AnySchema, value: unknown): Path[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object': {
      const { shape, catchall } = def as z.core.$ZodObjectDef
      // A loose object takes any field.
      if (catchall !== undefined && catchall._zod.def.type !== 'never') return []
      return namesOf(value).flatMap((name) => {
        const field = Object.hasOwn(shape, name) ? shape[name] : undefined
        if (field === undefined) return [[name]]
        return unknownIn(field, (value as Record<string, unknown>)[name]).map((path) => [name, ...path])
      })
    }
    case 'array':
      if (!Array.isArray(value)) return []
      return value.flatMap((item: unknown, at) =>
        unknownIn(def.element, item).map((path) => [String(at), ...path]),
      )
    case 'pipe':
      return unknownIn(def.in, value)
    case 'union':
      return unknownToAll(def.options.map((option) => unknownIn(option, value)))
    default:
      // Wrappers: optional, nullable, a default.
      return 'innerType' in def ? unknownIn(def.innerType, value) : []
  }
}

/** What one of the alternatives knows is known. */
function unknownToAll([first = [], ...others]: readonly Path[][]): Path[] {
  return first.filter((path) => others.every((other) => other.some((one) => isSame(one, path))))
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at])
}

function namesOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
}

function fieldsOf(schema: z.ZodType): ReadonlySet<string> {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  return new Set(def.type === 'object' ? Object.keys((def as z.core.$ZodObjectDef).shape) : [])
}
