// The console's Test and the preview of a mapping: one real request that stores nothing.
import type { z } from 'zod'
import type { previewSchema, ProviderPreview, ProviderTest } from '@tollgate/contract/providers/providers.ts'
import { customProviderId } from '@tollgate/contract/providers/providers.ts'
import { changedProvider } from '@tollgate/contract/destinations.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { ProvidersDeps } from './deps.ts'
import { faultMessage } from './faults.ts'
import { fetchPage, type ProviderSource } from './fetch-page.ts'
import type { PollLimits } from './poll-limits.ts'
import { readingOf, valueAt, type Paths } from './mapping.ts'
import { fieldPaths } from './field-paths.ts'
import { sourceOf } from './poller.ts'
import { readProgress } from './progress-store.ts'
import { pageOf, parse, readPage } from './read-page.ts'
import { mapInTurns } from '../platform/work/in-turns.ts'
import { isFault, readRow, displayText, type ParsedRow } from './read-row.ts'
import { requireProvider, providerIdOf, secretMissing } from './service.ts'
import { reportWord } from './report-codes.ts'
import type { ProviderRow } from './store.ts'

type PreviewInput = z.output<typeof previewSchema>

const shownRows = 10
const overlapMs = 3_600_000

/** Tests a provider; takes at most 30 seconds. A fault of the provider is in the reply. */
export async function testProvider(
  deps: ProvidersDeps,
  limits: PollLimits,
  row: ProviderRow,
  signal: AbortSignal,
): Promise<ProviderTest> {
  const { newest } = await readProgress(deps.db, row.id)
  const since = sinceOf(newest, row.startAt)
  return measured(async () => {
    const { body, release } = await fetchPage(
      sourceOf(deps, row),
      { since, cursor: null },
      { egress: deps.egress, limits, signal },
    )
    try {
      if (body === null) return { rowCount: 0 }
      const page = await readPage(body, readingOf(row).paths)
      return { rowCount: page.rows.length }
    } finally {
      release()
    }
  })
}

/** Shows what the rows of a provider, saved or not, would become with this mapping. */
export async function previewProvider(
  deps: ProvidersDeps,
  limits: PollLimits,
  input: PreviewInput,
  signal: AbortSignal,
): Promise<ProviderPreview> {
  const source = await previewSource(deps, input)
  const reading = readingOf(input)
  const since = sinceOf(null, input.startAt === null ? null : new Date(input.startAt))
  const seen: Pick<ProviderPreview, 'rows' | 'withoutIdCount' | 'hasNextPage' | 'paths'> = {
    rows: [],
    withoutIdCount: 0,
    hasNextPage: false,
    paths: [],
  }
  const outcome = await measured(async () => {
    const { body, release } = await fetchPage(
      source,
      { since, cursor: null },
      { egress: deps.egress, limits, signal },
    )
    try {
      if (body === null) return { rowCount: 0 }
      const answer = await parse(body)
      // Shown also when the mapping does not fit: a better one is chosen from these paths.
      seen.paths = fieldPaths(answer)
      const page = pageOf(answer, reading.paths, body.length)
      const rows = await mapInTurns(page.rows, (raw) => readRow(raw, reading, Date.now()))
      seen.rows = rows.slice(0, shownRows).map((row) => shownRow(row, reading.paths))
      seen.withoutIdCount = rows.filter(({ key }) => key === undefined).length
      seen.hasNextPage = page.nextCursor !== null
      return { rowCount: page.rows.length }
    } finally {
      release()
    }
  })
  return { ...outcome, ...seen }
}

async function measured(work: () => Promise<{ rowCount: number }>): Promise<ProviderTest> {
  const startedMs = performance.now()
  const took = () => Math.round(performance.now() - startedMs)
  try {
    const { rowCount } = await work()
    return { success: true, rowCount, durationMs: took() }
  } catch (error) {
    const message = faultMessage(error)
    if (message === undefined) throw error
    return { success: false, error: message, durationMs: took() }
  }
}

function sinceOf(newest: Date | null, startAt: Date | null): Date {
  return newest === null ? (startAt ?? new Date(0)) : new Date(newest.getTime() - overlapMs)
}

/** The source of the form; empty fields are taken from the stored provider. */
async function previewSource(deps: ProvidersDeps, input: PreviewInput): Promise<ProviderSource> {
  const { apiUrl, authType } = input
  if (!URL.canParse(apiUrl))
    throw new Refusal('invalid', 'The API URL is not an address.', { fields: { apiUrl: 'Enter an address' } })
  const stored = await storedSource(deps, input.id)
  const entered = authType === 'basic' ? input.password : input.apiKey
  const changed = stored === undefined ? undefined : changedProvider(stored, input)
  if (entered === '' && changed !== undefined && stored?.secret !== '') throw secretMissing(authType, changed)
  return {
    apiUrl,
    authType,
    username: input.username === '' ? (stored?.username ?? '') : input.username,
    secret: entered === '' ? (stored?.secret ?? '') : entered,
  }
}

async function storedSource(
  deps: ProvidersDeps,
  id: string | undefined,
): Promise<ProviderSource | undefined> {
  if (id === undefined || id === '') return undefined
  if (id !== customProviderId && !/^\d{1,10}$/.test(id))
    throw new Refusal('invalid', 'There is no such provider.', { fields: { id: 'Unknown id' } })
  return sourceOf(deps, await requireProvider(deps.db, await providerIdOf(deps.db, id)))
}

function shownRow(
  { raw, externalId, number, timestamp, content }: ParsedRow,
  paths: Paths,
): ProviderPreview['rows'][number] {
  const bare = { id: displayText(externalId), number: displayText(number), timestamp: displayText(timestamp) }
  if (isFault(content))
    return {
      ...bare,
      sender: lineOf(valueAt(raw, paths.sender)),
      textLength: 0,
      status: '',
      fault: content.explanation,
    }
  return {
    ...bare,
    timestamp: new Date(content.createdAtMs).toISOString(),
    number: content.digits,
    sender: content.sender,
    textLength: content.text.length,
    status: reportWord(content.noReport),
    fault: '',
  }
}

function lineOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 64) : ''
}
