// Keeps a client bound: reconnects with exponential back-off and jitter until it is stopped.
import type { CloseReason } from '../session/session-types.ts'
import type { Session } from '../session/session.ts'
import { commandStatus } from '../values/command-status.ts'
import type { CertificateFault } from './certificate.ts'
import { type SmppClientOptions, connect, type ConnectOutcome } from './client.ts'

export type LinkState =
  | { kind: 'connecting'; attempt: number }
  | { kind: 'connected'; session: Session<undefined>; peerSystemId: string }
  /** Waiting for the next attempt. */
  | ({ kind: 'waiting'; attempt: number; retryInMs: number } & LinkFault)
  | { kind: 'stopped' }

/** Why it is not connected. */
export interface LinkFault {
  detail: string
  /** Of the peer that refused the bind. */
  status: number | undefined
  /** What was wrong with the peer's certificate. */
  certificate?: CertificateFault
}

interface LinkOptions {
  /** Called before each attempt, so that a changed password or address is used. */
  options: () => SmppClientOptions | Promise<SmppClientOptions>
  onState: (state: LinkState) => void
  /** The maximum pause, called before each; default 60 s. Five times as long after a refusal of credentials. */
  pauseMaxMs?: () => number
  /** [0, 1): for tests. */
  random?: () => number
}

export interface Link {
  readonly state: LinkState
  /** Unbinds if bound, gives up an attempt under way, and connects again at once, whatever pause was running. */
  restart(): void
  /** Unbinds if bound and stays away. Resolves when the socket is closed. */
  stop(timeoutMs?: number): Promise<void>
}

const firstPauseMs = 1_000
const pauseMaxMs = 60_000
const refusedPauseFactor = 5
const steadyAfterMs = 60_000

const credentialRefusals: readonly number[] = [
  commandStatus.ESME_RBINDFAIL,
  commandStatus.ESME_RINVPASWD,
  commandStatus.ESME_RINVSYSID,
]

/**
 * The pause before attempt `attempt` + 1, with full jitter: 1 s doubling to `longestMs`. After a refusal of credentials
 * the maximum is five times as long, because an SMSC may lock an account after too many attempts.
 */
export function retryPauseMs(
  attempt: number,
  status: number | undefined,
  random: number,
  longestMs = pauseMaxMs,
): number {
  const isRefused = status !== undefined && credentialRefusals.includes(status)
  const ceilingMs = Math.min(
    isRefused ? refusedPauseFactor * longestMs : longestMs,
    firstPauseMs * 2 ** Math.min(attempt, 20),
  )
  // Never 0: we would call an SMSC that is down in a tight loop.
  return Math.round(Math.max(firstPauseMs / 4, ceilingMs * random))
}

/** Connects at once and stays connected until it is stopped. */
export function keepConnected(link: LinkOptions): Link {
  return new ReconnectingLink(link)
}

class ReconnectingLink implements Link {
  readonly #link: LinkOptions
  #state: LinkState = { kind: 'connecting', attempt: 1 }
  #attempt = 0
  #timer: NodeJS.Timeout | undefined
  /** Ends the attempt under way. */
  #attempting = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #isStopped = false
  #isRestarting = false

  constructor(link: LinkOptions) {
    this.#link = link
    this.#run()
  }

  get state(): LinkState {
    return this.#state
  }

  restart(): void {
    if (this.#isStopped) return
    this.#attempt = 0
    if (this.#timer !== undefined) return this.#run()
    this.#isRestarting = true
    if (this.#state.kind === 'connected') void this.#state.session.unbind()
    // Its options may be of before a change, and it may wait for an address that does not answer.
    else this.#attempting.abort()
  }

  async stop(timeoutMs?: number): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#attempting.abort()
    if (this.#state.kind === 'connected') await this.#state.session.unbind(timeoutMs)
    await this.#running
    if (this.#state.kind !== 'stopped') this.#setState({ kind: 'stopped' })
  }

  #setState(state: LinkState): void {
    this.#state = state
    this.#link.onState(state)
  }

  #run(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running = this.#attemptOnce()
  }

  async #attemptOnce(): Promise<void> {
    this.#attempt += 1
    this.#attempting = new AbortController()
    this.#setState({ kind: 'connecting', attempt: this.#attempt })
    let closed: (reason: CloseReason) => void = () => undefined
    const whenClosed = new Promise<CloseReason>((settle) => {
      closed = settle
    })
    const outcome = await this.#connect(closed)
    if (this.#isStopped || this.#isRestarting) {
      if (outcome.kind === 'bound') await outcome.session.unbind()
      this.#beginAgain()
      return
    }
    if (outcome.kind !== 'bound') {
      this.#wait(linkFaultOf(outcome))
      return
    }
    this.#setState(toConnected(outcome))
    const boundAtMs = performance.now()
    const reason = await whenClosed
    if (performance.now() - boundAtMs >= steadyAfterMs) this.#attempt = 0
    if (!this.#beginAgain()) this.#wait({ detail: `${reason.cause}: ${reason.detail}`, status: undefined })
  }

  /** Carries out a restart that waited for the end of an attempt or session; false when there was none. */
  #beginAgain(): boolean {
    if (!this.#isRestarting || this.#isStopped) return false
    this.#isRestarting = false
    this.#run()
    return true
  }

  async #connect(closed: (reason: CloseReason) => void): Promise<ConnectOutcome> {
    try {
      const options = await this.#link.options()
      const handlers = Object.create(options.handlers ?? {}) as NonNullable<SmppClientOptions['handlers']>
      handlers.onClosed = (session, reason) => {
        options.handlers?.onClosed?.(session, reason)
        closed(reason)
      }
      return await connect({ ...options, handlers }, this.#attempting.signal)
    } catch (error) {
      return { kind: 'unreachable', detail: error instanceof Error ? error.message : String(error) }
    }
  }

  #wait(fault: LinkFault): void {
    if (this.#isStopped) return
    const { random = Math.random, pauseMaxMs: longestMs } = this.#link
    const retryInMs = retryPauseMs(this.#attempt - 1, fault.status, random(), longestMs?.())
    this.#timer = setTimeout(() => this.#run(), retryInMs)
    this.#setState({ kind: 'waiting', attempt: this.#attempt, retryInMs, ...fault })
  }
}

/** Why an attempt came to nothing. */
export function linkFaultOf(outcome: Exclude<ConnectOutcome, { kind: 'bound' }>): LinkFault {
  if (outcome.kind === 'refused') return { detail: 'the peer refused the bind', status: outcome.status }
  const { detail, certificate } = outcome
  return { detail, status: undefined, ...(certificate && { certificate }) }
}

function toConnected(outcome: Extract<ConnectOutcome, { kind: 'bound' }>): LinkState {
  return { kind: 'connected', session: outcome.session, peerSystemId: outcome.peerSystemId }
}
