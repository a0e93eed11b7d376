// Checks each call of a test as the server would: by the fields that its route knows.
import type { Route } from '@tollgate/contract/route.ts'
import { unknownFields } from '@tollgate/contract/unknown-fields.ts'

const modules = import.meta.glob<Record<string, unknown>>(
  ['../../../contract/src/**/*.ts', '!../../../contract/src/**/*.test.ts'],
  { eager: true },
)
const routes = Object.values(modules).flatMap((module) =>
  Object.entries(module)
    .filter(([name]) => name.endsWith('Routes'))
    .flatMap(([, table]) => Object.values(table as Record<string, Route>)),
)
// A path without parameters is meant before one with them, as on the server.
const placeholders = ({ path }: Route) => path.split('{').length
const patterns = routes
  .toSorted((a, b) => placeholders(a) - placeholders(b))
  .map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))

/** The unknown fields that the console sent in this test, with their calls. */
export const sentUnknownFields: string[] = []

interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** Notes the fields of a call that its route does not know. */
export function noteUnknownFields({ method, path, query, body }: Call): void {
  const found = patterns.find(({ route, pattern }) => route.method === method && pattern.test(path))
  if (found === undefined) return
  const parts = { query: Object.fromEntries(query), body: body instanceof FormData ? undefined : body }
  for (const part of ['query', 'body'] as const)
    for (const field of unknownFields(found.route, part, parts[part]))
      sentUnknownFields.push(`${method} ${path}: ${part} ${field}`)
}
