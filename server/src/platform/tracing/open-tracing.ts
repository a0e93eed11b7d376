// Sends spans by OTLP over HTTP. The only file that loads OpenTelemetry, and only a node with an address for it loads this.
import { hash } from 'node:crypto'
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
  type IdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Logger } from '../log.ts'
import type { TraceSpan, Tracing } from './tracing.ts'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT }

export interface TracingOptions {
  /** The database's root key: nodes that share it make the same ids. */
  readonly rootKey: string
  /** This node, as its lines of the log name it. */
  readonly node: string
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Reads the variables OTEL_… by itself: address, headers, sampler, sizes of the queue. */
export function openTracing({ rootKey, node, log }: TracingOptions): Tracing {
  const warn = (reason: string) => log.warn({ reason }, 'a setting of OpenTelemetry is not valid')
  const drop = () => undefined
  // What the packages say of the settings they read; later they would say each failure again.
  diag.setLogger({ error: warn, warn, info: drop, debug: drop, verbose: drop }, DiagLogLevel.WARN)
  const ids = new MadeIds(rootKey)
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'tollgate', 'service.instance.id': node }))
      .merge(detectResources({ detectors: [envDetector] })),
    // Its queue is bounded (OTEL_BSP_MAX_QUEUE_SIZE, 2,048 spans): what does not fit is dropped.
    spanProcessors: [new BatchSpanProcessor(sayingOutagesOnce(new OTLPTraceExporter(), log))],
  })
  const tracer = provider.getTracer('tollgate')
  diag.disable()

  const begin: Tracing['begin'] = (name, { kind, startMs, attributes, parent, link, about } = {}) => {
    ids.makeFrom(about)
    const span = tracer.startSpan(
      name,
      {
        kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
        ...(startMs === undefined ? {} : { startTime: startMs }),
        ...(attributes === undefined ? {} : { attributes }),
        ...(link?.isRecorded === true
          ? { links: [{ context: readTraceparent(link.traceparent) as SpanContext }] }
          : {}),
      },
      contextOf(parent),
    )
    ids.makeFrom(undefined)
    return new OtelSpan(span)
  }
  return {
    begin,
    // A span that never ends is never sent. It tells whether the one that it stands for is sampled.
    traceparentOf: (about) => begin('', { about }).traceparent,
    close: () =>
      provider
        .shutdown()
        .catch((error: unknown) => log.warn({ err: error }, 'the last spans could not be sent')),
  }
}

class OtelSpan implements TraceSpan {
  readonly #span: Span

  constructor(span: Span) {
    this.#span = span
  }

  get isRecorded(): boolean {
    return this.#span.isRecording()
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  mark(moment: string, atMs: number): void {
    this.#span.addEvent(moment, atMs)
  }

  end({ attributes, error, atMs }: Parameters<TraceSpan['end']>[0] = {}): void {
    if (attributes !== undefined) this.#span.setAttributes(attributes)
    if (error !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    this.#span.end(atMs)
  }
}

/** W3C Trace Context §3.2.2; a later version may append fields. */
function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(text ?? '') ?? []
  const context = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  }
  return trace.isSpanContextValid(context) ? context : undefined
}

function contextOf(parent: string | undefined): Context {
  const context = readTraceparent(parent)
  return context === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context)
}

/** Random ids, or those that are made from some words. */
class MadeIds implements IdGenerator {
  #made: string | undefined
  readonly #random = new RandomIdGenerator()
  readonly #rootKey: string

  constructor(rootKey: string) {
    this.#rootKey = rootKey
  }

  /** Until the next call: the words, or undefined for random ids. */
  makeFrom(words: string | undefined): void {
    this.#made = words === undefined ? undefined : hash('sha256', `trace ${this.#rootKey} ${words}`)
  }

  generateTraceId = (): string => this.#made?.slice(0, 32) ?? this.#random.generateTraceId()

  generateSpanId = (): string => this.#made?.slice(32, 48) ?? this.#random.generateSpanId()
}

/** A collector that does not answer is one line when that begins, and one when it is over. */
function sayingOutagesOnce(exporter: SpanExporter, log: TracingOptions['log']): SpanExporter {
  let lost = 0
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0) {
          if (lost === 0)
            log.warn(
              { err: result.error },
              'spans cannot be sent; they are dropped until the collector answers',
            )
          lost += spans.length
        } else if (lost > 0) {
          log.info({ lost }, 'spans are sent again')
          lost = 0
        }
        done({ code: 0 })
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}
