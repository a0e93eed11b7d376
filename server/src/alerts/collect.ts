// Collects the alerts that the slices report, each within a time limit: a slow source hides only its own.
import { inEnglish, type Sentence } from '@tollgate/contract/sentences.ts'
import {
  alertSeverities,
  type FoundAlert,
  type FoundAlerts,
  type AlertKind,
  type AlertSeverity,
  type UnlistedAlerts,
} from '@tollgate/contract/alerts/alerts.ts'
import { shareFor } from '../platform/load/share-for.ts'
import { timedOut, within } from '../platform/work/within.ts'

/** Where alerts come from. */
export interface AlertSource {
  /** For people, when it cannot be read. Without values. */
  readonly name: Sentence
  /** What it reports: while it cannot be read, none of these counts as gone. */
  readonly kinds: readonly AlertKind[]
  readonly find: (now: Date) => Promise<FoundAlerts>
}

export interface Collected {
  /** The worst first, then the newest. */
  readonly alerts: readonly FoundAlert[]
  readonly unlisted: readonly UnlistedAlerts[]
  readonly missing: readonly AlertSource[]
}

const limitMs = 5_000
// Many screens poll them.
const sharedForMs = 2_000

/** Reads all sources now. A source that fails or takes too long is missing. */
export async function collect(
  sources: readonly AlertSource[],
  now: Date,
  onFault: (error: unknown, source: string) => void,
): Promise<Collected> {
  const read = await Promise.all(
    sources.map(async (source) => {
      try {
        const found = await within(source.find(now), limitMs)
        if (found !== timedOut) return { source, found }
        onFault(new Error(`no answer within ${limitMs / 1_000} s`), inEnglish(source.name))
      } catch (error) {
        onFault(error, inEnglish(source.name))
      }
      return { source, found: undefined }
    }),
  )
  return {
    alerts: read.flatMap(({ found }) => found?.alerts ?? []).toSorted(byWeight),
    unlisted: inOneLine(read.flatMap(({ found }) => found?.unlisted ?? [])),
    missing: read.flatMap(({ source, found }) => (found === undefined ? [source] : [])),
  }
}

/** Several sources may leave out alerts of the same kind. */
function inOneLine(unlisted: readonly UnlistedAlerts[]): UnlistedAlerts[] {
  const sums = new Map<string, UnlistedAlerts>()
  for (const each of unlisted) {
    const key = `${each.kind} ${each.severity}`
    sums.set(key, { ...each, count: each.count + (sums.get(key)?.count ?? 0) })
  }
  return [...sums.values()]
}

/** As {@link collect}, shared by all who ask within two seconds. */
export function sharedCollection(read: () => Promise<Collected>): () => Promise<Collected> {
  return shareFor(sharedForMs, read)
}

/** 0 for a notice, 2 for what loses messages or money. */
export const weightOf = (severity: AlertSeverity): number => alertSeverities.indexOf(severity)

function byWeight(a: FoundAlert, b: FoundAlert): number {
  return weightOf(b.severity) - weightOf(a.severity) || b.last.localeCompare(a.last)
}
