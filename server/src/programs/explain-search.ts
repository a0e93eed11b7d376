// `npm run explain-search -- --number DIGITS --client NAME`: how the records list finds the matches of a filter.
import { recordFilters } from '@tollgate/contract/records/records.ts'
import { systemClock } from '../platform/clock.ts'
import { openOperatorDatabase } from '../storage/operator-database.ts'
import { runCommand, say, UsageError } from '../platform/process/command.ts'
import { readConfig } from '../platform/process/config.ts'
import { explainSearch } from '../records/index.ts'

const usage = `Usage: npm run explain-search -- [filters] [--limit 100]
Says how the records list finds the newest matches of a filter, and what it reads for them.
  --number DIGITS   --client NAME   --range NAME   --gateway NAME   --status WORD   --search TEXT
  --from DAY   --to DAY   UTC days such as 2026-11-23
  --limit COUNT   how many records the page has; 100 by default, 1,000 at most
Set DATABASE_URL or DATA_DIR as the gateway has them.`

const text = { type: 'string' } as const
const options = {
  number: text,
  client: text,
  range: text,
  gateway: text,
  status: text,
  search: text,
  from: text,
  to: text,
  limit: text,
} as const

const faultOf = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  `${path.join('.')}: ${message}`

async function run(values: Partial<Record<keyof typeof options, string>>): Promise<number> {
  const { from, to, limit: limitText = '100', ...rest } = values
  const limit = /^\d{1,4}$/.test(limitText) ? Math.min(1_000, Number(limitText)) : 0
  const filters = recordFilters.safeParse({ ...rest, dateFrom: from, dateTo: to })
  if (limit === 0) throw new UsageError('limit: enter a whole number from 1 to 1000')
  if (!filters.success) throw new UsageError(filters.error.issues.map(faultOf).join('\n'))
  const operator = await openOperatorDatabase(readConfig(process.env))
  try {
    const { db } = operator.database
    const deps = { db, clock: systemClock }
    for (const line of await explainSearch(deps, filters.data, limit)) say(line)
    return 0
  } finally {
    await operator.close()
  }
}

await runCommand({ usage, options, run: ({ values }) => run(values), failedStatus: 2 })
