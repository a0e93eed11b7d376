// What a trace shows of this program: calls, messages, jobs, webhooks. Without OTEL_EXPORTER_OTLP_ENDPOINT there is no
// Tracing at all, and no package of OpenTelemetry is loaded. A span is handed on as a value, never by AsyncLocalStorage,
// which would slow every promise of Node.js 20 down.

type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** A piece of work. */
export interface TraceSpan {
  /** False: it is not among those that are sampled, and what it is told is dropped. */
  readonly isRecorded: boolean
  /** Its name for whom the work is handed on to (W3C Trace Context §3.2). */
  readonly traceparent: string
  /** Notes a moment, by performance.now(). */
  mark(moment: string, atMs: number): void
  /** Ends it, now unless told otherwise; with `error` it has failed. */
  end(outcome?: {
    readonly attributes?: SpanAttributes
    readonly error?: string | undefined
    readonly atMs?: number
  }): void
}

interface SpanOptions {
  /** `server`: somebody asked us; `client`: we ask somebody. Neither: it is our own work. */
  readonly kind?: 'server' | 'client'
  /** By performance.now(); now by default. */
  readonly startMs?: number
  readonly attributes?: SpanAttributes
  /** The traceparent of the work that it is a part of. One that cannot be read counts as none. */
  readonly parent?: string | undefined
  /** A span that it has to do with without being a part of it. */
  readonly link?: TraceSpan
  /** What it is about, see {@link Tracing.traceparentOf}. */
  readonly about?: string
}

export interface Tracing {
  /** Begins a span. Never throws and never waits: spans that cannot be sent in time are dropped. */
  begin(name: string, options?: SpanOptions): TraceSpan
  /**
   * The traceparent of the span that was begun `about` this, on whichever node. Its ids are made from these words and the
   * database's root key, so nobody has to store them.
   */
  traceparentOf(about: string): string
  /** Sends what is left; never throws. */
  close(): Promise<void>
}
