// The codes in the records' tables: each is a position in a list of the contract.
import {
  activityStatuses,
  recordStatuses,
  type ActivityStatus,
  type RecordStatus,
} from '@tollgate/contract/vocabulary.ts'

// SMPP 3.4 §5.2.28: message_state 1 to 8. 0 is ours: no report has come.
const noReportWords = [
  'No Report',
  'Enroute',
  'Delivered',
  'Expired',
  'Deleted',
  'Undeliverable',
  'Accepted',
  'Unknown',
  'Rejected',
] as const

/** The word of a `no_report` code. */
export function noReportWord(code: number): string {
  return noReportWords[code] ?? noReportWords[0]
}

/** The only status that `records_open_idx` leaves out. */
export const completedCode = recordStatuses.indexOf('completed')

/** The word at a code's position; the first word for a code that the list does not have. */
export function wordAt<const W extends readonly string[]>(words: W, code: number): W[number] {
  return words[code] ?? words[0] ?? ''
}

/** The codes of a status filter; undefined for all. Takes a record's status or a word of the dashboard. */
export function statusCodes(filter: RecordStatus | ActivityStatus | 'all' | undefined): number[] | undefined {
  if (filter === undefined || filter === 'all') return undefined
  // "pending" and "failed" are words of both lists; as a filter they mean the record's own status.
  const words = filter === 'delivered' ? activityStatuses.delivered : [filter]
  return words.map((word) => recordStatuses.indexOf(word as RecordStatus))
}

/** The codes of a word of the dashboard. Spec §4. */
export function activityCodes(word: ActivityStatus): number[] {
  return activityStatuses[word].map((status) => recordStatuses.indexOf(status))
}
