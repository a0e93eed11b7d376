// An OpenTelemetry collector: takes spans by OTLP over HTTP as JSON, and keeps them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly events: readonly { readonly name: string; readonly timeUnixNano: string }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: Pick<CollectedSpan, 'attributes'>
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[]
  }[]
}

export async function startCollector() {
  const spans: CollectedSpan[] = []
  // The names of the services that sent them.
  const services = new Set<unknown>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url !== '/v1/traces') return void response.writeHead(404).end()
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as ExportRequest
      for (const { resource, scopeSpans } of resourceSpans) {
        services.add(attributeOf(resource, 'service.name'))
        spans.push(...scopeSpans.flatMap((scope) => scope.spans))
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    services,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The value of an attribute, whatever its type. */
export function attributeOf({ attributes }: Pick<CollectedSpan, 'attributes'>, name: string): unknown {
  const value = attributes.find(({ key }) => key === name)?.value
  return value === undefined ? undefined : Object.values(value)[0]
}
