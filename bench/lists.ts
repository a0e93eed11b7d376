// Measures the first page of every list over HTTP, under every sort with every filter and kind of search.
import { auditSorts } from '@tollgate/contract/audit/audit.ts'
import { inventorySorts } from '@tollgate/contract/numbers/inventory.ts'
import { requestSorts } from '@tollgate/contract/numbers/requests.ts'
import { accountNumberSorts, premiumNumberSorts } from '@tollgate/contract/numbers/numbers.ts'
import { rangeSorts } from '@tollgate/contract/numbers/ranges.ts'
import { userRateSorts } from '@tollgate/contract/rates/rates.ts'
import { userSorts } from '@tollgate/contract/users/users.ts'
import { filledClient, withFilledLists } from './filled-lists.ts'
import { benchPassword } from '@tollgate/server/test/http/operator.ts'
import { signIn, type Call } from '@tollgate/server/test/http/session.ts'
import { quantile } from './report.ts'

/** A list of the console. Each filter and search is one variant; an empty one means none. */
interface List {
  readonly name: string
  readonly path: string
  readonly viewer: 'admin' | 'client'
  readonly sorts: readonly string[]
  readonly filters: readonly string[]
  readonly searches: readonly string[]
}

// Searches that match all rows, many, few, one and none; two letters are too few for an index.
const numberSearches = ['', '44', '4401', 'line 1', '+44 012 00 345', 'zq', 'zzqx']
const statusFilters = ['', 'status=active', 'status=suspended', 'status=inactive']

const lists: readonly List[] = [
  {
    name: 'Users Management',
    path: '/api/users',
    viewer: 'admin',
    sorts: userSorts,
    filters: ['', 'role=user', 'role=support', 'status=suspended', 'role=user&status=inactive'],
    searches: ['', 'user', 'user77', 'last976', 'user7777@example.org', 'zq', 'zzqx'],
  },
  {
    name: 'User-Specific SMS Rates',
    path: '/api/admin/users',
    viewer: 'admin',
    sorts: userRateSorts,
    filters: [''],
    searches: ['', 'user', 'user77', 'last976', 'zq', 'zzqx'],
  },
  {
    name: 'Numbers Management',
    path: '/api/premium-numbers',
    viewer: 'admin',
    sorts: premiumNumberSorts,
    filters: [...statusFilters, 'country=Germany', 'country=Atlantis', 'country=Spain&status=inactive'],
    searches: [...numberSearches, 'germany'],
  },
  {
    name: 'Number Inventory',
    path: '/api/number-inventory',
    viewer: 'admin',
    sorts: inventorySorts,
    filters: ['', 'status=available', 'status=assigned', 'status=suspended', 'country=DE', 'country=%2B49'],
    searches: [...numberSearches, 'telco 7', 'user77'],
  },
  {
    name: 'Premium Numbers, staff',
    path: '/api/numbers',
    viewer: 'admin',
    sorts: accountNumberSorts,
    filters: [...statusFilters, 'type=toll-free', 'type=standard&status=suspended'],
    searches: [...numberSearches, 'user77', 'acc-10'],
  },
  {
    name: 'Premium Numbers, a client of 20,000',
    path: '/api/numbers',
    viewer: 'client',
    sorts: accountNumberSorts,
    filters: [...statusFilters, 'type=toll-free'],
    searches: [...numberSearches, 'acc-10'],
  },
  {
    name: 'Number Ranges',
    path: '/api/ranges',
    viewer: 'client',
    sorts: rangeSorts,
    filters: statusFilters,
    searches: ['', 'r1', '4404', 'zzqx'],
  },
  {
    name: 'Number Requests, staff',
    path: '/api/number-requests/all',
    viewer: 'admin',
    sorts: requestSorts,
    filters: ['', 'status=pending', 'status=assigned'],
    searches: ['', 'votes', 'user77', '4401', 'zq', 'zzqx'],
  },
  {
    name: 'Audit Log',
    path: '/api/audit',
    viewer: 'admin',
    sorts: auditSorts,
    filters: [
      '',
      'action=user.edit',
      'action=number.delete',
      'objectType=number&objectId=77',
      'dateTo=2020-01-01',
    ],
    searches: ['', 'support', 'number.delete', '127.0.0.1', 'zq', 'zzqx'],
  },
]

