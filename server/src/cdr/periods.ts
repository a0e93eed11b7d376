// The hours and days of files, in UTC: no hour is there twice or missing when clocks change.
import type { CdrFormat, CdrRhythm } from '@tollgate/contract/cdr/cdr.ts'

// An archive looks each hour for weeks that have closed.
const lengthMs: Record<CdrRhythm, number> = { hour: 3_600_000, day: 86_400_000, archive: 3_600_000 }

/** The first end of an hour or day after `at`; of an archive its next look. */
export function endAfter(at: Date, every: CdrRhythm): Date {
  return new Date((Math.floor(at.getTime() / lengthMs[every]) + 1) * lengthMs[every])
}

/** `acme-000042-20260304T1300Z.csv`: schedule, number, begin of the period. */
export function fileNameOf(schedule: string, sequence: number, from: Date, format: CdrFormat): string {
  const begin = from.toISOString().slice(0, 16).replace(/[-:]/g, '')
  return `${schedule}-${String(sequence).padStart(6, '0')}-${begin}Z.${format}`
}
