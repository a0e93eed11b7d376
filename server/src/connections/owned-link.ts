// One link that this node owns: keeps it connected and bound, and writes its state under the owner's lease.
import type { SmppClientOptions } from '@tollgate/smpp/net/client.ts'
import { keepConnected, type Link, type LinkState } from '@tollgate/smpp/net/reconnect.ts'
import type { Session, SessionHandlers } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { EgressRefused, OutsideFault } from '../platform/security/egress.ts'
import type { Lease } from '../platform/work/leases.ts'
import { defaultLinkTimers } from './link-settings.ts'
import { upstreamUp } from './metrics.ts'
import {
  countPdu,
  countRefusal,
  sessionFaults,
  sessions,
  type LostAnswers,
  type PeerRef,
  AnswerTracker,
} from '../gateway/index.ts'
import { bindOptions } from './bind-options.ts'
import { receiveDeliverSm } from './receive-deliver-sm.ts'
import type { ConnectionsDeps } from './deps.ts'
import { LinkReporter } from './link-reporter.ts'
import { SendQueue } from './send-queue.ts'
import { fileReceipt, type FiledReceipt } from './send-store.ts'
import type { LinkReport } from './state-store.ts'
import type { ConnectionRow } from './store.ts'
import { linkFailureOf } from './messages.ts'

const unbindMs = 3_000

export class OwnedLink {
  readonly reporter: LinkReporter
  readonly #deps: ConnectionsDeps
  readonly #row: ConnectionRow
  readonly #lease: Lease
  readonly #link: Link
  readonly #lost: LostAnswers
  readonly #peer: PeerRef
  readonly #answerTracker: AnswerTracker
  #session: Session<undefined> | undefined
  /** Why the options of an attempt could not be built; the SMPP library only learns that they could not. */
  #optionsFault: string | undefined
  #timers = defaultLinkTimers
  readonly #sends: SendQueue
  #restartCount: number

