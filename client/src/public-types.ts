// What the package exports beside its calls; copied into its declarations as it stands.

/** Where the gateway is, and the API key that calls it. */
export interface ClientOptions {
  /** Such as `https://gateway.example.com`. */
  readonly baseUrl: string
  readonly key: string
  /** Instead of the global one. */
  readonly fetch?: typeof fetch
  /** How often a call that may be sent again is sent after 429, 503 or a lost connection; 4 by default. */
  readonly triesMax?: number
}

/** How one call is made. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** For calls that make something; by default a new one for each call, kept over its tries. */
  readonly idempotencyKey?: string
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[]
  /** For the `cursor` of the next call; undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** One event of the live feed. */
export interface FeedEvent {
  readonly event: string
  /** For `lastEventId`, to go on after it; empty for events of states. */
  readonly id: string
  readonly data: unknown
}
