// The numbers that stand for words in the records' tables: positions in the contract's lists.
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

/** The codes a status filter means; undefined when it means all. Takes a record's status or the dashboard's word. */
export function statusCodes(filter: RecordStatus | ActivityStatus | 'all' | undefined): number[] | undefined {
  if (filter === undefined || filter === 'all') return undefined
  // "pending" and "failed" are in both vocabularies; as a filter they mean the record's own status.
  const words = filter === 'delivered' ? activityStatuses.delivered : [filter]
  return words.map((word) => recordStatuses.indexOf(word as RecordStatus))
}

/** The codes behind one of the dashboard's words. Spec §4. */
export function activityCodes(word: ActivityStatus): number[] {
  return activityStatuses[word].map((status) => recordStatuses.indexOf(status))
}
