// Explains a search: runs the query of the records list as staff and describes each of its steps.
import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import { describe, findPage } from '../search/index.ts'
import type { ReadDeps } from './list-records.ts'
import { resolveFilters } from './resolve-filters.ts'

/**
 * Gives a line for each step that the list takes for `filters`: what is scanned, what the search index says, what is read,
 * and last how many records were found in how many ms. Throws Refusal invalid as the list does.
 */
export async function explainSearch(
  { db, clock }: ReadDeps,
  filters: RecordFilters,
  limit: number,
): Promise<string[]> {
  const condition = await resolveFilters(db, { userId: 0, role: 'admin' }, filters, clock.now())
  if (condition === undefined) return ['No record can match: a name or number of the filter does not exist.']
  const lines = [`Filter: ${describe(condition)}`]
  const startedMs = performance.now()
  const found = await findPage(db, condition, {
    after: undefined,
    limit,
    now: clock.now(),
    trace: (line) => lines.push(line),
  })
  const tookMs = performance.now() - startedMs
  return [...lines, `Found ${found.length} of at most ${limit} records in ${tookMs.toFixed(1)} ms`]
}
