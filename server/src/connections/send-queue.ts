// The messages that people queued for one link. Each is sent independently, so that one without an answer, or one that
// the upstream is too busy for, does not delay the others.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { LeaseLost, type Lease } from '../platform/work/leases.ts'
import type { ConnectionsDeps } from './deps.ts'
import { sendMessage, defaultSendPausesMs, type SendContext } from './send-messages.ts'
import { SendPace } from '@tollgate/smpp/client/send-pace.ts'
import { claimSends, markFailed, markSent, markWaiting, type QueuedSend } from './send-store.ts'
import type { LinkOwner } from './state-store.ts'
import type { ConnectionRow } from './store.ts'

// Messages that wait for an answer or their next attempt, a minute at most. Above this number the rest waits in the table.
const inFlightMax = 100
const retryPauseMs = 1_000

interface SendQueueOptions {
  readonly deps: Pick<ConnectionsDeps, 'db' | 'secrets' | 'sendPausesMs'>
  readonly row: ConnectionRow
  readonly lease: Lease
  readonly owner: LinkOwner
  /** The present session; undefined while there is none. */
  readonly session: () => Session<undefined> | undefined
  /** A segment was accepted. */
  readonly onSent: () => void
  readonly onFault: (error: unknown, text: string) => void
}

export class SendQueue {
  readonly #options: SendQueueOptions
  readonly #pace = new SendPace()
  readonly #stopping = new AbortController()
  readonly #signal: AbortSignal
  readonly #inFlight = new Set<Promise<void>>()
  #claiming: Promise<void> | undefined
  #isCheckPending = false
  #isFirst = true

  constructor(options: SendQueueOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([this.#stopping.signal, options.lease.signal])
  }

  /** Claims queued messages now, or after the running claim. */
  check(): void {
    if (this.#signal.aborted || this.#inFlight.size >= inFlightMax) return
    if (this.#claiming !== undefined) {
      this.#isCheckPending = true
      return
    }
    this.#claiming = this.#claim()
      .catch((error: unknown) => this.#options.onFault(error, 'Messages sent by hand could not be read'))
      .finally(() => {
        this.#claiming = undefined
        if (!this.#isCheckPending) return
        this.#isCheckPending = false
        this.check()
      })
  }

  /** Claims no more messages, aborts their pauses, and waits until each result is written. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#claiming
    await Promise.all(this.#inFlight)
  }

  async #claim(): Promise<void> {
    const { deps, owner } = this.#options
    const room = inFlightMax - this.#inFlight.size
    const queued = await claimSends(deps.db, owner, { isFirst: this.#isFirst, limit: room })
    this.#isFirst = false
    for (const send of queued) {
      const sending = this.#send(send)
        .catch((error: unknown) => this.#options.onFault(error, 'A message sent by hand was given up'))
        .finally(() => this.#inFlight.delete(sending))
      this.#inFlight.add(sending)
    }
  }

  async #send(send: QueuedSend): Promise<void> {
    const { deps, row, owner, onSent } = this.#options
    const result = await sendMessage(this.#contextOf(send), row, send, deps.secrets)
    if (result.kind === 'sent') for (let segment = 0; segment < result.keys.length; segment += 1) onSent()
    await this.#write(() =>
      result.kind === 'sent'
        ? markSent(deps.db, owner, send.id, result.keys)
        : markFailed(deps.db, owner, send.id, result),
    )
  }

  /** Retries until the result is written or another node owns the link: a message that left must not stay "sending". */
  async #write(write: () => Promise<void>): Promise<void> {
    for (;;)
      try {
        await write()
        return
      } catch (error) {
        if (error instanceof LeaseLost || this.#signal.aborted) throw error
        this.#options.onFault(error, 'The result of a message could not be written; it is tried again')
        await sleep(retryPauseMs, undefined, { signal: this.#signal }).catch(() => undefined)
      }
  }

  #contextOf({ id }: QueuedSend): SendContext {
    const { deps, owner, session, onFault } = this.#options
    return {
      session,
      signal: this.#signal,
      pace: this.#pace,
      pausesMs: deps.sendPausesMs ?? defaultSendPausesMs,
      onWait: (code, text) =>
        markWaiting(deps.db, owner, id, { code, text }).catch((error: unknown) => {
          // Only the screen misses this note. But a node that lost the lease must not go on sending.
          if (error instanceof LeaseLost) throw error
          onFault(error, 'The waiting state of a message could not be written')
        }),
    }
  }
}
