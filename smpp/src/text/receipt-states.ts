// The states that receipts report (SMPP 3.4 §5.2.28), in the words of Appendix B: they only go forward, and those of several
// parts become one word.

// Receipts may overtake each other. A later stage is never followed by an earlier one, and the last one stays.
const stages: Readonly<Record<string, number>> = {
  ENROUTE: 1,
  ACCEPTD: 2,
  // The SMSC has lost sight of it; a real result may still come.
  UNKNOWN: 3,
  DELIVRD: 4,
  EXPIRED: 4,
  DELETED: 4,
  UNDELIV: 4,
  REJECTD: 4,
}
const failures = ['REJECTD', 'UNDELIV', 'EXPIRED', 'DELETED', 'UNKNOWN']

// A vendor's own word tells more than nothing.
const stageOf = (state: string): number => (state === '' ? 0 : (stages[state] ?? 1))

/** The state after a receipt; `before` is empty when it is the first one. */
export function stateAfter(before: string, reported: string): string {
  const isFinal = stageOf(before) === stages['DELIVRD']
  return isFinal || stageOf(reported) < stageOf(before) ? before : reported
}

/**
 * One word for the states of all parts, empty while no receipt has come. A part that failed fails the message, since it
 * will never be whole; otherwise the part that is furthest behind counts.
 */
export function stateOfAll(states: readonly string[]): string {
  const known = states.filter((state) => state !== '')
  const failed = failures.find((failure) => known.includes(failure))
  if (failed !== undefined || known.length === 0) return failed ?? ''
  if (known.length < states.length) return 'ENROUTE'
  return known.reduce((last, state) => (stageOf(state) < stageOf(last) ? state : last))
}
