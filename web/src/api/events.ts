// The live feed: one EventSource for each tab, shared by all screens. It resumes at the last event after a pause.

const feedEvents = ['record', 'record-updated', 'connection', 'worker', 'hold', 'request'] as const
export type FeedEvent = (typeof feedEvents)[number]

/** `lastAt` is the time of the last word from the server, in ms; undefined before the first one. */
export interface FeedState {
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'paused'
  readonly lastAt: number | undefined
}

type Handler = (payload: unknown) => void

// Browsers give up after an HTTP error. Then the feed opens a new EventSource itself.
const reopenAfterMs = 3_000
const lastAtStepMs = 1_000

/** The browser functions that tests replace. */
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

/** Keeps the feed open while somebody listens and the tab is visible. */
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

  /** Calls `handler` with the parsed data of each event. Returns a function that stops it. */
  on(event: FeedEvent, handler: Handler): () => void {
    const handlers = this.#handlers.get(event) ?? new Set()
    this.#handlers.set(event, handlers.add(handler))
    this.#settle()
    return () => {
      handlers.delete(handler)
      this.#settle()
    }
  }

  /** Calls `watcher` at each change of state. A watcher counts as a listener. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    this.#settle()
    return () => {
      this.#watchers.delete(watcher)
      this.#settle()
    }
  }

  /** The current state; the same object until it changes. */
  readonly state = (): FeedState => this.#state

  /** Forgets the last event. Needed when another person signs in. */
  reset(): void {
    this.#close()
    this.#lastEventId = ''
    this.#setState('connecting')
    this.#settle()
  }

  #isWanted(): boolean {
    return this.#watchers.size > 0 || [...this.#handlers.values()].some((handlers) => handlers.size > 0)
  }

  /** Opens, pauses or closes the feed, according to its listeners and the tab's visibility. */
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
    // A new EventSource cannot send Last-Event-ID, so the id of the last event goes into the query.
    const resume = this.#lastEventId === '' ? '' : `?lastEventId=${encodeURIComponent(this.#lastEventId)}`
    const source = this.#around.open(`/api/events${resume}`)
    this.#source = source
    if (this.#state.state === 'paused') this.#setState('reconnecting')
    source.addEventListener('open', () => this.#setState('live', this.#around.now()))
    source.addEventListener('error', () => this.#fail(source))
    for (const event of feedEvents)
      source.addEventListener(event, (message) => this.#receive(event, message as MessageEvent<string>))
    // The server's heartbeat shows that a quiet feed is alive.
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
    // The age needs a resolution of one second. Without this limit a thousand records a second would cause a thousand
    // renders.
    const isSameTime = lastAt === before.lastAt || (lastAt ?? 0) - (before.lastAt ?? 0) < lastAtStepMs
    if (state === before.state && isSameTime) return
    this.#state = { state, lastAt }
    for (const watcher of this.#watchers) watcher()
  }
}
