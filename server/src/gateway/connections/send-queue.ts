// The messages that people queued for one link, each on its way by itself: one that the gateway is too busy for, or does
// not answer, keeps none of the others waiting.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { LeaseLost, type Lease } from '../../platform/leases.ts'
import type { ConnectionsDeps } from './deps.ts'
import { sendMessage, usualSendPausesMs, type Way } from './send-messages.ts'
import { SendPace } from './send-pace.ts'
import { markFailed, markSent, markWaiting, takeSends, type Owner, type QueuedSend } from './state-store.ts'
import type { ConnectionRow } from './store.ts'

// Each waits for an answer, or for its next try a minute at most. Beyond it the others wait in the table.
const underWayMost = 100
const outcomePauseMs = 1_000

export interface SendQueueParts {
  readonly deps: Pick<ConnectionsDeps, 'db' | 'secrets' | 'sendPausesMs'>
  readonly row: ConnectionRow
  readonly lease: Lease
  readonly owner: Owner
  /** The session now; undefined while there is none. */
  readonly session: () => Session<undefined> | undefined
  /** A part has left. */
  readonly onSent: () => void
  readonly onFault: (error: unknown, words: string) => void
}

export class SendQueue {
  readonly #parts: SendQueueParts
  readonly #pace = new SendPace()
  readonly #stopping = new AbortController()
  readonly #signal: AbortSignal
  readonly #underWay = new Set<Promise<void>>()
  #taking: Promise<void> | undefined
  #isAskedAgain = false
  #isFirst = true

  constructor(parts: SendQueueParts) {
    this.#parts = parts
    this.#signal = AbortSignal.any([this.#stopping.signal, parts.lease.signal])
  }

  /** Takes what is queued, now or when the take that is under way is over. */
  look(): void {
    if (this.#signal.aborted || this.#underWay.size >= underWayMost) return
    if (this.#taking !== undefined) {
      this.#isAskedAgain = true
      return
    }
    this.#taking = this.#take()
      .catch((error: unknown) =>
        this.#parts.onFault(error, 'Messages sent by hand could not be looked after'),
      )
      .finally(() => {
        this.#taking = undefined
        if (!this.#isAskedAgain) return
        this.#isAskedAgain = false
        this.look()
      })
  }

  /** Begins nothing more, cuts waits short, and waits until each outcome is written down. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#taking
    await Promise.all(this.#underWay)
  }

  async #take(): Promise<void> {
    const { deps, owner } = this.#parts
    const room = underWayMost - this.#underWay.size
    const queued = await takeSends(deps.db, owner, { isFirst: this.#isFirst, limit: room })
    this.#isFirst = false
    for (const send of queued) {
      const sending = this.#send(send)
        .catch((error: unknown) => this.#parts.onFault(error, 'A message sent by hand was given up'))
        .finally(() => this.#underWay.delete(sending))
      this.#underWay.add(sending)
    }
  }

  async #send(send: QueuedSend): Promise<void> {
    const { deps, row, owner, onSent } = this.#parts
    const result = await sendMessage(this.#wayOf(send), row, send, deps.secrets)
    if (result.kind === 'sent') for (let part = 0; part < result.keys.length; part += 1) onSent()
    await this.#write(() =>
      result.kind === 'sent'
        ? markSent(deps.db, owner, send.id, result.keys)
        : markFailed(deps.db, owner, send.id, result),
    )
  }

  /** Until it is written, or another node owns the link: a message that left must not look as if it were on its way. */
  async #write(write: () => Promise<void>): Promise<void> {
    for (;;)
      try {
        await write()
        return
      } catch (error) {
        if (error instanceof LeaseLost || this.#signal.aborted) throw error
        this.#parts.onFault(error, 'What became of a message could not be written; it is tried again')
        await sleep(outcomePauseMs, undefined, { signal: this.#signal }).catch(() => undefined)
      }
  }

  #wayOf({ id }: QueuedSend): Way {
    const { deps, owner, session, onFault } = this.#parts
    return {
      session,
      signal: this.#signal,
      pace: this.#pace,
      pausesMs: deps.sendPausesMs ?? usualSendPausesMs,
      onWait: (code, text) =>
        markWaiting(deps.db, owner, id, { code, text }).catch((error: unknown) => {
          // Only the screen misses it; but who lost the lease must not send on.
          if (error instanceof LeaseLost) throw error
          onFault(error, 'That a message waits could not be written')
        }),
    }
  }
}
