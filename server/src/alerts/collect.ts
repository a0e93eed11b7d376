// Collects the troubles that the slices report, each within a time limit: a slow source hides only its own.
import { inEnglish, type Sentence } from '@tollgate/contract/sentences.ts'
import {
  troubleSeverities,
  type FoundTrouble,
  type FoundTroubles,
  type TroubleKind,
  type TroubleSeverity,
  type UnlistedTroubles,
} from '@tollgate/contract/alerts/alerts.ts'
import { shareFor } from '../platform/load/share-for.ts'
import { timedOut, within } from '../platform/work/within.ts'

/** Where troubles come from. */
export interface TroubleSource {
  /** For people, when it cannot be read. Without values. */
  readonly name: Sentence
  /** What it reports: while it cannot be read, none of these counts as gone. */
  readonly kinds: readonly TroubleKind[]
  readonly find: (now: Date) => Promise<FoundTroubles>
}

export interface Collected {
  /** The worst first, then the newest. */
  readonly troubles: readonly FoundTrouble[]
  readonly unlisted: readonly UnlistedTroubles[]
  readonly missing: readonly TroubleSource[]
}

const limitMs = 5_000
// Many screens poll them.
const sharedForMs = 2_000

/** Reads all sources now. A source that fails or takes too long is missing. */
export async function collect(
  sources: readonly TroubleSource[],
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
    troubles: read.flatMap(({ found }) => found?.troubles ?? []).toSorted(byWeight),
    unlisted: read.flatMap(({ found }) => found?.unlisted ?? []),
    missing: read.flatMap(({ source, found }) => (found === undefined ? [source] : [])),
  }
}

/** As {@link collect}, shared by all who ask within two seconds. */
export function sharedCollection(read: () => Promise<Collected>): () => Promise<Collected> {
  return shareFor(sharedForMs, read)
}

/** 0 for a notice, 2 for what loses messages or money. */
export const weightOf = (severity: TroubleSeverity): number => troubleSeverities.indexOf(severity)

function byWeight(a: FoundTrouble, b: FoundTrouble): number {
  return weightOf(b.severity) - weightOf(a.severity) || b.last.localeCompare(a.last)
}
