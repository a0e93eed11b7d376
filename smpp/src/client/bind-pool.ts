// Several binds to one or more hosts, used as one.
import { type SmppClientOptions } from '../net/client.ts'
import { keepConnected, type Link, type LinkState } from '../net/reconnect.ts'
import type { SendBody, SendName, SendOutcome } from '../session/session-types.ts'
import type { Session } from '../session/session.ts'

export interface PoolHost {
  readonly host: string
  readonly port: number
  readonly tls?: NonNullable<SmppClientOptions['tls']>
}

export interface BindPoolOptions {
  /** In the order of preference for `failover`. */
  readonly hosts: readonly PoolHost[]
  /** How to bind at each of them. */
  readonly bind: Omit<SmppClientOptions, 'host' | 'port' | 'tls'>
  /** Default 1. */
  readonly bindsPerHost?: number
  /**
   * round-robin (the default) uses all hosts in turn, of equals the least busy. failover uses the first host that is
   * bound; the others only stand by.
   */
  readonly policy?: 'round-robin' | 'failover'
  /** How long a request waits for a bind when there is none; default 30 s. */
  readonly bindWaitMs?: number
  /** The longest pause between attempts to bind; default 60 s, five times as long after a refusal. */
  readonly pauseMaxMs?: number
  /** Called when a bind changes: connecting, connected, waiting, stopped. */
  readonly onState?: (host: PoolHost, state: LinkState) => void
}

interface PooledBind {
  readonly host: PoolHost
  readonly link: Link
}

const isSending = (session: Session<undefined>): boolean =>
  session.state === 'bound' && session.mode !== 'receiver'

/** Binds at once, again and again with growing pauses, until it is closed. */
export class BindPool {
  readonly #options: BindPoolOptions
  readonly #binds: PooledBind[] = []
  readonly #wakes = new Set<() => void>()
  readonly #open = new Set<Promise<SendOutcome>>()
  #turn = 0
  #isClosing = false

  constructor(options: BindPoolOptions) {
    this.#options = options
    for (const host of options.hosts)
      for (let count = 0; count < (options.bindsPerHost ?? 1); count += 1)
        this.#binds.push({ host, link: this.#keep(host) })
  }

  /** The sessions that are bound now. */
  get sessions(): readonly Session<undefined>[] {
    return this.#binds.flatMap(({ link }) => (link.state.kind === 'connected' ? [link.state.session] : []))
  }

  /** Waits until at least one bind can send; false when the time is over, the signal is aborted, or the pool is closed. */
  async ready(signal?: AbortSignal): Promise<boolean> {
    return (await this.#bound(signal)) !== undefined
  }

  /**
   * Sends a request over a bind, and waits for one if there is none. When the bind ends before the request has left, it
   * goes over another one; what may have left is never sent twice. Never rejects.
   */
  send<Name extends SendName>(
    command: Name,
    body: SendBody<Name>,
    signal?: AbortSignal,
  ): Promise<SendOutcome> {
    const sending = this.#send(command, body, signal).finally(() => this.#open.delete(sending))
    this.#open.add(sending)
    return sending
  }

  /** Takes no more requests, waits up to `timeoutMs` for the answers to those that were sent, and unbinds everywhere. */
  async close(timeoutMs = 30_000): Promise<void> {
    this.#isClosing = true
    this.#wake()
    let cancel: () => void = () => undefined
    const timeIsUp = new Promise<void>((settle) => {
      const timer = setTimeout(settle, timeoutMs)
      cancel = () => clearTimeout(timer)
    })
    await Promise.race([Promise.all(this.#open), timeIsUp])
    cancel()
    await Promise.all(this.#binds.map(({ link }) => link.stop()))
  }

  #keep(host: PoolHost): Link {
    const { bind, pauseMaxMs, onState } = this.#options
    return keepConnected({
      options: () => ({ ...bind, ...host }),
      onState: (state) => {
        onState?.(host, state)
        this.#wake()
      },
      ...(pauseMaxMs === undefined ? {} : { pauseMaxMs: () => pauseMaxMs }),
    })
  }

  async #send<Name extends SendName>(
    command: Name,
    body: SendBody<Name>,
    signal: AbortSignal | undefined,
  ): Promise<SendOutcome> {
    for (;;) {
      const session = await this.#bound(signal)
      if (session === undefined) return this.#unsent(signal)
      const outcome = await session.send(command, body, signal)
      const isUnsent =
        (outcome.kind === 'closed' && !outcome.wasSent) ||
        (outcome.kind === 'refused' && outcome.reason === 'not-bound')
      if (!isUnsent) return outcome
    }
  }

  #unsent(signal: AbortSignal | undefined): SendOutcome {
    if (signal?.aborted === true) return { kind: 'aborted', wasSent: false }
    return {
      kind: 'refused',
      reason: 'not-bound',
      detail: this.#isClosing ? 'the pool is closed' : 'no bind could be made in time',
    }
  }

  /** The session for the next request; undefined when none came in time. */
  async #bound(signal: AbortSignal | undefined): Promise<Session<undefined> | undefined> {
    const untilMs = performance.now() + (this.#options.bindWaitMs ?? 30_000)
    for (;;) {
      if (this.#isClosing || signal?.aborted === true) return undefined
      const session = this.#choose()
      if (session !== undefined) return session
      const leftMs = untilMs - performance.now()
      if (leftMs <= 0) return undefined
      await this.#change(leftMs, signal)
    }
  }

  #choose(): Session<undefined> | undefined {
    const able = this.sessions.filter(isSending)
    if (this.#options.policy === 'failover') {
      // The binds are in the order of the hosts.
      const [first] = able
      const same = able.filter(
        (each) => each.remoteAddress === first?.remoteAddress && each.remotePort === first.remotePort,
      )
      return leastBusy(same)
    }
    this.#turn = (this.#turn + 1) % Math.max(1, able.length)
    return leastBusy([...able.slice(this.#turn), ...able.slice(0, this.#turn)])
  }

  /** Waits for a change of any bind. */
  #change(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#wakes.delete(done)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#wakes.add(done)
      signal?.addEventListener('abort', done, { once: true })
    })
  }

  #wake(): void {
    for (const wake of this.#wakes) wake()
  }
}

const loadOf = (session: Session<undefined>): number => session.inFlightCount + session.queuedCount

function leastBusy(sessions: readonly Session<undefined>[]): Session<undefined> | undefined {
  return sessions.reduce<Session<undefined> | undefined>(
    (best, each) => (best === undefined || loadOf(each) < loadOf(best) ? each : best),
    undefined,
  )
}
