// Maps a provider's status of a row to the code of a record's network report.
import { noReportWord } from '../ingest/index.ts'
// Values: SMPP 3.4 §5.2.28, message_state. The words are those of its receipts (appendix B) and of this product.
const codes: Readonly<Record<string, number>> = {
  enroute: 1,
  sent: 1,
  pending: 1,
  in_progress: 1,
  delivered: 2,
  delivrd: 2,
  completed: 2,
  reported: 2,
  success: 2,
  ok: 2,
  expired: 3,
  deleted: 4,
  undeliverable: 5,
  undeliv: 5,
  failed: 5,
  error: 5,
  accepted: 6,
  acceptd: 6,
  unknown: 7,
  rejected: 8,
  rejectd: 8,
}

/** The code of a status; 0 (no report) for a missing or unknown one. */
export function reportCode(status: unknown): number {
  if (typeof status !== 'string') return 0
  const word = status
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return Object.hasOwn(codes, word) ? (codes[word] ?? 0) : 0
}

/** The word of a code; empty for none. */
export function reportWord(code: number): string {
  return code === 0 ? '' : noReportWord(code)
}
