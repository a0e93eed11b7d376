// SMPP 3.4 §5.2.28: message_state, with the seven-letter words that receipts use (Appendix B).

export const messageState = {
  ENROUTE: 1,
  DELIVERED: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIVERABLE: 5,
  ACCEPTED: 6,
  UNKNOWN: 7,
  REJECTED: 8,
} as const

/** Whether a message in this state will not change any more. */
export function isFinalState(state: number): boolean {
  return state >= messageState.DELIVERED && state <= messageState.REJECTED && state !== messageState.ACCEPTED
}
