// The dot paths in a response, to choose a mapping from: names and kinds, never values.
import type { ProviderPreview } from '@tollgate/contract/providers/providers.ts'

type FieldPath = ProviderPreview['paths'][number]

const pathsMax = 200
const depthMax = 8
// Rows may leave out empty fields: a few rows together show all of them.
const rowsSampled = 5

export function fieldPaths(answer: unknown): FieldPath[] {
  const found = new Map<string, FieldPath['kind']>()
  const walk = (value: unknown, path: string, depth: number): void => {
    if (found.size >= pathsMax || depth > depthMax) return
    if (path !== '' || Array.isArray(value)) note(found, path, kindOf(value))
    if (Array.isArray(value))
      for (const item of value.slice(0, rowsSampled)) walkFields(item, `${path}[]`, depth)
    else walkFields(value, path, depth)
  }
  const walkFields = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [name, field] of Object.entries(value))
      if (name.length <= 100 && !name.includes('.') && !/\p{Cc}/u.test(name))
        walk(field, path === '' ? name : `${path}.${name}`, depth + 1)
  }
  walk(answer, '', 0)
  return [...found].map(([path, kind]) => ({ path, kind }))
}

/** A field that is null in one row may have a kind in the next. */
function note(found: Map<string, FieldPath['kind']>, path: string, kind: FieldPath['kind']): void {
  if ((found.get(path) ?? 'other') === 'other') found.set(path, kind)
}

function kindOf(value: unknown): FieldPath['kind'] {
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  return typeof value === 'object' && value !== null ? 'object' : 'other'
}