  constructor(deps: ConnectionsDeps, row: ConnectionRow, lease: Lease, lost: LostAnswers) {
    this.#deps = deps
    this.#lost = lost
    this.#peer = peerRefOf(row)
    this.#answerTracker = new AnswerTracker(lost, this.#peer)
    this.#row = row
    this.#lease = lease
    this.#restartCount = row.restartCount
    const owner = { connectionId: row.id, node: deps.node, lease }
    const onFault = (error: unknown, text: string) => this.#warn(error, text)
    this.reporter = new LinkReporter({
      deps,
      name: row.name,
      owner,
      lastReceivedAtMs: () => this.#session?.lastReceivedAtMs,
      onFault,
    })
    this.#sends = new SendQueue({
      deps,
      row,
      lease,
      owner,
      session: () => this.#session,
      onSent: () => this.reporter.count('sent'),
      onFault,
    })
    this.#link = keepConnected({
      options: () => this.#options(),
      onState: (state) => this.#onState(state),
      pauseMaxMs: () => this.#timers.retryPauseSeconds * 1_000,
    })
  }

  get version(): number {
    return this.#row.version
  }

  /** The link's name in the flight recorder. */
  get #flightName(): string {
    return `connection-${this.#row.id}`
  }

  get isLost(): boolean {
    return this.#lease.signal.aborted
  }

  /** Carries out an order to reconnect, once. */
  restartUnless(restartCount: number): void {
    if (restartCount === this.#restartCount) return
    this.#restartCount = restartCount
    this.reporter.change({ status: 'connecting', attempts: 0, lastErrorCode: null, lastError: '' })
    this.#link.restart()
  }

  /** Sends the messages that people queued. */
  sendQueued(): void {
    this.#sends.check()
  }

  /** Unbinds, writes the last report and releases the lease, so that another node may own the link at once. */
  async stop(): Promise<void> {
    const sendsEnded = this.#sends.stop()
    await this.#link.stop(unbindMs)
    // Another node may own the link from now on.
    upstreamUp.remove({ connection: this.#row.name })
    await sendsEnded
    // The next owner reads the lost answers before it binds.
    await this.#lost.write()
    if (this.isLost) return
    await this.reporter.report()
    await this.#lease
      .release()
      .catch((error: unknown) => this.#warn(error, 'A lease could not be released; it expires by itself'))
  }

  async #options(): Promise<SmppClientOptions> {
    const { db, messages, settings, linkSettings } = this.#deps
    try {
      this.#timers = (await linkSettings?.(db)) ?? defaultLinkTimers
      const gatewayId = await messages.gatewayId('connection', this.#row.name)
      const options = await bindOptions(this.#deps, this.#row)
      this.#optionsFault = undefined
      return {
        ...options,
        handlers: this.#handlers(gatewayId),
        settings: {
          // A link without traffic stays connected: enquire_link shows whether it is alive.
          inactivityMs: 0,
          sendPerSecond: this.#row.throughput,
          isStrict: this.#row.isStrict,
          limits: { windowMax: this.#row.receiveWindow, messagesPerSecond: 0 },
          sendWindowMax: this.#row.sendWindow ?? this.#timers.sendWindow,
          enquireLinkMs: (this.#row.enquireLinkSeconds ?? this.#timers.enquireLinkSeconds) * 1_000,
          responseMs: this.#timers.answerSeconds * 1_000,
          ...settings,
        },
      }
    } catch (error) {
      const isFit = error instanceof EgressRefused || error instanceof OutsideFault
      this.#optionsFault = isFit
        ? error.message
        : 'The gateway could not prepare the connection; it tries again.'
      if (!isFit) this.#warn(error, 'A connection could not be prepared')
      throw error
    }
  }

  #handlers(gatewayId: number): SessionHandlers<undefined> {
    const { db, log, messages } = this.#deps
    const deps = {
      db,
      log,
      messages,
      holds: this.#deps.holds,
      lost: this.#lost,
      peer: this.#peer,
      answerTracker: this.#answerTracker,
      gatewayId,
      receiptIdForm: this.#row.receiptIdForm,
      isReceiptByText: this.#row.isReceiptByText,
      defaultAlphabet: this.#row.defaultAlphabet,
      isStrict: this.#row.isStrict,
      fileReceipt: (receipt: FiledReceipt) => fileReceipt(db, this.#row.id, receipt),
    }
    return {
      onRequest: (session, request) => {
        if (request.command === 'deliver_sm' || request.command === 'data_sm') {
          if (receiveDeliverSm(session, request, deps)) this.reporter.count('received')
        } else session.respond(request, commandStatus.ESME_RINVCMDID)
      },
      onPdu: (session, id, direction, status) => {
        countPdu(id, direction, status)
        // Before the PDU is captured, so that a bind that is refused can be shown.
        if (direction === 'out' && session.state === 'binding')
          this.#deps.flight?.watchOwnBind(this.#flightName, session)
      },
      onFault: (session, fault, detail, status, frame) => {
        sessionFaults.inc({ kind: fault })
        if (status !== undefined) countRefusal(messages, gatewayId, session, { fault, detail, status, frame })
      },
      onClosed: (session, reason) => {
        this.#deps.flight?.unwatch(this.#flightName, session)
        this.#answerTracker.sessionEnded(reason)
      },
    }
  }

  #onState(state: LinkState): void {
    upstreamUp.set({ connection: this.#row.name }, state.kind === 'connected' ? 1 : 0)
    if (this.#session !== undefined && state.kind !== 'connected') {
      sessions.dec({ direction: 'outbound', state: 'bound' })
      this.#deps.flight?.unwatch(this.#flightName, this.#session)
      this.#session = undefined
      this.reporter.change({ connectedAt: null })
    }
    this.reporter.change(this.#changesOf(state))
    void this.reporter.report()
  }

  #changesOf(state: LinkState): Partial<LinkReport> {
    const { status, attempts } = this.reporter.condition
    switch (state.kind) {
      case 'connecting':
        return { nextAttemptAt: null, attempts: attempts + 1, lastAttemptAt: new Date() }
      case 'connected':
        sessions.inc({ direction: 'outbound', state: 'bound' })
        this.#session = state.session
        this.#deps.flight?.watch(this.#flightName, state.session)
        return { status: 'connected', connectedAt: new Date(), lastErrorCode: null, lastError: '' }
      case 'waiting': {
        const { code, text } = linkFailureOf(state, this.#row)
        return {
          // A link that was connected is reconnecting; one that has not connected since is failing.
          ...(status === 'connected' ? { status: 'connecting', attempts: 0 } : { status: 'error' }),
          lastErrorCode: code,
          lastError: this.#optionsFault ?? text,
          nextAttemptAt: new Date(Date.now() + state.retryInMs),
        }
      }
      case 'stopped':
        return { status: 'disconnected', nextAttemptAt: null }
    }
  }

  #warn(error: unknown, text: string): void {
    this.#deps.log.warn({ err: error, connection: this.#row.name }, text)
  }
}

/** The identity of a connection in the lost-answers folder. */
export function peerRefOf({ id }: Pick<ConnectionRow, 'id'>): PeerRef {
  return { kind: 'connection', id }
}
