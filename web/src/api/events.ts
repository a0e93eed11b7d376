// The live feed: one EventSource per tab, shared by every screen that listens. Resumes where it stopped.

export const feedEvents = ['record', 'record-updated', 'connection', 'worker', 'hold', 'request'] as const
export type FeedEvent = (typeof feedEvents)[number]

/** `lastAt` is when the server was last heard, in ms; undefined before the first word. */
export interface FeedState {
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'paused'
  readonly lastAt: number | undefined
}

type Handler = (payload: unknown) => void

// Browsers give up for good on an HTTP error: then we open anew ourselves.
const reopenAfterMs = 3_000
const lastAtStepMs = 1_000

/** The parts of the surroundings that tests replace. */
export interface FeedEnvironment {
  readonly open: (url: string) => EventSource
  readonly isHidden: () => boolean
  readonly now: () => number
  readonly onVisibility: (listener: () => void) => void
}

const browser: FeedEnvironment = {
  open: (url) => new EventSource(url),
  isHidden: () => document.hidden,
  now: () => Date.now(),
  onVisibility: (listener) => document.addEventListener('visibilitychange', listener),
}

/** Holds the feed open while anybody listens and the tab is seen. */
export class Feed {
  readonly #around: FeedEnvironment
  readonly #handlers = new Map<FeedEvent, Set<Handler>>()
  readonly #watchers = new Set<() => void>()
  #source: EventSource | undefined
  #reopening: ReturnType<typeof setTimeout> | undefined
  #lastEventId = ''
  #state: FeedState = { state: 'connecting', lastAt: undefined }

  constructor(around: FeedEnvironment = browser) {
    this.#around = around
    around.onVisibility(() => this.#settle())
  }

  /** Calls `handler` with each event's parsed data; gives the way to stop. */
  on(event: FeedEvent, handler: Handler): () => void {
    const handlers = this.#handlers.get(event) ?? new Set()
    this.#handlers.set(event, handlers.add(handler))
    this.#settle()
    return () => {
      handlers.delete(handler)
      this.#settle()
    }
  }

  /** Calls `watcher` at each change of state; counts as listening. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    this.#settle()
    return () => {
      this.#watchers.delete(watcher)
      this.#settle()
    }
  }

  /** The state now; the same object until it changes. */
  readonly state = (): FeedState => this.#state

  /** Forgets where it was: another person's feed begins anew. */
  reset(): void {
    this.#close()
    this.#lastEventId = ''
    this.#setState('connecting')
    this.#settle()
  }

  #isWanted(): boolean {
    return this.#watchers.size > 0 || [...this.#handlers.values()].some((handlers) => handlers.size > 0)
  }

  /** Opens, pauses or closes, as listeners and the tab's visibility ask. */
  #settle(): void {
    if (!this.#isWanted()) return this.#close()
    if (this.#around.isHidden()) {
      this.#close()
      return this.#setState('paused')
    }
    if (this.#source || this.#reopening !== undefined) return
    this.#open()
  }

  #open(): void {
    // A new EventSource cannot send Last-Event-ID, so the place to resume at goes into the address.
    const resume = this.#lastEventId === '' ? '' : `?lastEventId=${encodeURIComponent(this.#lastEventId)}`
    const source = this.#around.open(`/api/events${resume}`)
    this.#source = source
    if (this.#state.state === 'paused') this.#setState('reconnecting')
    source.addEventListener('open', () => this.#setState('live', this.#around.now()))
    source.addEventListener('error', () => this.#fail(source))
    for (const event of feedEvents)
      source.addEventListener(event, (message) => this.#receive(event, message as MessageEvent<string>))
    // The server's heartbeat, so that a quiet feed is known to be alive.
    source.addEventListener('heartbeat', () => this.#setState('live', this.#around.now()))
  }

  #receive(event: FeedEvent, message: MessageEvent<string>): void {
    if (message.lastEventId !== '') this.#lastEventId = message.lastEventId
    this.#setState('live', this.#around.now())
    const payload: unknown = JSON.parse(message.data)
    for (const handler of this.#handlers.get(event) ?? []) handler(payload)
  }

  #fail(source: EventSource): void {
    if (source !== this.#source) return
    this.#setState('reconnecting')
    if (source.readyState !== 2) return
    this.#close()
    this.#reopening = setTimeout(() => {
      this.#reopening = undefined
      this.#settle()
    }, reopenAfterMs)
  }

  #close(): void {
    clearTimeout(this.#reopening)
    this.#reopening = undefined
    this.#source?.close()
    this.#source = undefined
  }

  #setState(state: FeedState['state'], lastAt = this.#state.lastAt): void {
    const before = this.#state
    // To the second is enough for an age, and a thousand records a second must not draw a thousand times.
    const isSameTime = lastAt === before.lastAt || (lastAt ?? 0) - (before.lastAt ?? 0) < lastAtStepMs
    if (state === before.state && isSameTime) return
    this.#state = { state, lastAt }
    for (const watcher of this.#watchers) watcher()
  }
}
