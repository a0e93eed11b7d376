// Parses input by the route's schemas, or refuses it and names every faulty field.
import { Refusal, type Faults } from '@tollgate/contract/errors.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { faultOf } from '@tollgate/contract/schema-messages.ts'
import { labelled, sentence, type Words } from '@tollgate/contract/sentences.ts'
import { unknownFields } from '@tollgate/contract/unknown-fields.ts'

const parts = { params: 'address', query: 'query', body: 'body' } as const
export type InputPart = keyof typeof parts

const nul = '\u0000'
const notKnown = 'Not a field of this call'

/**
 * Parses one part of a call by its route. Throws Refusal invalid with `fields`: the path of each fault, fields that the route
 * does not know included, and what is wrong with it.
 */
export function parseInput(part: InputPart, route: Route, value: unknown): unknown {
  const schema = route[part]
  const unknown = part === 'params' ? [] : unknownFields(route, part, value)
  if (schema === undefined) {
    if (unknown.length > 0) throw refusal(Object.fromEntries(unknown.map((path) => [path, notKnown])))
    return undefined
  }
  const nulPath = pathOfNul(value)
  // PostgreSQL cannot store U+0000 in a text, and no field needs it.
  if (nulPath !== undefined) throw refusal({ [nameOf(part, nulPath)]: 'The character U+0000 is not allowed' })
  const result = schema.safeParse(value === undefined && part === 'body' ? {} : value)
  if (result.success && unknown.length === 0) return result.data
  const fields: Record<string, Words> = Object.fromEntries(unknown.map((path) => [path, notKnown]))
  for (const issue of result.error?.issues ?? []) fields[nameOf(part, issue.path)] ??= faultOf(issue)
  // A malformed id names nothing: 404.
  if (part === 'params') throw new Refusal('not_found', 'There is nothing at this address.')
  throw refusal(fields)
}

// A list with every filter and a cursor needs a quarter of it.
const queryCharactersMax = 4_096
const queryFieldsMax = 64

/** Refuses an address whose query is longer, or has more fields, than any of ours. */
export function refuseLongQuery(url: string): void {
  const query = url.slice(url.indexOf('?') + 1)
  if (query.length === url.length) return
  if (query.length > queryCharactersMax)
    throw refusal({ query: sentence('At most {count} characters', { count: queryCharactersMax }) })
  if (query.split('&').length > queryFieldsMax)
    throw refusal({ query: sentence('At most {count} fields', { count: queryFieldsMax }) })
}

function refusal(fields: Faults): Refusal {
  const [[name, fault] = ['', '']] = Object.entries(fields)
  const message =
    Object.keys(fields).length === 1
      ? labelled(name, fault)
      : 'Some fields are not valid. Correct them and try again.'
  return new Refusal('invalid', message, { fields })
}

function nameOf(part: InputPart, path: readonly PropertyKey[]): string {
  return path.length === 0 ? parts[part] : path.map(String).join('.')
}

interface NestedValue {
  readonly value: unknown
  readonly name: string
  readonly within: NestedValue | undefined
}

/** The path of a text or a name with U+0000. Uses a list instead of recursion, since the input decides its depth. */
function pathOfNul(whole: unknown): readonly string[] | undefined {
  const open: NestedValue[] = [{ value: whole, name: '', within: undefined }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place
    if (typeof value === 'string' && value.includes(nul)) return pathOf(place)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, item] of Object.entries(value)) {
      if (name.includes(nul)) return [...pathOf(place), 'name']
      open.push({ value: item, name, within: place })
    }
  }
  return undefined
}

function pathOf(place: NestedValue): string[] {
  const path: string[] = []
  for (let at = place; at.within !== undefined; at = at.within) path.push(at.name)
  return path.toReversed()
}
