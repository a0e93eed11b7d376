// Writes what was measured, with the conditions, to docs/benchmarks.md, or to a page of its own.
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { trafficTable, type Traffic } from './traffic.ts'

const docs = join(import.meta.dirname, '../../docs')
const path = join(docs, 'benchmarks.md')

/** The quantile of sorted or unsorted figures: `quantile(times, 0.95)` is the p95. */
export function quantile(times: readonly number[], share: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor((times.length - 1) * share)] ?? 0
}

/** Replaces the section with this title in the report, or adds it at the end. */
export async function writeSection(title: string, tables: string): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(/^(?=## )/m).map((part) => part.trimEnd())
  const section = `## ${title}\n${tables}`
  const place = parts.findIndex((part) => part.startsWith(`## ${title}\n`))
  if (place === -1) parts.push(section)
  else parts[place] = section
  await writeFile(path, `${parts.join('\n\n')}\n`)
  console.log(`written to ${path}`)
}

/** Writes a page of docs, by its name without the ending. */
export async function writePage(name: string, page: string): Promise<void> {
  const file = join(docs, `${name}.md`)
  await writeFile(file, page)
  console.log(`written to ${file}`)
}

/** When and on what it was measured. */
export const machine = (): string =>
  `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), shared by the load generator, the gateway and PostgreSQL; Node ${process.version}; the embedded PostgreSQL.`

/** Under which conditions the traffic was measured. */
export const conditions = (rounds: number): string =>
  `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), shared by the load generator, the gateway and PostgreSQL; Node ${process.version}; the embedded PostgreSQL with fsync and synchronous_commit on, its log written through once, so that segments are used again as in any gateway that has run for a while (decision 13); loopback; 10 binds with a window of 50; 5,000 numbers of 200 clients in 50 ranges; texts of 84 characters; ${rounds} rounds, each contestant once a round; the load generator's first second, in which it compiles its own code, is not counted.`

/** The section on traffic. */
export const trafficReport = (traffic: Traffic): string =>
  `${trafficTable(traffic)}\n\nThe slow flush is PostgreSQL's \`commit_delay\` of 5 ms with \`commit_siblings\` 0: it holds each flush as a disk of that speed would, and lets commits gather behind it.`

/** How the records' lists, sums and figures are measured. */
export const readsConditions =
  'Each database is filled, and its server stopped and started again: as after any restart it holds the same pages as before (decision 13), and the bloom filters and postings of the search are in memory (decision 16). The databases are queried in turns, while 2,000 messages a second come into the one that is queried. The queries are the same, but a larger database finds more rows for some: the median number of records of a page stands beside the times, and a ratio in brackets compares pages of different sizes. Ctrl K is asked over HTTP, of the gateway that takes the messages.'
