// Input by the route's schemas, or a refusal that names every faulty field.
import type { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'

const parts = { params: 'address', query: 'query', body: 'body' } as const
export type Part = keyof typeof parts

/** Parses one part of a call. Throws Refusal invalid with `fields`: the path of each fault and what is wrong with it. */
export function parse(part: Part, schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined
  const nulPath = pathOfNul(value)
  // PostgreSQL cannot store U+0000 in a text; no field of ours has a use for it.
  if (nulPath !== undefined) throw refusal({ [nameOf(part, nulPath)]: 'The character U+0000 is not allowed' })
  const result = schema.safeParse(value === undefined && part === 'body' ? {} : value)
  if (result.success) return result.data
  const fields: Record<string, string> = {}
  for (const { path, message } of result.error.issues) fields[nameOf(part, path)] ??= message
  // An id that cannot be one is the address of nothing.
  if (part === 'params') throw new Refusal('not_found', 'There is nothing at this address.')
  throw refusal(fields)
}

function refusal(fields: Record<string, string>): Refusal {
  const [[name, text] = ['', '']] = Object.entries(fields)
  const message =
    Object.keys(fields).length === 1
      ? `${name}: ${text}`
      : 'Some fields are not valid. Correct them and try again.'
  return new Refusal('invalid', message, { fields })
}

function nameOf(part: Part, path: readonly PropertyKey[]): string {
  return path.length === 0 ? parts[part] : path.map(String).join('.')
}

function pathOfNul(value: unknown, path: readonly PropertyKey[] = []): readonly PropertyKey[] | undefined {
  if (typeof value === 'string') return value.includes('\u0000') ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    if (key.includes('\u0000')) return [...path, 'name']
    const found = pathOfNul(item, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}