async function time(call: Call, path: string): Promise<number> {
  const begun = performance.now()
  await call('GET', path)
  const took = performance.now() - begun
  // A person may make 100 calls a second.
  await new Promise((settle) => setTimeout(settle, 12))
  return took
}

const roundsOfAll = 3
const roundsOfSlowest = 40

function questionsOf({ filters, searches }: List, sort: string): string[] {
  const orders = [`sort=${sort}&order=asc`, `sort=${sort}&order=desc`]
  return orders.flatMap((order) =>
    filters.flatMap((filter) =>
      searches.map((search) =>
        [order, filter, search && `search=${encodeURIComponent(search)}`]
          .filter((part) => part !== '')
          .join('&'),
      ),
    ),
  )
}

/** One line of the table: all queries of one list in one order, and the slowest of them repeated. */
async function measureSort(call: Call, list: List, sort: string): Promise<string> {
  const all: number[] = []
  const minMs = new Map<string, number>()
  for (const question of questionsOf(list, sort)) {
    const times: number[] = []
    for (let round = 0; round < roundsOfAll; round += 1)
      times.push(await time(call, `${list.path}?${question}`))
    all.push(...times)
    // The minimum, not the median: other load on the machine must not decide which query is the slowest.
    minMs.set(question, Math.min(...times))
  }
  const [slowest = ''] = [...minMs]
    .toSorted(([, one], [, other]) => other - one)
    .map(([question]) => question)
  const again: number[] = []
  for (let round = 0; round < roundsOfSlowest; round += 1)
    again.push(await time(call, `${list.path}?${slowest}`))
  const figures = [
    quantile(all, 0.5),
    quantile(all, 0.95),
    quantile(again, 0),
    quantile(again, 0.5),
    quantile(again, 0.95),
  ].map((ms) => ms.toFixed(1))
  const [p50, p95, ...ofSlowest] = figures
  return `| ${list.name} | ${sort} | ${minMs.size} | ${p50} | ${p95} | \`${decodeURIComponent(slowest)}\` | ${ofSlowest.join(' | ')} |`
}

const summaries = [
  '/api/users/summary',
  '/api/users/summary?search=user77',
  '/api/premium-numbers/summary',
  '/api/premium-numbers/summary?search=44',
  '/api/premium-numbers/summary?search=zq',
  '/api/number-inventory/summary',
  '/api/number-inventory/summary?search=user77',
  '/api/numbers/summary',
  '/api/numbers/summary?search=user77',
  '/api/ranges/summary',
  '/api/number-requests/all/summary',
  '/api/audit/actions',
]

async function measureSummary(call: Call, path: string): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < roundsOfSlowest; round += 1) times.push(await time(call, path))
  return `| \`${path}\` | ${quantile(times, 0).toFixed(1)} | ${quantile(times, 0.5).toFixed(1)} | ${quantile(times, 0.95).toFixed(1)} |`
}

/** Measures and gives the tables of the report. */
export function measureLists(): Promise<string> {
  return withFilledLists(async (url, admin) => {
    const client = await signIn(url, filledClient, benchPassword)
    const lines: string[] = []
    for (const list of lists)
      for (const sort of list.sorts) {
        const line = await measureSort(list.viewer === 'admin' ? admin : client, list, sort)
        console.log(line)
        lines.push(line)
      }
    const totals: string[] = []
    for (const path of summaries) totals.push(await measureSummary(admin, path))
    return [
      '| first page of | sorted by | questions | p50 ms | p95 ms | the slowest of them | least ms | p50 ms | p95 ms |',
      '|---|---|---|---|---|---|---|---|---|',
      ...lines,
      '',
      '| totals | least ms | p50 ms | p95 ms |',
      '|---|---|---|---|',
      ...totals,
    ].join('\n')
  })
}
