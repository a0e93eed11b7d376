// Counts what the SMPP library refused on a session, whichever side opened it: nothing is refused unseen.
import type { SessionFault } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { MessageStore } from './deps.ts'
import { decodeCaptured } from './flight-recorder/decode-captured.ts'

interface RefusedRequest {
  readonly fault: SessionFault
  /** What was wrong with it, in words. */
  readonly detail: string
  /** The command_status of the answer. */
  readonly status: number
  /** The PDU, when it could not be read or taken. */
  readonly frame: Buffer | undefined
}

// A list shows half of it; of a longer PDU the rest is not kept.
const keptOctetsMax = 1_024

/** Counts a refused request of a bound peer under its gateway. Other faults refuse nothing. */
export function countRefusal(
  messages: Pick<MessageStore, 'refuse'>,
  gatewayId: number,
  session: Pick<Session<unknown>, 'state'>,
  { fault, detail, status, frame }: RefusedRequest,
): void {
  if (!isRefusal(fault, session)) return
  // Without a copy the whole chunk that the frame came in would stay in memory.
  const raw = frame && Buffer.from(frame.subarray(0, keptOctetsMax))
  const shown = raw && (() => ({ detail: detail.slice(0, 200), octets: shownOctets(raw) }))
  messages.refuse({ digits: '', gatewayId }, fault.replace('-', '_'), status, shown)
}

/** What is counted as a refused message. What comes while a bind ends is sent again over the next one. */
function isRefusal(fault: SessionFault, { state }: Pick<Session<unknown>, 'state'>): boolean {
  return (
    fault === 'malformed' ||
    fault === 'window-exceeded' ||
    fault === 'throttled' ||
    (fault === 'not-permitted' && state !== 'unbinding')
  )
}

function shownOctets(raw: Buffer): string {
  return decodeCaptured({ raw, atMs: 0 })
    .fields.map(({ hex }) => hex)
    .join('')
}
