// The dot paths that an answer has, for whoever maps it: names and kinds, never what stands there.
import type { ProviderPreview } from '@tollgate/contract/providers.ts'

type Found = ProviderPreview['paths'][number]

const pathsMost = 200
const depthMost = 8
// Rows may leave out what is empty: a few of them show all there is.
const rowsLooked = 5

export function pathsOf(answer: unknown): Found[] {
  const found = new Map<string, Found['kind']>()
  const walk = (value: unknown, path: string, depth: number): void => {
    if (found.size >= pathsMost || depth > depthMost) return
    if (path !== '' || Array.isArray(value)) note(found, path, kindOf(value))
    if (Array.isArray(value))
      for (const item of value.slice(0, rowsLooked)) walkFields(item, `${path}[]`, depth)
    else walkFields(value, path, depth)
  }
  const walkFields = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [name, part] of Object.entries(value))
      if (name.length <= 100 && !name.includes('.') && !/\p{Cc}/u.test(name))
        walk(part, path === '' ? name : `${path}.${name}`, depth + 1)
  }
  walk(answer, '', 0)
  return [...found].map(([path, kind]) => ({ path, kind }))
}

/** A field that is null in one row may be told by the next. */
function note(found: Map<string, Found['kind']>, path: string, kind: Found['kind']): void {
  if ((found.get(path) ?? 'other') === 'other') found.set(path, kind)
}

function kindOf(value: unknown): Found['kind'] {
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  return typeof value === 'object' && value !== null ? 'object' : 'other'
}
