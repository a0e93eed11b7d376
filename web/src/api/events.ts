// The live feed: one EventSource for each tab, shared by all screens. It resumes at the last event after a pause.
import { sessionEvents } from './session-events.ts'

const feedEvents = [
  'record',
  'record-updated',
  'connection',
  'worker',
  'hold',
  'request',
  'notification',
] as const
export type FeedEventName = (typeof feedEvents)[number]

/** `lastAt` is the time when the server last sent something, in ms; undefined before the first time. */
export interface FeedState {
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'paused'
  readonly lastAt: number | undefined
}

type Handler = (payload: unknown) => void

// Browsers give up after an HTTP error. Then the feed opens a new EventSource itself.
const reopenAfterMs = 3_000
// The server sends a heartbeat every 5 s. A frozen server, a sleeping laptop and a lost network close no connection.
const silenceMaxMs = 10_000
// A reconnection that succeeds at once is not shown.
const staleAfterMs = 2_000
// Browsers stop timers while the machine sleeps, so the time of the silence is read from the clock again and again.
const lookEveryMs = 1_000
const lastAtStepMs = 1_000

/** The browser functions that tests replace. */
export interface FeedEnvironment {
  readonly open: (url: string) => EventSource
  readonly isHidden: () => boolean
  readonly now: () => number
  readonly onVisibility: (listener: () => void) => void
  /** Calls the listener when the machine loses or finds its network. */
  readonly onNetwork: (listener: () => void) => void
  /** Called when the server has refused the feed. */
  readonly onRefused: () => void
}

const browser: FeedEnvironment = {
  open: (url) => new EventSource(url),
  isHidden: () => document.hidden,
  now: () => Date.now(),
  onVisibility: (listener) => document.addEventListener('visibilitychange', listener),
  onNetwork: (listener) => {
    for (const change of ['offline', 'online']) window.addEventListener(change, listener)
  },
  onRefused: () => sessionEvents.dispatchEvent(new Event('doubt')),
}

/** Keeps the feed open while somebody listens and the tab is visible. */
export class Feed {
  readonly #around: FeedEnvironment
  readonly #handlers = new Map<FeedEventName, Set<Handler>>()
  readonly #watchers = new Set<() => void>()
  #source: EventSource | undefined
  #reopening: ReturnType<typeof setTimeout> | undefined
  #looking: ReturnType<typeof setInterval> | undefined
  #lastEventId = ''
  #state: FeedState = { state: 'connecting', lastAt: undefined }
  // When the server was last heard in any way. Answers to calls count, because a refused feed does not mean that the
  // page is old.
  #lastHeardAt: number
  // When this EventSource last received something, or was opened.
  #lastFeedHeardAt = 0
  #staleSince: number | undefined

  constructor(around: FeedEnvironment = browser) {
    this.#around = around
    this.#lastHeardAt = around.now()
    around.onVisibility(() => this.#settle())
    // A connection through a lost network stays open and silent. A gateway on this machine needs no network, so the
    // feed asks instead of believing that it is cut off.
    around.onNetwork(() => {
      if (this.#source === undefined && this.#reopening === undefined) return
      this.#close()
      this.#settle()
    })
  }

  /** Calls `handler` with the parsed data of each event. Returns a function that stops it. */
  on(event: FeedEventName, handler: Handler): () => void {
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

  /** When the server was last heard, in ms, if what is on screen may be old; undefined while it is up to date. */
  readonly staleSince = (): number | undefined => this.#staleSince

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
    if (!this.#isWanted() || this.#around.isHidden()) {
      clearInterval(this.#looking)
      this.#looking = undefined
      this.#close()
      if (this.#isWanted()) this.#setState('paused')
      return
    }
    this.#looking ??= setInterval(() => this.#look(), lookEveryMs)
    if (this.#source || this.#reopening !== undefined) return
    this.#open()
  }

  #open(): void {
    // A new EventSource cannot send Last-Event-ID, so the id of the last event goes into the query.
    const resume = this.#lastEventId === '' ? '' : `?lastEventId=${encodeURIComponent(this.#lastEventId)}`
    const source = this.#around.open(`/api/events${resume}`)
    this.#source = source
    if (this.#state.state === 'paused') this.#setState('reconnecting')
    this.#lastFeedHeardAt = this.#around.now()
    source.addEventListener('open', () => this.#hear())
    source.addEventListener('error', () => this.#fail(source))
    for (const event of feedEvents)
      source.addEventListener(event, (message) => this.#receive(event, message as MessageEvent<string>))
    // The server's heartbeat shows that a quiet feed is alive.
    source.addEventListener('heartbeat', () => this.#hear())
  }

  #hear(): void {
    this.#lastFeedHeardAt = this.#around.now()
    this.#setState('live', this.#lastFeedHeardAt)
    this.noteAnswer()
  }

  /** The server has answered, here or to a call. */
  noteAnswer(): void {
    this.#lastHeardAt = this.#around.now()
    this.#judgeAge()
  }

  /** Opens the feed anew when the server has been silent for too long, and says so when what is on screen is old. */
  #look(): void {
    const now = this.#around.now()
    // A clock that was set back must not make silence look short.
    this.#lastHeardAt = Math.min(this.#lastHeardAt, now)
    this.#lastFeedHeardAt = Math.min(this.#lastFeedHeardAt, now)
    if (this.#source && now - this.#lastFeedHeardAt >= silenceMaxMs) {
      this.#close()
      this.#setState('reconnecting')
      this.#settle()
    }
    this.#judgeAge()
  }

  #judgeAge(): void {
    const isOld =
      this.#state.state === 'reconnecting' &&
      this.#around.now() - this.#lastHeardAt >= silenceMaxMs + staleAfterMs
    const staleSince = isOld ? this.#lastHeardAt : undefined
    if (staleSince === this.#staleSince) return
    this.#staleSince = staleSince
    this.#notify()
  }

  #receive(event: FeedEventName, message: MessageEvent<string>): void {
    if (message.lastEventId !== '') this.#lastEventId = message.lastEventId
    this.#hear()
    const payload: unknown = JSON.parse(message.data)
    for (const handler of this.#handlers.get(event) ?? []) handler(payload)
  }

  #fail(source: EventSource): void {
    if (source !== this.#source) return
    this.#setState('reconnecting')
    if (source.readyState !== 2) return
    this.#close()
    this.#around.onRefused()
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
    if (state !== before.state) this.#judgeAge()
    this.#notify()
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher()
  }
}
