// What the outcome of a deliver_sm means, and when a failed one is tried again.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { SendOutcome } from '@tollgate/smpp/session/session-types.ts'
import { commandStatus, isBusy, statusText } from '@tollgate/smpp/values/command-status.ts'

export type SendVerdict =
  | { readonly kind: 'accepted' }
  /** To be tried again later. With `isBusy` the peer requests a pause of all deliveries. */
  | { readonly kind: 'retry'; readonly error: string; readonly isBusy: boolean }
  /** The peer will never accept it. */
  | { readonly kind: 'failed'; readonly error: string }
  /** The session ended without an answer: it goes to another session, or waits for the next bind. */
  | { readonly kind: 'lost' }

// §5.1.3: the two final refusals. Every other status may be temporary (conformance 62).
const finalStatuses: ReadonlySet<number> = new Set([
  commandStatus.ESME_RX_P_APPN,
  commandStatus.ESME_RX_R_APPN,
])

export function judge(outcome: SendOutcome): SendVerdict {
  switch (outcome.kind) {
    case 'answered': {
      const { status } = outcome
      if (status === 0) return { kind: 'accepted' }
      const error = keptText('Refused with {commandStatus}: {refusal}', {
        commandStatus: `0x${status.toString(16).padStart(2, '0').toUpperCase()}`,
        refusal: statusText(status),
      })
      if (finalStatuses.has(status)) return { kind: 'failed', error }
      return { kind: 'retry', error, isBusy: isBusy(status) }
    }
    case 'timeout':
      return { kind: 'retry', error: 'No answer in time.', isBusy: false }
    case 'closed':
    case 'aborted':
      return { kind: 'lost' }
    case 'refused':
      return outcome.reason === 'invalid' ? { kind: 'failed', error: outcome.detail } : { kind: 'lost' }
  }
}

// The second attempt comes within 15 s. The pauses grow from then on, until the configured hours
// are over.
const pausesMs = [5, 20, 60, 300, 900, 1_800, 3_600].map((seconds) => seconds * 1_000)
const jitter = 0.1

/** The pause after this many attempts, at least 1. `random` is between 0 and 1. */
export function retryPauseMs(attempts: number, random: number): number {
  const pause = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? 0
  return Math.round(pause * (1 + jitter * (2 * random - 1)))
}
