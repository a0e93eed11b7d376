// What an outcome of deliver_sm means, and when one that failed is tried again.
import type { SendOutcome } from '@tollgate/smpp/session/handlers.ts'
import { commandStatus, statusText } from '@tollgate/smpp/values/command-status.ts'

export type Verdict =
  | { readonly kind: 'taken' }
  /** To be tried again later; with `isBusy` the peer asks for a pause with everything. */
  | { readonly kind: 'again'; readonly error: string; readonly isBusy: boolean }
  /** The peer will never take it. */
  | { readonly kind: 'failed'; readonly error: string }
  /** The session ended: it goes to another one, or waits for the next bind. */
  | { readonly kind: 'lost' }

// §5.1.3: the two answers that say never. Everything else may pass (conformance 62).
const finalStatuses: ReadonlySet<number> = new Set([
  commandStatus.ESME_RX_P_APPN,
  commandStatus.ESME_RX_R_APPN,
])
const busyStatuses: ReadonlySet<number> = new Set([
  commandStatus.ESME_RTHROTTLED,
  commandStatus.ESME_RMSGQFUL,
])

export function judge(outcome: SendOutcome): Verdict {
  switch (outcome.kind) {
    case 'answered': {
      const { status } = outcome
      if (status === 0) return { kind: 'taken' }
      const error = `Refused with 0x${status.toString(16).padStart(2, '0').toUpperCase()}: ${statusText(status)}`
      if (finalStatuses.has(status)) return { kind: 'failed', error }
      return { kind: 'again', error, isBusy: busyStatuses.has(status) }
    }
    case 'timeout':
      return { kind: 'again', error: 'No answer in time.', isBusy: false }
    case 'closed':
      return { kind: 'lost' }
    case 'refused':
      return outcome.reason === 'invalid' ? { kind: 'failed', error: outcome.detail } : { kind: 'lost' }
  }
}

// Outside contract, SMPP: a refused deliver_sm comes again within 15 s at first. From then on further apart, for as
// long as the setting has us wait.
const pausesMs = [5, 20, 60, 300, 900, 1_800, 3_600].map((seconds) => seconds * 1_000)
const jitter = 0.1

/** How long to wait after so many tries, at least 1; `random` from 0 to 1. */
export function pauseMs(attempts: number, random: number): number {
  const pause = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? 0
  return Math.round(pause * (1 + jitter * (2 * random - 1)))
}
