// Every route of the contract, whichever slice has it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '@tollgate/contract/route.ts'

const folder = join(import.meta.dirname, '../../../contract/src')

/** All tables of routes, with the name of each route. */
export async function allRoutes(): Promise<readonly (readonly [name: string, route: Route])[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const modules = await Promise.all(
    files.map((name) => import(/* @vite-ignore */ join(folder, name)) as Promise<Record<string, unknown>>),
  )
  const tables = modules.flatMap((module) =>
    Object.entries(module)
      .filter(([name]) => name.endsWith('Routes'))
      .map(([, table]) => Object.entries(table as Record<string, Route>)),
  )
  // A table that another one contains is found twice.
  const byCall = new Map(tables.flat().map((entry) => [`${entry[1].method} ${entry[1].path}`, entry]))
  return [...byCall.values()]
}
